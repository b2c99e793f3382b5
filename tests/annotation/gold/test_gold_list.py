"""The lead's list of gold: from finished queries, adjudicated pairs and files; its page and a person's."""

from io import BytesIO
from typing import Any

import pytest

from annotation.gold.gold_list import add_file, add_queries, gold_of, queries_to_add, remove_gold
from annotation.models import GoldPair, Pair, Repeat, RepeatAnswer, SetAside
from annotation.people.alerts import alerts_of
from annotation.people.gold_answers import gold_by_member
from annotation.people.gold_rule import drift, figures, last_good
from annotation.people.people_figures import NOTHING_YET, compute_people
from annotation.review.adjudication import adjudicate_pair
from corpus.description_formats import BadFile
from foundation.models import Collection, Membership
from foundation.refused import Refused
from tests.annotation.gold_worlds import gold_world, make_gold
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World


@pytest.fixture
def world(db: None) -> World:
    return gold_world()


def pairs_of(world: World, place: int) -> list[Pair]:
    return list(Pair.objects.filter(batch__query=world.queries[place]).order_by("pk"))


def answered(world: World, errors: list[int], name: str = "bo") -> list[RepeatAnswer]:
    """Gold of grade 2, answered with these errors."""
    pairs = [pair for place in range(3) for pair in pairs_of(world, place)]
    made = []
    for pair, error in zip(pairs, errors, strict=False):
        gold, _ = GoldPair.objects.get_or_create(
            pair=pair, defaults={"collection": world.collection, "grade": 2, "source": "lead", "added_by": world["ada"]}
        )
        repeat = Repeat.objects.create(pair=pair, annotator=world[name], gold=gold, closed_at=gold.added_at)
        made.append(
            RepeatAnswer.objects.create(
                repeat=repeat, annotator=world[name], grade=2 + error, key=repeat.public_id, decided_at=gold.added_at
            )
        )
    return made


class TestAdded:
    def test_finished_queries_become_gold_with_the_grades_that_people_agreed_on(self, world: World) -> None:
        assert [(query.pk, pairs) for query, pairs in queries_to_add(world.collection, 10)] == [
            (query.pk, 6) for query in world.queries[:3]
        ]
        assert add_queries(lead=world["ada"], queries=[world.queries[0].pk]) == 6
        gold = {one.pair_id: (one.grade, one.source) for one in GoldPair.objects.all()}
        assert gold == {pair.pk: (pair.grade, "decided") for pair in pairs_of(world, 0)}
        assert add_queries(lead=world["ada"], queries=[world.queries[0].pk]) == 0, "again adds nothing"
        assert len(queries_to_add(world.collection, 10)) == 2

    def test_an_adjudicated_pair_is_gold_with_the_lead_s_grade(self, world: World) -> None:
        pair = pairs_of(world, 0)[0]
        Pair.objects.filter(pk=pair.pk).update(status="discarded", grade=None)
        adjudicate_pair(member=world["ada"], pair_id=pair.pk, grade=4, reason="He waves.")
        other = pairs_of(world, 0)[1]
        Pair.objects.filter(pk=other.pk).update(status="discarded", grade=None)
        assert add_queries(lead=world["ada"], queries=[world.queries[0].pk]) == 5
        assert GoldPair.objects.get(pair=pair).source == "adjudicated" and GoldPair.objects.get(pair=pair).grade == 4
        assert not GoldPair.objects.filter(pair=other).exists()

    @pytest.mark.parametrize("which", [[3], [0, 3], [], ["other"]])
    def test_a_query_that_goes_on_adds_nothing(self, world: World, which: list[Any]) -> None:
        ids = [10**9 if place == "other" else world.queries[place].pk for place in which]
        with pytest.raises(Refused, match="every batch is finished"):
            add_queries(lead=world["ada"], queries=ids)
        assert not GoldPair.objects.exists()

    def test_a_file_names_pairs_by_public_id_or_number(self, world: World) -> None:
        one, two, three, *_ = pairs_of(world, 0)
        rows = f"pair_id,grade,explanation\n{one.public_id},4,He waves.\n{two.pk},0,\n"
        added = add_file(lead=world["ada"], file=BytesIO(rows.encode()), name="gold.csv")
        assert (added.added, added.unchanged) == (2, 0)
        again = f'{{"pair_id": "{one.public_id}", "grade": 4}}\n{{"pair_id": {three.pk}, "grade": 1}}\n'
        added = add_file(lead=world["ada"], file=BytesIO(again.encode()), name="gold.jsonl")
        assert (added.added, added.unchanged) == (1, 1)
        assert GoldPair.objects.get(pair=one).explanation == "He waves."

    @pytest.mark.parametrize(
        ("row", "wrong"),
        [
            ("{done},5,", "expected a whole number from 0 to 4"),
            ("{done},,", "grade"),
            ("{open},2,", "expected a decided pair of a finished batch"),
            ("12,2,", "expected a pair of paper"),
            ("nobody,2,", "expected a pair of paper"),
            ("{done},2,\n{done},2,", "expected each pair once; the first is line 2"),
            ("{gold},3,", "of which it is gold"),
        ],
    )
    def test_a_bad_row_is_named_and_nothing_is_added(self, world: World, row: str, wrong: str) -> None:
        gold = make_gold(world, 1)[0].pair
        open_pair, done = pairs_of(world, 4)[0], pairs_of(world, 0)[0]
        rows = f"pair_id,grade,explanation\n{row}\n".format(done=done.pk, open=open_pair.pk, gold=gold.pk)
        with pytest.raises(BadFile) as fault:
            add_file(lead=world["ada"], file=BytesIO(rows.encode()), name="gold.csv")
        assert wrong in str(fault.value) and "gold.csv" in str(fault.value) and "line" in str(fault.value)
        assert GoldPair.objects.count() == 6

    def test_an_empty_and_a_hostile_file_are_refused(self, world: World) -> None:
        for content in (b"", b"\x00\xff\xfe\x00" * 100, b"grade\n1\n"):
            with pytest.raises(BadFile, match=r"gold\.csv"):
                add_file(lead=world["ada"], file=BytesIO(content), name="gold.csv")

    def test_what_is_taken_off_is_given_no_more_and_its_answers_stay(self, world: World) -> None:
        made = make_gold(world, 0)
        answered(world, [1])
        assert remove_gold(lead=world["ada"], gold_ids=[made[0].pk, made[1].pk]) == 2
        assert remove_gold(lead=world["ada"], gold_ids=[made[0].pk]) == 0
        assert gold_of(world.collection).count() == 4 and RepeatAnswer.objects.count() == 1
        assert gold_by_member(world.collection)[world["bo"].pk]["overall"]["answered"] == 1


class TestFigures:
    def test_bias_interval_and_share_within_tolerance(self) -> None:
        found = figures([0, 1, 1, 2, 1], tolerance=1)
        assert found is not None and (found.answered, found.bias, found.within) == (5, 1.0, 0.8)
        assert found.low is not None and found.high is not None
        # By hand: 1 ± 2.776 * sqrt(0.5) / sqrt(5).
        assert (found.low, found.high) == (pytest.approx(0.122, abs=1e-3), pytest.approx(1.878, abs=1e-3))
        assert figures([], tolerance=1) is None
        single = figures([2], tolerance=1)
        assert single is not None and single.low is None

    def test_drift_is_found_in_either_direction_and_dated_to_where_it_began(self) -> None:
        steady = [0, 1, -1, 0, 0, 1, -1] * 20
        assert drift(steady).began is None
        late = drift([*steady, *[1] * 9])
        # The last error before is -1, after which the sum is 0.
        assert (late.began, late.lenient) == (140, True)
        harsh = drift([*steady, *[-1] * 12])
        assert harsh.began is not None and not harsh.lenient
        assert drift([25 * error for error in [0, 1, 0, -1]], scale=25).began is None

    def test_the_last_good_gold_lies_before_the_drift(self) -> None:
        assert last_good([3, 0, 3], tolerance=1) == 1
        assert last_good([0, 0, *[1] * 9], tolerance=1) == 1, "each within tolerance, and yet it drifts"
        assert last_good([], tolerance=1) is None is last_good([3, -3], tolerance=1)

    def test_an_alert_is_raised_at_the_bound_and_by_drift(self, world: World) -> None:
        answered(world, [0, 0, 0, 0, 0, 0, 0, 0, 2, -2])
        person = {"recent": NOTHING_YET, "gold": gold_by_member(world.collection)[world["bo"].pk]}
        assert alerts_of(person, pace=None) == [], "80 % is enough"
        answered_more = gold_by_member(world.collection)[world["bo"].pk]
        answered_more["recent"] |= {"within": 0.79}
        (alert,) = alerts_of({**person, "gold": answered_more}, pace=None)
        assert alert.kind == "gold" and "79 % of 10 gold pairs" in alert.reason
        RepeatAnswer.objects.update(grade=4)
        drifting = gold_by_member(world.collection)[world["bo"].pk]
        (alert,) = alerts_of({**person, "gold": drifting}, pace=None)
        assert "0 % of 10" in alert.reason and "lenient" in alert.reason
        few = {"recent": {"answered": 9, "within": 0.0}, "drift": {"began": None, "lenient": True}}
        assert alerts_of({"recent": NOTHING_YET, "gold": few}, pace=None) == []

    def test_people_s_figures_have_it_only_of_who_had_some(self, world: World, client_of: Any) -> None:
        sit(world["bo"])
        judge(world["bo"], Pair.objects.filter(batch__seats__annotator=world["bo"])[0], 2)
        answered(world, [1, 0])
        people = {person["member"]: person for person in compute_people(world.collection)["people"]}
        assert people[world["bo"].pk]["gold"]["overall"]["bias"] == 0.5
        assert people[world["bo"].pk]["gold"]["weeks"][0]["figures"]["answered"] == 2
        page = client_of(world["ada"].account).get("/c/paper/people/").content.decode()
        assert "Gold: bias" in page and "+0.50" in page
        for by in ("", "?by=week"):
            csv = client_of(world["ada"].account).get(f"/c/paper/people/csv{by}").content.decode().splitlines()
            assert csv[0].endswith("grade_4,gold_answered,gold_bias,gold_within") and any(
                "2,0.5,1.0" in row for row in csv
            )
        assert "gold" not in people[world["cy"].pk] and people[world["bo"].pk]["self_agreement"] is None


class TestPages:
    def test_the_list_is_the_lead_s_and_adds_and_removes(self, world: World, client_of: Any) -> None:
        ada = client_of(world["ada"].account)
        page = ada.get("/c/paper/gold/").content.decode()
        assert world.queries[0].text in page and "Make their pairs gold" in page
        sent = ada.post("/c/paper/gold/add", {"query": [world.queries[0].pk]}, follow=True)
        assert "6 pairs are gold now." in sent.content.decode() and "Not answered yet." in sent.content.decode()
        pair = pairs_of(world, 1)[0]
        sent = ada.post("/c/paper/gold/add", {"rows": f"pair_id,grade\n{pair.pk},3\n"}, follow=True)
        assert "1 pair is gold now." in sent.content.decode()
        sent = ada.post("/c/paper/gold/add", {"rows": "pair_id,grade\n1,9\n"})
        assert sent.status_code == 400 and "whole number from 0 to 4" in sent.content.decode()
        assert ada.post("/c/paper/gold/add", {}).status_code == 400
        gold = GoldPair.objects.get(pair=pair)
        ada.post(f"/c/paper/gold/{gold.pk}/remove")
        assert GoldPair.objects.get(pk=gold.pk).removed_by_id == world["ada"].pk
        for name in ("bo", "cy"):
            assert client_of(world[name].account).get("/c/paper/gold/").status_code in (403, 404)

    def test_grades_and_bias_are_on_the_collection_s_scale(self, world: World, client_of: Any) -> None:
        Collection.objects.update(top_grade=100, grade_step=20)
        ada, pair = client_of(world["ada"].account), pairs_of(world, 1)[0]
        sent = ada.post("/c/paper/gold/add", {"rows": f"pair_id,grade\n{pair.pk},30\n"})
        assert sent.status_code == 400 and "from 0 to 100 in steps of 20" in sent.content.decode()
        sent = ada.post("/c/paper/gold/add", {"rows": f"pair_id,grade\n{pair.pk},80\n"}, follow=True)
        assert '<span class="chip grade-3">80</span>' in sent.content.decode()
        answered(world, [38])
        gaps = ada.get(f"/c/paper/people/{world['bo'].pk}/gold/").context["chart"].gaps
        assert [value for value, _ in gaps] == ["+50", "+25", "0", "−25", "−50"]

    def test_a_person_s_page_shows_answers_and_opens_judgments_again(self, world: World, client_of: Any) -> None:
        ada, bo = client_of(world["ada"].account), world["bo"]
        address = f"/c/paper/people/{bo.pk}/gold/"
        assert "No gold was answered yet." in ada.get(address).content.decode()
        good, *_ = answered(world, [0, 2, -2])
        sit(bo)
        for pair in Pair.objects.filter(batch__seats__annotator=bo).order_by("pk")[:3]:
            judge(Membership.objects.select_related("collection").get(pk=bo.pk), pair, 2)
        page = ada.get(address).content.decode()
        assert "Open 3 judgments again" in page and "95 % interval" in page and "the last good one, " in page
        refused = ada.post(f"{address}set-aside", {"since": good.pk, "seen": 2, "reason": "Gold missed."})
        assert refused.status_code == 400 and "number has changed" in refused.content.decode()
        assert ada.post(f"{address}set-aside", {"since": good.pk, "seen": 3}).status_code == 400
        done = ada.post(f"{address}set-aside", {"since": good.pk, "seen": 3, "reason": "Gold missed."}, follow=True)
        assert "3 judgments are out of consensus" in done.content.decode()
        decision = SetAside.objects.get()
        assert decision.since == good.given_at
        done = ada.post(f"/c/paper/set-aside/{decision.pk}/withdraw", follow=True)
        assert "3 judgments count again." in done.content.decode()
        assert ">+2</text>" in done.content.decode(), "the chart's axis"
        Collection.objects.update(top_grade=100)
        assert ">+50</text>" in ada.get(address).content.decode()
