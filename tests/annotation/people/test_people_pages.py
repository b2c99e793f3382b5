"""The people's pages: figures where there are judgments, decisions with reasons, alerts with notes."""

import csv
import io
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import TestCase
from django.utils import timezone

from annotation.assignment.next_tasks import next_tasks
from annotation.models import AlertDismissal, Judgment, Pair, Seat, StatusChange
from annotation.people.people_figures import alerts_by_person, compute_people
from annotation.people.status import change_standing, dismiss_alert, steps_for
from annotation.precomputed import refresh_computed
from annotation.qualification.exam_results import exam_results
from annotation.qualification.exams import begin_exam, close_cohort, items_left, sitting_of
from foundation.models import Membership
from foundation.refused import Refused
from tests.annotation.conftest import Hall
from tests.annotation.judging_steps import judge, sit
from tests.api.callers import read
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(db: None) -> World:
    """Bo and cy judged twelve pairs, bo one grade higher at each; di and ed settled the one that went further."""
    world = build_world(candidates=12)
    sit(world["bo"], world["cy"])
    for place, pair in enumerate(world.batch.pairs.order_by("pk")):
        judge(world["bo"], pair, 4 if place == 0 else place % 4 + 1, active_ms=20_000)
        judge(world["cy"], pair, 0 if place == 0 else place % 4, active_ms=20_000)
    disputed = Pair.objects.get(status="disputed")
    sit(world["di"], world["ed"])
    judge(world["di"], disputed, 2)
    judge(world["ed"], disputed, 2)
    return world


def ask(client_of: Any, world: World, path: str, **data: Any) -> Any:
    return client_of(world["ada"].account).get(f"/c/paper/people/{path}", data)


class TestFigures:
    def test_the_page_and_the_api_say_the_same(self, judged: World, client_of: Any) -> None:
        listed = read(client_of(judged["ada"].account), "collections/paper/people")
        rows = {row["member"]: row for row in listed["items"]}
        bo = rows[judged["bo"].pk]["figures"]["overall"]
        assert (bo["judgments"], bo["compared"], bo["within_one"]) == (12, 12, round(11 / 12, 6))
        # Eleven times one more, once four.
        assert bo["difference"] == pytest.approx(15 / 12, abs=1e-6)
        assert bo["second_round"] == round(1 / 12, 6)
        assert rows[judged["flo"].pk]["figures"] is None
        page = ask(client_of, judged, "").content.decode()
        assert "+1.25" in page and "−1.25" in page and judged["flo"].worker in page

    def test_what_does_not_count_is_left_out(self, judged: World) -> None:
        before = compute_people(judged.collection)
        pair = Pair.objects.order_by("pk")[1]
        Judgment.objects.create(
            pair=pair,
            annotator=judged["flo"],
            grade=0,
            round=1,
            counted=False,
            uncounted_because="late",
            key=uuid.uuid4(),
        )
        after = compute_people(judged.collection)
        assert [before["people"], before["partners"]] == [after["people"], after["partners"]]
        Pair.objects.filter(pk=pair.pk).update(status="withdrawn", grade=None)
        assert compute_people(judged.collection)["people"][0]["overall"]["judgments"] == 11

    def test_one_person_has_weeks_and_partners(self, judged: World, client_of: Any) -> None:
        context = ask(client_of, judged, f"{judged['cy'].pk}/").context
        (week,) = context["figures"]["weeks"]
        assert week["figures"]["judgments"] == 12
        (met,) = context["partners"]
        assert (met["worker"], met["met"], met["difference"]) == (judged["bo"].worker, 12, -1.25)
        assert ask(client_of, judged, f"{judged['cy'].pk}/").status_code == 200
        assert ask(client_of, judged, f"{judged['flo'].pk}/").status_code == 200
        assert ask(client_of, judged, f"{judged['ada'].pk}/").status_code == 404

    @pytest.mark.parametrize("figure", ["weighted", "kappa", "exact", "within_one", "difference", "nonsense"])
    def test_the_matrix_of_partners(self, judged: World, client_of: Any, figure: str) -> None:
        page = ask(client_of, judged, "partners/", figure=figure)
        assert page.status_code == 200
        assert judged["bo"].worker in page.content.decode()

    def test_the_csvs_have_a_row_a_person_a_week_and_a_partner(self, judged: World, client_of: Any) -> None:
        def rows(path: str, **data: str) -> list[dict[str, str]]:
            return list(csv.DictReader(io.StringIO(ask(client_of, judged, path, **data).content.decode())))

        people = {row["worker"]: row for row in rows("csv")}
        assert set(people) == {judged[name].worker for name in ("bo", "cy", "di", "ed")}
        assert people[judged["bo"].worker]["judgments"] == "12"
        assert {row["judgments"] for row in rows("csv", by="week")} == {"12", "1"}
        assert [(row["met"], row["exact"]) for row in rows("partners/csv")] == [("12", "0.0"), ("1", "1.0")]

    def test_pages_ask_a_bounded_number_of_questions(
        self, judged: World, client_of: Any, django_assert_max_num_queries: Any
    ) -> None:
        ada = client_of(judged["ada"].account)
        refresh_computed(collection=judged.collection, name="model")
        for path in ("", "partners/", f"{judged['bo'].pk}/", "model/"):
            with django_assert_max_num_queries(14):
                assert ada.get(f"/c/paper/people/{path}").status_code == 200


class TestStanding:
    def test_each_step_keeps_its_reason(self, world: World) -> None:
        steps = [("pause", "paused"), ("bar", "barred"), ("admit", "admitted"), ("requalify", "applicant")]
        for step, status in steps:
            change_standing(lead=world["ada"], member_id=world["bo"].pk, step=step, reason=f"Because of {step}")
            assert Membership.objects.get(pk=world["bo"].pk).status == status
        kept = StatusChange.objects.order_by("pk").values_list("before", "after", "reason", "changed_by")
        assert kept[0] == ("admitted", "paused", "Because of pause", world["ada"].pk)
        assert len(kept) == 4

    def test_the_same_again_changes_nothing(self, world: World) -> None:
        first = change_standing(lead=world["ada"], member_id=world["bo"].pk, step="pause", reason="Away")
        again = change_standing(lead=world["ada"], member_id=world["bo"].pk, step="pause", reason="Away")
        assert first is not None and again is None
        assert StatusChange.objects.count() == 1

    def test_whoever_is_paused_leaves_their_seats_and_what_was_at_hand_still_counts(self, world: World) -> None:
        sit(world["bo"])
        change_standing(lead=world["ada"], member_id=world["bo"].pk, step="pause", reason="Away")
        assert not Seat.objects.filter(ended_at=None).exists()
        bo = Membership.objects.select_related("collection").get(pk=world["bo"].pk)
        assert judge(bo, world.batch.pairs.order_by("pk")[0], 3).outcome == "counted"
        assert next_tasks(member=bo) == []

    @pytest.mark.parametrize(
        ("who", "step", "reason", "said"),
        [
            ("bo", "pause", "  ", "Give a reason"),
            ("bo", "promote", "Good", "found the step 'promote'"),
            ("bo", "admit", "Good", None),
            ("ada", "bar", "No", "no such annotator"),
        ],
    )
    def test_what_can_t_be_is_refused(self, world: World, who: str, step: str, reason: str, said: str | None) -> None:
        def change() -> Any:
            return change_standing(lead=world["ada"], member_id=world[who].pk, step=step, reason=reason)

        if said is None:
            assert change() is None
        else:
            with pytest.raises(Refused, match=said):
                change()
        assert not StatusChange.objects.exists()

    def test_who_has_led_and_seen_grades_never_judges_again(self, world: World) -> None:
        Membership.objects.filter(pk=world["bo"].pk).update(status="barred", has_led=True)
        for step in ("admit", "requalify"):
            with pytest.raises(Refused, match="has led here"):
                change_standing(lead=world["ada"], member_id=world["bo"].pk, step=step, reason="Needed")
        assert steps_for(Membership.objects.get(pk=world["bo"].pk)) == []

    def test_the_members_page_pauses_and_lets_back_in_with_a_reason(self, world: World, client_of: Any) -> None:
        ada, bo = client_of(world["ada"].account), world["bo"]
        for step, status in (("pause", "paused"), ("admit", "admitted")):
            assert f'name="step" value="{step}"' in ada.get("/c/paper/members/").content.decode()
            sent = {"step": step, "reason": f"Because of {step}", "back_to": "members"}
            answer = ada.post(f"/c/paper/people/{bo.pk}/change", sent)
            assert answer["Location"] == "/c/paper/members/"
            bo.refresh_from_db()
            assert bo.status == status
        assert list(StatusChange.objects.order_by("pk").values_list("reason", flat=True)) == [
            "Because of pause",
            "Because of admit",
        ]

    def test_a_declined_person_can_t_be_paused(self, world: World) -> None:
        Membership.objects.filter(pk=world["bo"].pk).update(status="declined")
        with pytest.raises(Refused, match="“Pause” isn't possible: w02 is not admitted"):
            change_standing(lead=world["ada"], member_id=world["bo"].pk, step="pause", reason="Away")

    def test_the_exam_again_begins_anew_and_the_first_one_keeps_its_place(self, hall: Hall) -> None:
        for name in ("bo", "cy", "di"):
            hall.sit(name, lambda place: place % 4 + 1)
        close_cohort(exam=hall.exam)
        before = exam_results(hall.collection)
        Membership.objects.filter(pk=hall.world["bo"].pk).update(status="admitted")
        change_standing(lead=hall.world["ada"], member_id=hall.world["bo"].pk, step="requalify", reason="Drifts")
        bo = Membership.objects.select_related("collection").get(pk=hall.world["bo"].pk)
        assert bo.status == "applicant" and sitting_of(bo) is None
        anew = begin_exam(member=bo)
        assert len(items_left(anew)) == before.items
        hall.world.people["bo"] = bo
        hall.sit("bo", lambda place: 0)
        after = exam_results(hall.collection)
        (person,) = (person for person in after.people if person.member.pk == bo.pk)
        assert person.handed_in and not person.cohort
        assert after.agreement == before.agreement, "who sits it twice is one person of the agreement"
        assert after.out == before.out

    def test_the_lead_does_it_on_the_page(self, world: World, client_of: Any) -> None:
        ada = client_of(world["ada"].account)
        address = f"/c/paper/people/{world['bo'].pk}/"
        ada.post(f"{address}change", {"step": "bar", "reason": "Sold the login"})
        page = ada.get(address).content.decode()
        assert "Sold the login" in page and "Admit again" in page
        refused = ada.post(f"{address}change", {"step": "bar", "reason": ""}, follow=True)
        assert "Give a reason" in refused.content.decode()
        other = build_world(name="other")
        ada.post(f"/c/paper/people/{other['bo'].pk}/change", {"step": "bar", "reason": "Not mine"})
        assert Membership.objects.get(pk=other["bo"].pk).status == "admitted"


class TestAlerts:
    def silent(self, world: World, days: float) -> None:
        sit(world["bo"])
        Seat.objects.update(expires_at=timezone.now() - timedelta(days=days))

    def kinds(self, world: World) -> dict[int, list[str]]:
        value = {**compute_people(world.collection), "recent_from": timezone.now().isoformat()}
        by_person = alerts_by_person(world.collection, value)
        return {member: [alert.kind for alert in alerts] for member, alerts in by_person.items()}

    def test_silence_in_a_seat_is_told_until_the_person_is_back(self, world: World) -> None:
        self.silent(world, 2.9)
        assert self.kinds(world) == {}
        self.silent(world, 3.1)
        assert self.kinds(world) == {world["bo"].pk: ["silence"]}
        sit(world["bo"])
        assert self.kinds(world) == {}

    def test_a_dismissed_alert_stays_away_for_four_weeks(self, world: World, client_of: Any) -> None:
        self.silent(world, 5)
        ada = client_of(world["ada"].account)
        page = ada.get("/c/paper/people/").content.decode()
        assert "Silent in a seat" in page and "silent for 5 days" in page
        told = {"kind": "silence", "told": "silent for 5 days", "note": "On holiday"}
        ada.post(f"/c/paper/people/{world['bo'].pk}/dismiss", told)
        assert self.kinds(world) == {}
        assert "On holiday" in ada.get(f"/c/paper/people/{world['bo'].pk}/").content.decode()
        AlertDismissal.objects.update(dismissed_at=timezone.now() - timedelta(days=29))
        assert self.kinds(world) == {world["bo"].pk: ["silence"]}

    def test_a_dismissal_without_a_note_is_none(self, world: World) -> None:
        for kind, note, said in (("silence", " ", "Say what you found"), ("boredom", "x", "found the alert")):
            with pytest.raises(Refused, match=said):
                dismiss_alert(lead=world["ada"], member_id=world["bo"].pk, kind=kind, told="", note=note)

    def test_harshness_over_enough_pairs_is_told(self, judged: World) -> None:
        assert self.kinds(judged) == {}, "twelve pairs are too few"
        world = build_world(name="large", queries=3, candidates=20)
        for name, grade in (("bo", 3), ("cy", 2)):
            for pair in Pair.objects.filter(batch__collection=world.collection):
                Judgment.objects.create(pair=pair, annotator=world[name], grade=grade, round=1, key=uuid.uuid4())
        by_person = alerts_by_person(world.collection, _as_json(compute_people(world.collection)))
        assert {member: alerts[0].reason.split(" (")[0] for member, alerts in by_person.items()} == {
            world["bo"].pk: "+1.00 from partners over 60 comparisons: lenient",
            world["cy"].pk: "−1.00 from partners over 60 comparisons: harsh",
        }


def _as_json(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "recent_from": value["recent_from"].isoformat()}


class TestTheModel:
    def test_it_points_at_pairs_and_people_and_changes_nothing(self, judged: World, client_of: Any) -> None:
        before = list(Pair.objects.order_by("pk").values_list("status", "grade", "version"))
        assert refresh_computed(collection=judged.collection, name="model")
        model = read(client_of(judged["ada"].account), "collections/paper/annotator-model")
        assert (model["judgments"], model["pairs"]) == (26, 12)
        assert sum(map(sum, model["table"])) == 12
        assert {person["worker"] for person in model["people"]} == {
            judged[name].worker for name in ("bo", "cy", "di", "ed")
        }
        for doubt in model["worth_a_look"]:
            assert doubt["model"] != doubt["grade"]
        assert list(Pair.objects.order_by("pk").values_list("status", "grade", "version")) == before
        assert ask(client_of, judged, "model/").status_code == 200

    def test_before_it_was_computed_the_page_says_so(self, judged: World, client_of: Any, monkeypatch: Any) -> None:
        monkeypatch.setattr("annotation.precomputed.ask", lambda *_: None)
        page = ask(client_of, judged, "model/").content.decode()
        assert "Being computed" in page

    def test_what_was_decided_since_it_was_computed_is_told_and_asked_for(
        self, world: World, client_of: Any, monkeypatch: Any
    ) -> None:
        asked = []
        monkeypatch.setattr("annotation.precomputed.ask", asked.append)
        refresh_computed(collection=world.collection, name="model")
        assert "No pairs are decided yet." in ask(client_of, world, "model/").content.decode()
        assert asked == []
        Pair.objects.filter(pk__in=Pair.objects.values("pk")[:2]).update(status="consensus", grade=3)
        with TestCase.captureOnCommitCallbacks(execute=True):
            page = ask(client_of, world, "model/").content.decode()
        assert (
            "2 pairs were decided after these figures were computed. They are being compared" in page
            and "No pairs are decided yet" not in page
        )
        assert [(computed.collection_id, computed.name) for computed in asked] == [(world.collection.pk, "model")]
