"""Hidden repeats: like any other pair to who judges them, and never a judgment to anybody."""

import json
import uuid
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment.hidden_repeats import LOOKED_AT
from annotation.assignment.next_tasks import next_tasks
from annotation.assignment.slipped_in_rule import dice, due_in
from annotation.judging.flags import raise_flag
from annotation.judging.judgments import give_judgment
from annotation.judging.progress import own_progress
from annotation.judging.undo import TakenBack, take_back_newest
from annotation.models import Factor, Flag, Judgment, Pair, Question, Repeat, RepeatAnswer
from annotation.people.people_figures import compute_people
from annotation.people.timesheet import work_days
from annotation.settings.services import SettingsRefused, configure
from foundation.models import Collection, Membership
from foundation.refused import Refused
from tests.annotation.judging_steps import graded, judge, sit
from tests.conftest import World, build_world


def member(world: World, name: str = "bo") -> Membership:
    return Membership.objects.select_related("collection").get(pk=world[name].pk)


@pytest.fixture
def world(db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    """Bo and cy have judged all of the first query; two more are open. Every seat has 20 pairs, and brings two
    repeats."""
    monkeypatch.setattr("annotation.assignment.assignment_policy.WHOLE", 20)
    made = build_world(queries=3, candidates=20)
    Collection.objects.update(repeat_share=0.1, repeat_days=0)
    first, *others = [query.batches.get() for query in made.queries]
    type(first).objects.filter(pk__in=[batch.pk for batch in others]).update(priority=-1)
    sit(made["bo"], made["cy"])
    for pair in first.pairs.order_by("pk"):
        judge(made["bo"], pair, 2)
        judge(made["cy"], pair, 2)
    Repeat.objects.all().delete()
    Membership.objects.update(repeat_waits=False)
    return made


def repeat_in_hand(world: World) -> Repeat:
    """Bo asks for work and gets repeats; the first of them."""
    next_tasks(member=member(world))
    return Repeat.objects.filter(annotator=world["bo"], closed_at=None).order_by("pk")[0]


def answer(world: World, repeat: Repeat, grade: int, **more: Any) -> Any:
    return give_judgment(member=member(world), sent=graded(repeat.public_id, grade, **more))


class TestGiven:
    def test_a_seat_brings_the_share_of_repeats_under_ids_of_their_own(self, world: World) -> None:
        tasks = next_tasks(member=member(world))
        repeats = {
            str(repeat.public_id): repeat for repeat in Repeat.objects.select_related("pair__batch__query", "first")
        }
        assert len(repeats) == 2 and len(tasks) == 4
        shown = [task for task in tasks if task.pair in repeats]
        assert len(shown) == 2
        for task in shown:
            repeat = repeats[task.pair]
            assert task.query == repeat.pair.batch.query.text
            assert repeat.first.annotator_id == world["bo"].pk and repeat.first.pair_id == repeat.pair_id
            assert not Pair.objects.filter(public_id=task.pair).exists(), "the pair's own id would tell"

    def test_without_the_setting_there_are_none(self, world: World) -> None:
        Collection.objects.update(repeat_share=0)
        next_tasks(member=member(world))
        assert not Repeat.objects.exists()

    def test_only_after_the_days_that_the_collection_says(self, world: World) -> None:
        Collection.objects.update(repeat_days=7)
        next_tasks(member=member(world))
        assert not Repeat.objects.exists()

    def test_what_is_undecided_or_flagged_is_not_repeated(self, world: World) -> None:
        pairs = list(Pair.objects.filter(status="consensus").order_by("pk"))
        for pair in pairs[:-1]:
            Flag.objects.create(pair=pair, annotator=world["cy"], kind="clip")
        repeat = repeat_in_hand(world)
        assert Repeat.objects.count() == 1 and repeat.pair_id == pairs[-1].pk

    def test_they_stay_at_hand_in_every_answer_until_they_are_judged(self, world: World) -> None:
        bo = member(world)
        asked = next_tasks(member=bo)
        real = [task for task in asked if Pair.objects.filter(public_id=task.pair).exists()]
        given = give_judgment(member=bo, sent=graded(real[0].pair, 2))
        assert given.tasks is None, "looked up the longer way while a repeat waits"
        again = [task.pair for task in next_tasks(member=bo)]
        waiting = {str(public_id) for public_id in Repeat.objects.values_list("public_id", flat=True)}
        assert waiting <= set(again)
        for repeat in Repeat.objects.all():
            answer(world, repeat, 2)
        assert not member(world).repeat_waits
        pair = Pair.objects.filter(status="open", judgments=None, batch__seats__annotator=bo).first()
        assert pair is not None
        fast = give_judgment(member=member(world), sent=graded(pair.public_id, 2))
        assert fast.tasks is not None and len(fast.tasks) == 4, "the fast way again"

    def test_the_same_pair_is_repeated_once_at_most(self, world: World) -> None:
        seen: list[int] = []
        for _ in range(30):
            for repeat in Repeat.objects.filter(closed_at=None):
                answer(world, repeat, 2)
                seen.append(repeat.pair_id)
            sit_pairs = next_tasks(member=member(world))
            for task in sit_pairs:
                if Pair.objects.filter(public_id=task.pair).exists():
                    give_judgment(member=member(world), sent=graded(task.pair, 2))
        assert seen and len(seen) == len(set(seen))

    def test_repeats_come_before_the_batch_they_were_slipped_in_with(self, world: World) -> None:
        next_tasks(member=member(world))
        Repeat.objects.all().delete()
        for _ in range(17):
            pair = Pair.objects.filter(status="open", batch__seats__annotator=world["bo"]).exclude(
                judgments__annotator=world["bo"]
            )[0]
            judge(member(world), pair, 2)
        tasks = [task.pair for task in next_tasks(member=member(world))]
        own = [Repeat.objects.filter(public_id=pair).exists() for pair in tasks]
        assert own == [False, False, False, True], "what is left of the query first"

    def test_one_costs_the_same_after_any_number_of_judgments(
        self, world: World, django_assert_max_num_queries: Any
    ) -> None:
        assert LOOKED_AT == 40
        with django_assert_max_num_queries(20):
            next_tasks(member=member(world))


class TestAnswered:
    def test_it_is_kept_apart_and_changes_no_pair(self, world: World) -> None:
        repeat = repeat_in_hand(world)
        before = (Judgment.objects.count(), list(Pair.objects.order_by("pk").values_list("status", "grade", "version")))
        people = compute_people(world.collection)["partners"]
        assert answer(world, repeat, 4).outcome == "repeat"
        after = (Judgment.objects.count(), list(Pair.objects.order_by("pk").values_list("status", "grade", "version")))
        assert after == before
        assert RepeatAnswer.objects.get().grade == 4
        computed = compute_people(world.collection)
        assert computed["partners"] == people
        (bo,) = (person for person in computed["people"] if person["member"] == world["bo"].pk)
        assert (bo["self_agreement"]["repeats"], bo["self_agreement"]["difference"]) == (1, 2.0)

    def test_sent_twice_it_is_one_answer(self, world: World) -> None:
        repeat, key = repeat_in_hand(world), uuid.uuid4()
        assert answer(world, repeat, 4, key=key).outcome == "repeat"
        assert answer(world, repeat, 4, key=key).outcome == "already"
        assert RepeatAnswer.objects.get().grade == 4

    def test_graded_twice_the_first_grade_stands_and_the_second_key_takes_it_back(self, world: World) -> None:
        repeat, key = repeat_in_hand(world), uuid.uuid4()
        answer(world, repeat, 4)
        for _ in range(2):
            again = answer(world, repeat, 1, key=key)
            assert (again.outcome, again.stands) == ("second", 4)
            assert "Your grade 4 (perfect) counts" in again.message(world.collection)
        assert RepeatAnswer.objects.get(taken_back_at=None).grade == 4
        for _ in range(2):
            assert take_back_newest(member=member(world), key=key).pair == repeat.public_id
        assert not RepeatAnswer.objects.filter(taken_back_at=None).exists()
        assert answer(world, repeat, 3).outcome == "repeat"
        assert take_back_newest(member=member(world), key=key).pair == repeat.public_id
        assert RepeatAnswer.objects.get(taken_back_at=None).grade == 3, "which came after"

    def test_it_is_nobody_else_s(self, world: World) -> None:
        repeat = repeat_in_hand(world)
        with pytest.raises(Refused, match="isn't yours to judge"):
            give_judgment(member=member(world, "cy"), sent=graded(repeat.public_id, 2))

    def test_the_clip_has_to_be_seen_as_any_other(self, world: World) -> None:
        repeat = repeat_in_hand(world)
        Collection.objects.update(has_clips=True)
        with pytest.raises(Refused, match="Watch at least 80%"):
            answer(world, repeat, 2, played=0.5)
        Collection.objects.update(top_grade=3)
        with pytest.raises(Refused, match="from 0 to 3"):
            answer(world, repeat, 4, played=1.0)

    def test_what_is_refused_of_a_pair_is_refused_of_it_in_the_same_words(self, world: World) -> None:
        Factor.objects.create(collection=world.collection, key="action", place=1, name="Action", answers=["no", "yes"])
        repeat = repeat_in_hand(world)
        Collection.objects.update(factors_asked="every", has_clips=True, span_agreement=0.5)
        pair = Pair.objects.filter(status="open", batch__seats__annotator=world["bo"], judgments=None)[0]
        bad = [
            {"grade": 9, "span": [0, 0.1], "factors": {}, "played": 0.1},
            {"grade": 2, "span": [0, 0.1], "factors": {}, "played": 0.1},
            {"grade": 2, "span": [0, 0.1], "factors": {}, "played": 1.0},
            {"grade": 0, "span": [0, 0.1], "factors": {"action": 7}, "played": 1.0},
            {"grade": 2, "factors": {"action": 7}, "played": 1.0},
        ]

        def said(public_id: object, more: dict[str, Any]) -> str:
            with pytest.raises((Refused, ValueError)) as refusal:
                give_judgment(member=member(world), sent=graded(str(public_id), **more))
            return f"{type(refusal.value).__name__}: {refusal.value}"

        for more in bad:
            assert said(repeat.public_id, more) == said(pair.public_id, more)

    def test_a_key_is_one_answer_of_whatever_it_was(self, world: World) -> None:
        repeat, key = repeat_in_hand(world), uuid.uuid4()
        pair = Pair.objects.filter(status="open", batch__seats__annotator=world["bo"], judgments=None)[0]
        other = Repeat.objects.exclude(pk=repeat.pk).get()
        answer(world, repeat, 4, key=key)
        for public_id in (pair.public_id, other.public_id):
            with pytest.raises(Refused, match="belongs to another clip"):
                give_judgment(member=member(world), sent=graded(public_id, 2, key=key))

    def test_undo_takes_back_whatever_came_last(self, world: World) -> None:
        repeat = repeat_in_hand(world)
        answer(world, repeat, 4)
        assert take_back_newest(member=member(world)).pair == repeat.public_id
        assert next_tasks(member=member(world))[0].pair == str(repeat.public_id)
        answer(world, repeat, 3)
        assert [(answer.grade, answer.taken_back_at is None) for answer in RepeatAnswer.objects.order_by("pk")] == [
            (4, False),
            (3, True),
        ]
        pair = Pair.objects.filter(status="open", batch__seats__annotator=world["bo"], judgments=None).first()
        assert pair is not None
        judge(member(world), pair, 2)
        assert take_back_newest(member=member(world)).pair == pair.public_id

    def test_undo_by_key_can_be_sent_twice(self, world: World) -> None:
        repeat, key = repeat_in_hand(world), uuid.uuid4()
        answer(world, repeat, 4, key=key)
        for _ in range(2):
            assert take_back_newest(member=member(world), key=key).pair == repeat.public_id
        assert Repeat.objects.filter(closed_at=None).count() == 2

    def test_a_flag_is_about_the_pair_and_the_repeat_goes(self, world: World) -> None:
        repeat = repeat_in_hand(world)
        raise_flag(member=member(world), pair_id=repeat.public_id, kind="clip")
        assert Flag.objects.get().pair_id == repeat.pair_id
        assert str(repeat.public_id) not in [task.pair for task in next_tasks(member=member(world))]
        assert take_back_newest(member=member(world)) == TakenBack("flag", repeat.public_id)
        assert next_tasks(member=member(world))[0].pair == str(repeat.public_id), "it comes again as it came"

    def test_a_question_is_about_the_pair_and_is_answered_like_any_other(self, world: World, client_of: Any) -> None:
        def ask(public_id: object) -> Any:
            body = {"pair": str(public_id), "kind": "question", "note": "Does the hat count?"}
            sent = client_of(world["bo"].account).post(
                "/c/paper/judge/flag", json.dumps(body), content_type="application/json"
            )
            return sent.status_code, sent.json()["message"], sent.json()["tasks"][0]["pair"] == str(public_id)

        repeat = repeat_in_hand(world)
        pair = Pair.objects.filter(status="open", batch__seats__annotator=world["bo"]).order_by("pk").first()
        assert pair is not None
        # A refusal, or another order, would tell the one from the other.
        assert ask(repeat.public_id) == (200, "Your question is with the lead. You can grade the clip meanwhile.", True)
        assert Question.objects.get().pair_id == repeat.pair_id
        assert ask(pair.public_id)[:2] == ask(repeat.public_id)[:2]
        answer(world, repeat, 3)
        assert RepeatAnswer.objects.filter(repeat=repeat).exists()

    def test_it_is_work_and_is_paid_and_shown_as_such(self, world: World) -> None:
        before = own_progress(member(world))["today"]
        paid = work_days(world.collection, first=date.today(), last=date.today(), member=member(world))[0]
        answer(world, repeat_in_hand(world), 4, active_ms=1)
        assert own_progress(member(world))["today"] == before + 1
        more = work_days(world.collection, first=date.today(), last=date.today(), member=member(world))[0]
        assert more.judgments == paid.judgments + 1 and more.active > paid.active

    def test_no_stretch_of_time_is_work_on_two_repeats(self, world: World) -> None:
        next_tasks(member=member(world))
        first, second = Repeat.objects.order_by("pk")
        begun = Judgment.objects.filter(annotator=world["bo"]).latest("given_at").decided_at
        answer(world, first, 2, active_ms=900_000)
        answer(world, second, 2, active_ms=900_000)
        answers = RepeatAnswer.objects.order_by("pk")
        passed = (answers[1].decided_at - begun).total_seconds()
        assert sum(answer.active_seconds or 0.0 for answer in answers) <= passed + 0.001

    def test_the_page_s_answers_have_the_shape_of_any_other(self, world: World, client_of: Any) -> None:
        def send(public_id: object) -> Any:
            body = {"pair": str(public_id), "grade": 2, "key": str(uuid.uuid4()), "active_ms": 900}
            sent = client_of(world["bo"].account).post(
                "/c/paper/judge/grade", json.dumps(body), content_type="application/json"
            )
            return sent.status_code, sorted(sent.json()), sent.json()["message"], sorted(sent.json()["tasks"][0])

        repeat = repeat_in_hand(world)
        pair = Pair.objects.filter(status="open", batch__seats__annotator=world["bo"]).first()
        assert pair is not None
        assert send(repeat.public_id) == send(pair.public_id)


class TestTheSettings:
    @pytest.mark.parametrize(("said", "taken"), [("0.05", True), ("0", True), ("0.11", False), ("-0.01", False)])
    def test_the_share_is_small_or_none(self, world: World, said: str, taken: bool) -> None:
        if taken:
            assert configure(collection=world.collection, changes={"repeat_share": said}).repeat_share == float(said)
        else:
            with pytest.raises(SettingsRefused, match="repeat_share"):
                configure(collection=world.collection, changes={"repeat_share": said})


@given(st.floats(0, 0.1), st.integers(0, 40), st.floats(0.001, 0.999))
def test_as_many_as_the_share_says_and_never_one_too_many(share: float, pairs: int, chance: float) -> None:
    due = due_in(share, pairs, chance)
    assert share * pairs - 1 <= due <= share * pairs + 1


def test_the_lot_is_even() -> None:
    drawn = [dice(member, batch, "due") for member in range(20) for batch in range(50)]
    assert 0.45 < sum(drawn) / len(drawn) < 0.55
    assert sum(due_in(0.01, 20, chance) for chance in drawn) == pytest.approx(200, abs=45)
