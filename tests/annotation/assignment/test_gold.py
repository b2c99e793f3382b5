"""Gold: like any other pair to who judges it, of a known grade to the lead, and never a judgment to anybody."""

import json
import uuid
from typing import Any

import pytest
from django.utils import timezone

from annotation.assignment import gold
from annotation.assignment.gold import offered_gold
from annotation.assignment.next_tasks import next_tasks
from annotation.assignment.slipped_in_rule import Look, OfferedGold, looks_like
from annotation.judging import even_time
from annotation.judging.flags import answer_flag, raise_flag
from annotation.judging.judgments import give_judgment
from annotation.judging.progress import own_progress
from annotation.judging.undo import take_back_newest
from annotation.models import Flag, GoldPair, Judgment, Pair, Repeat, RepeatAnswer, WorkedItem
from annotation.people.content_choices import choose_content
from annotation.people.timesheet import work_days
from corpus.content.marks import mark_video
from corpus.models import Description, Moment, Video
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.models import Candidate
from tests.annotation.gold_worlds import gold_world, make_exam_gold, make_gold, member
from tests.annotation.judging_steps import graded, judge
from tests.conftest import World


@pytest.fixture
def world(db: None, monkeypatch: pytest.MonkeyPatch) -> World:
    """Gold is due with every seat, and the first query is gold."""
    monkeypatch.setattr(gold, "due_in", lambda share, pairs, chance: 1)
    made = gold_world()
    make_gold(made, 0)
    return made


def waiting(world: World, name: str = "bo") -> list[Repeat]:
    """What was slipped in for somebody who asks for work."""
    next_tasks(member=member(world, name))
    repeats = Repeat.objects.filter(annotator=world[name], closed_at=None)
    return list(repeats.select_related("pair", "gold").order_by("pk"))


def offered(world: World, name: str = "bo") -> list[OfferedGold]:
    return offered_gold(member(world, name), timezone.now())


def answer(world: World, repeat: Repeat, grade: int, **more: Any) -> Any:
    return give_judgment(member=member(world), sent=graded(repeat.public_id, grade, **more))


def real_pair(world: World, name: str = "bo") -> Pair:
    pairs = Pair.objects.filter(status="open", batch__seats__annotator=world[name])
    return pairs.exclude(judgments__annotator=world[name]).order_by("pk")[0]


class TestGiven:
    def test_a_sitting_of_gold_is_as_long_as_a_real_one_and_all_of_one_query(self, world: World) -> None:
        given = waiting(world)
        assert len(given) == 6 and {repeat.pair.batch.query_id for repeat in given} == {world.queries[0].pk}
        assert all(repeat.gold is not None and repeat.first_id is None for repeat in given)
        tasks = next_tasks(member=member(world), ahead=40)
        mine = [task for task in tasks if task.pair in {str(repeat.public_id) for repeat in given}]
        assert len(mine) == 6 and mine == tasks[: len(mine)], "in one stretch"
        assert not Pair.objects.filter(public_id__in=[task.pair for task in mine]).exists()

    def test_without_the_setting_there_is_none(self, world: World) -> None:
        Collection.objects.update(gold_share=0)
        assert waiting(world) == []

    def test_a_query_with_too_little_gold_gives_none_since_a_shorter_sitting_would_tell(self, world: World) -> None:
        removed = GoldPair.objects.order_by("pk")[0]
        GoldPair.objects.filter(pk=removed.pk).update(removed_at=removed.added_at, removed_by=world["ada"])
        assert waiting(world) == []

    def test_gold_that_somebody_avoids_keeps_no_other_from_coming(self, world: World) -> None:
        video = Video.objects.create(collection=world.collection, name="violent", duration=1000)
        for place, repeat in enumerate(waiting(world)):
            moment = Moment.objects.create(video=video, start=place, end=place + 1)
            Candidate.objects.filter(pair=repeat.pair).update(moment=moment)
        mark_video(video=video, content="violence", minimum_age="")
        choose_content(member=member(world), avoids=["violence"], age=0)
        make_gold(world, 1)
        for _ in range(6):
            judge(member(world), real_pair(world), 2)
        given = waiting(world)
        assert len(given) == 12, "six wait for as long as they are avoided"
        mine = {str(repeat.public_id): repeat.pair.batch.query_id for repeat in given}
        tasks = [task.pair for task in next_tasks(member=member(world), ahead=40) if task.pair in mine]
        assert {mine[task] for task in tasks} == {world.queries[1].pk} and len(tasks) == 6

    def test_never_twice_the_same(self, world: World) -> None:
        for repeat in waiting(world):
            answer(world, repeat, 2)
        for _ in range(6):
            judge(member(world), real_pair(world), 2)
        assert waiting(world) == []

    def test_who_judged_a_pair_never_gets_it(self, world: World) -> None:
        assert len(offered(world)) == 6 and offered(world, "cy") == []
        Judgment.objects.filter(annotator=world["cy"]).update(counted=False, uncounted_because="taken-back")
        assert offered(world, "cy") == [], "taken back or not"

    def test_nor_who_judged_it_in_a_study(self, world: World) -> None:
        study = Collection.objects.create(name="pilot", title="Pilot", study_of=world.collection, purpose="pilot")
        Membership.objects.filter(pk=world["cy"].pk).update(collection=study, account=world["bo"].account_id)
        assert offered(world) == []

    def test_nor_one_whose_query_is_judged_reviewed_barred_or_in_another_language(self, world: World) -> None:
        batch = world.queries[0].batches.get()
        for status in ("first", "second", "decided"):
            type(batch).objects.filter(pk=batch.pk).update(status=status)
            assert offered(world) == []
        type(batch).objects.filter(pk=batch.pk).update(status="finished")
        Description.objects.update(language="en")
        Membership.objects.filter(pk=world["bo"].pk).update(languages=["de"])
        assert offered(world) == []
        Membership.objects.filter(pk=world["bo"].pk).update(languages=[])
        world.queries[0].assignments.create(annotator=world["bo"], rule="barred")
        assert offered(world) == []

    def test_nor_one_that_is_undecided_flagged_or_practised(self, world: World) -> None:
        one, other, third, *_ = Pair.objects.filter(gold__isnull=False).order_by("pk")
        Pair.objects.filter(pk=one.pk).update(status="open", grade=None)
        Flag.objects.create(pair=other, annotator=world["cy"], kind="clip")
        WorkedItem.objects.create(
            collection=world.collection,
            use="practice",
            description=world.queries[5].description,
            query=world.queries[0].text,
            moment_id=third.candidate.moment_id,
        )
        assert {gold.pair for gold in offered(world)}.isdisjoint({one.pk, other.pk, third.pk})
        assert len(offered(world)) == 3

    def test_the_draw_takes_queries_met_as_often_and_is_the_same_each_time(self) -> None:
        some = [OfferedGold(n, n, f"p{n}", query=n // 4, met=n // 4 % 2, ago=n // 4 % 2) for n in range(32)]
        new = looks_like(some, Look(3, 0, 0), lot=7)
        assert len(new) == 3 and len({gold.query for gold in new}) == 1 and new[0].met == 0
        assert new == looks_like(some[::-1], Look(3, 0, 0), lot=7)
        assert looks_like(some, Look(3, 1, 1), lot=7)[0].met == 1
        for none in (Look(5, 0, 0), Look(1, 2, 1), Look(1, 1, 2)):
            assert looks_like(some, none, lot=7) == []


class TestAnswered:
    def test_it_is_kept_apart_paid_and_counted_as_work(self, world: World) -> None:
        repeat, *_ = waiting(world)
        day = repeat.slipped_in_at.date()
        before = (Judgment.objects.count(), list(Pair.objects.order_by("pk").values_list("status", "grade", "version")))
        told = own_progress(member(world))["today"]
        assert answer(world, repeat, 4, active_ms=1).outcome == "repeat"
        after = (Judgment.objects.count(), list(Pair.objects.order_by("pk").values_list("status", "grade", "version")))
        assert after == before and own_progress(member(world))["today"] == told + 1
        (worked,) = work_days(world.collection, first=day, last=day, member=member(world))
        assert worked.judgments == 1 and worked.active > 0

    def test_it_is_nobody_else_s_and_a_key_is_one_answer(self, world: World) -> None:
        repeat, other, *_ = waiting(world)
        with pytest.raises(Refused, match="isn't yours to judge"):
            give_judgment(member=member(world, "ed"), sent=graded(repeat.public_id, 2))
        key = uuid.uuid4()
        assert [answer(world, repeat, grade, key=key).outcome for grade in (4, 1)] == ["repeat", "already"]
        assert RepeatAnswer.objects.get().grade == 4
        second = answer(world, repeat, 1)
        assert (second.outcome, second.stands) == ("second", 4), "as of a second tab"
        for public_id in (other.public_id, real_pair(world).public_id):
            with pytest.raises(Refused, match="belongs to another clip"):
                give_judgment(member=member(world), sent=graded(public_id, 2, key=key))

    def test_undo_brings_it_back_first(self, world: World) -> None:
        repeat = waiting(world)[2]
        answer(world, repeat, 4)
        assert take_back_newest(member=member(world)).pair == repeat.public_id
        assert next_tasks(member=member(world))[0].pair == str(repeat.public_id)

    def test_a_flag_goes_to_the_lead_and_what_is_returned_comes_again(self, world: World) -> None:
        repeat, *_ = waiting(world)
        raise_flag(member=member(world), pair_id=repeat.public_id, kind="query", note="Which man?")
        flag = Flag.objects.get()
        assert flag.pair_id == repeat.pair_id
        assert repeat.public_id not in {uuid.UUID(task.pair) for task in next_tasks(member=member(world), ahead=40)}
        assert offered(world, "ed") == [gold for gold in offered(world, "ed") if gold.pair != repeat.pair_id]
        answer_flag(member=member(world, "ada"), flag_id=flag.pk, outcome="returned", answer="The one with the hat.")
        assert next_tasks(member=member(world))[0].pair == str(repeat.public_id)

    def test_a_flag_taken_back_brings_it_again(self, world: World) -> None:
        repeat, *_ = waiting(world)
        raise_flag(member=member(world), pair_id=repeat.public_id, kind="clip")
        assert take_back_newest(member=member(world)).pair == repeat.public_id
        assert next_tasks(member=member(world))[0].pair == str(repeat.public_id)


class TestTold:
    def test_never_means_that_nothing_is_told(self, world: World) -> None:
        assert [answer(world, repeat, 2).known for repeat in waiting(world)] == [""] * 6
        assert not RepeatAnswer.objects.exclude(told_at=None).exists()

    def test_at_once_tells_the_whole_sitting_with_its_last_answer(self, world: World) -> None:
        Collection.objects.update(gold_feedback="at-once")
        GoldPair.objects.filter(grade=3).update(explanation="The hat is missing.")
        given = waiting(world)
        keys = [uuid.uuid4() for _ in given]
        told = [answer(world, repeat, 2, key=key).known for repeat, key in zip(given, keys, strict=True)]
        assert told[:5] == [""] * 5, "the rest of the sitting would be known for gold"
        assert told[5].startswith(f"The grades of your last clips for “{world.queries[0].text}” were known.")
        assert told[5].count("You: 2, known:") == 6 and "The hat is missing." in told[5]
        assert answer(world, given[5], 2, key=keys[5]).known == told[5], "a lost answer is told again"
        with pytest.raises(Refused, match="you were told the known one"):
            take_back_newest(member=member(world))
        assert RepeatAnswer.objects.filter(taken_back_at=None).count() == 6


class TestNotToBeTold:
    """Nothing that is sent tells gold from others."""

    @pytest.fixture(params=[make_gold, make_exam_gold])
    def tasks(self, db: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> World:
        monkeypatch.setattr(gold, "due_in", lambda share, pairs, chance: 1)
        made = gold_world(clips=True, span_agreement=0.5)
        request.param(made, *([0] if request.param is make_gold else ["ed"]))
        return made

    def test_answers_to_all_that_can_be_sent_are_the_same(self, tasks: World, client_of: Any) -> None:
        client = client_of(tasks["bo"].account)

        def send(what: str, public_id: object, **body: Any) -> Any:
            sent = client.post(
                f"/c/paper/judge/{what}",
                json.dumps({"pair": str(public_id), "key": str(uuid.uuid4()), **body}),
                content_type="application/json",
            )
            told = sent.json() if sent.headers["Content-Type"] == "application/json" else sent.content
            own = ("Content-Length", "X-Request-ID")
            headers = {name: value for name, value in sent.headers.items() if name not in own}
            if sent.status_code in (200, 409):
                told = [sorted(told), told["message"], {tuple(task) for task in told["tasks"]}]
            return sent.status_code, headers, told

        repeat, flagged, asked, *_ = waiting(tasks)
        pair = real_pair(tasks)
        others = [real for real in pair.batch.pairs.order_by("pk") if real.pk != pair.pk]
        for bodies in (
            {"grade": 2, "played": 0.1},
            {"grade": 9, "played": 1},
            {"grade": 0, "played": 1, "span": [0, 1]},
            {"grade": "2"},
        ):
            assert send("grade", repeat.public_id, **bodies) == send("grade", pair.public_id, **bodies)
        for what, one, other, body in (
            ("flag", flagged, others[0], {"kind": "clip"}),
            ("flag", asked, others[1], {"kind": "question", "note": "Does the hat count?"}),
            ("flag", asked, others[1], {"kind": "no such kind"}),
        ):
            assert send(what, one.public_id, **body) == send(what, other.public_id, **body)
        graded = [send("grade", public_id, grade=2, played=1) for public_id in (repeat.public_id, pair.public_id)]
        assert graded[0] == graded[1]
        again = [send("grade", public_id, grade=3, played=1) for public_id in (repeat.public_id, pair.public_id)]
        assert again[0] == again[1] and "Your grade 2" in again[0][2][1], "as from a second tab"
        undone = [send("undo", repeat.public_id), send("undo", repeat.public_id)]
        assert undone[0] == undone[1]

    def test_every_answer_goes_the_same_way_and_leaves_at_the_same_beat(
        self, tasks: World, client_of: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock, slept = iter(float(n) / 100 for n in range(1000)), []
        monkeypatch.setattr(even_time.time, "monotonic", lambda: next(clock))
        monkeypatch.setattr(even_time.time, "sleep", slept.append)
        client = client_of(tasks["bo"].account)
        for public_id in (waiting(tasks)[0].public_id, real_pair(tasks).public_id):
            body = {"pair": str(public_id), "grade": 2, "played": 1, "key": str(uuid.uuid4())}
            sent = client.post("/c/paper/judge/grade", json.dumps(body), content_type="application/json")
            assert sent.status_code == 200
        assert slept == [pytest.approx(even_time.BEAT - 0.01)] * 2
        Repeat.objects.update(closed_at=timezone.now())
        Membership.objects.update(repeat_waits=False)
        result = judge(member(tasks), real_pair(tasks), 2, played=1.0)
        assert result.tasks is None, "the longer way also where nothing waits"

    def test_a_clip_of_gold_is_served_as_any_other(self, tasks: World) -> None:
        given = {str(repeat.public_id) for repeat in waiting(tasks)}
        told = next_tasks(member=member(tasks), ahead=40)
        names = {task.pair in given: (task.clip is None, len(task.clip or ""), task.narrative) for task in told}
        assert names[True] == names[False] and names[True][0] is False

    def test_what_is_at_hand_is_as_many_with_gold_as_without(self, tasks: World) -> None:
        with_gold = len(next_tasks(member=member(tasks), ahead=10))
        assert Repeat.objects.exists() and with_gold == 10
