"""Flags: a pair that something is wrong with waits for the lead and comes back, or goes."""

import json
import uuid
from typing import Any

import pytest

from annotation.assignment.next_tasks import next_tasks
from annotation.judging.flags import (
    answer_flag,
    answered_flags,
    open_flags,
    raise_flag,
    return_pair,
    withdraw_without_clip,
)
from annotation.models import Flag, Pair
from annotation.review.decisions import review_batch
from foundation.refused import Refused
from queries.models import Candidate
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


def flag(world: World, who: str, pair: Pair, kind: str = "clip", note: str = "") -> Flag:
    return raise_flag(member=world[who], pair_id=pair.public_id, kind=kind, note=note)


def pairs(world: World) -> list[Pair]:
    return list(world.batch.pairs.order_by("candidate__rank"))


def test_a_flagged_pair_is_sent_to_nobody_until_the_lead_has_answered(world: World) -> None:
    sit(world["bo"])
    held = pairs(world)[0]
    flagged = flag(world, "bo", held, note="black screen")
    for name in ("bo", "cy"):
        assert str(held.public_id) not in {task.pair for task in next_tasks(member=world[name])}
    answer_flag(member=world["ada"], flag_id=flagged.pk, outcome="returned", answer="It plays here.")
    assert str(held.public_id) in {task.pair for task in next_tasks(member=world["cy"])}


def test_a_second_flag_of_the_same_person_replaces_the_first(world: World) -> None:
    sit(world["bo"])
    first = flag(world, "bo", pairs(world)[0], "clip")
    again = flag(world, "bo", pairs(world)[0], "query", "who?")
    assert (first.pk, again.kind, again.note) == (again.pk, "query", "who?")
    assert Flag.objects.count() == 1


def test_the_lead_has_open_flags_with_their_captions_and_answered_ones_apart(world: World) -> None:
    sit(world["bo"])
    Candidate.objects.update(caption_text="A man sits.")
    waits, answered = (flag(world, "bo", pair) for pair in pairs(world)[:2])
    answer_flag(member=world["ada"], flag_id=answered.pk, outcome="returned")
    assert [(row.flag.pk, row.caption) for row in open_flags(world.collection)] == [(waits.pk, "A man sits.")]
    assert list(answered_flags(world.collection)) == [answered]


def test_withdrawing_a_pair_without_clip_again_changes_nothing(world: World) -> None:
    pair = pairs(world)[0]
    withdrawn = [withdraw_without_clip(member=world["ada"], pair_id=pair.pk) for _ in range(2)]
    assert [(one.pk, one.status) for one in withdrawn] == [(pair.pk, "withdrawn")] * 2
    assert Flag.objects.count() == 1


def test_a_pair_that_was_taken_out_doesn_t_hold_up_its_batch(db: None) -> None:
    world = build_world(candidates=25)
    sit(world["bo"], world["cy"])
    gone, *rest = pairs(world)
    flagged = flag(world, "bo", gone)
    for pair in rest:
        judge(world["bo"], pair, 2)
        judge(world["cy"], pair, 2)
    assert world.batch.status == "first"
    answer_flag(member=world["ada"], flag_id=flagged.pk, outcome="withdrawn")
    gone.refresh_from_db()
    assert (gone.status, gone.grade, world.batch.status) == ("withdrawn", None, "decided")
    late = judge(world["cy"], gone, 3)
    assert late.outcome == "late"


def test_a_withdrawal_can_be_undone_until_the_review(db: None) -> None:
    world = build_world(candidates=25)
    sit(world["bo"], world["cy"])
    for pair in pairs(world):
        judge(world["bo"], pair, 2)
        judge(world["cy"], pair, 3)
    pair = pairs(world)[0]
    answer_flag(member=world["ada"], flag_id=flag(world, "bo", pair).pk, outcome="withdrawn")
    assert Pair.objects.get(pk=pair.pk).status == "withdrawn"
    return_pair(member=world["ada"], pair_id=pair.pk)
    back = Pair.objects.get(pk=pair.pk)
    assert (back.status, back.grade, world.batch.status) == ("consensus", 3, "decided")
    review_batch(member=world["ada"], batch_id=world.batch.pk, decision="finish")
    late = flag(world, "cy", pair)
    with pytest.raises(Refused, match="was reviewed with the pair in it"):
        answer_flag(member=world["ada"], flag_id=late.pk, outcome="withdrawn")


def test_all_who_flagged_a_pair_get_the_same_answer(world: World) -> None:
    sit(world["bo"], world["cy"])
    pair = pairs(world)[0]
    one, other = flag(world, "bo", pair), flag(world, "cy", pair, "other")
    answer_flag(member=world["ada"], flag_id=one.pk, outcome="returned", answer="Look again.")
    other.refresh_from_db()
    assert (other.outcome, other.answer, other.answered_by) == ("returned", "Look again.", world["ada"])


def test_answering_again_the_same_way_is_no_error_and_another_way_is(world: World) -> None:
    sit(world["bo"])
    flagged = flag(world, "bo", pairs(world)[0])
    for _ in range(2):
        answer_flag(member=world["ada"], flag_id=flagged.pk, outcome="returned")
    with pytest.raises(Refused, match="answered already"):
        answer_flag(member=world["ada"], flag_id=flagged.pk, outcome="withdrawn")
    with pytest.raises(Refused, match="expected one of"):
        answer_flag(member=world["ada"], flag_id=flagged.pk, outcome="lost")
    with pytest.raises(Refused, match="no such flag"):
        answer_flag(member=world["ada"], flag_id=10**12, outcome="returned")


def test_who_never_sat_there_can_t_flag(world: World) -> None:
    with pytest.raises(Refused, match="isn't yours"):
        flag(world, "bo", pairs(world)[0])


def test_whoever_had_the_pair_at_hand_may_still_judge_it(world: World) -> None:
    sit(world["bo"], world["cy"])
    pair = pairs(world)[0]
    flag(world, "bo", pair)
    assert judge(world["cy"], pair, 2).outcome == "counted"


class TestThePages:
    def post(self, client: Any, path: str, **sent: Any) -> Any:
        return client.post(f"/c/paper/judge/{path}", json.dumps(sent), content_type="application/json")

    def test_from_the_annotator_s_key_to_the_answer_read(self, world: World, client_of: Any) -> None:
        bo, ada = client_of(world["bo"].account), client_of(world["ada"].account)
        task = self.post(bo, "next").json()["tasks"][0]
        answer = self.post(bo, "flag", pair=task["pair"], kind="query", note="Which red book?").json()
        assert answer["message"] == "Thank you. That clip waits for the lead now."
        assert task["pair"] not in {one["pair"] for one in answer["tasks"]}
        page = ada.get("/c/paper/flags/").content.decode()
        assert "Which red book?" in page and "query unclear" in page
        flagged = Flag.objects.get()
        sent = ada.post(f"/c/paper/flags/{flagged.pk}/answer", {"outcome": "returned", "answer": "Any red book."})
        assert sent.status_code == 302
        (notice,) = bo.get("/c/paper/judge/progress").json()["notices"]
        assert notice["text"] == "About a clip that you flagged: Any red book."
        assert self.post(bo, f"answers/{notice['id']}/read").status_code == 204
        assert bo.get("/c/paper/judge/progress").json()["notices"] == []

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"kind": "boring"}, "expected one of clip, query, other"),
            ({"pair": "7"}, "expected a UUID"),
            ({"note": 7}, "expected a text"),
            ({"note": "a\x00b"}, "expected a text"),
        ],
        ids=repr,
    )
    def test_a_malformed_flag_is_refused(self, world: World, client_of: Any, change: Any, said: str) -> None:
        bo = client_of(world["bo"].account)
        task = self.post(bo, "next").json()["tasks"][0]
        answer = self.post(bo, "flag", **({"pair": task["pair"], "kind": "clip", "note": ""} | change))
        assert answer.status_code == 400 and said in answer.content.decode()
        assert not Flag.objects.exists()

    def test_somebody_else_s_answer_can_t_be_read_away(self, world: World, client_of: Any) -> None:
        sit(world["bo"])
        flagged = flag(world, "bo", pairs(world)[0])
        answer_flag(member=world["ada"], flag_id=flagged.pk, outcome="returned", answer="Yes.")
        assert self.post(client_of(world["cy"].account), f"answers/{flagged.pk}/read").status_code == 204
        flagged.refresh_from_db()
        assert flagged.read_at is None

    def test_a_pair_of_another_collection_stays_out_of_reach(self, world: World, client_of: Any) -> None:
        other = build_world(name="other")
        ada = client_of(world["ada"].account)
        pair = other.batch.pairs.first()
        assert pair is not None
        Pair.objects.filter(pk=pair.pk).update(status="withdrawn")
        other["ada"].delete()
        ada.post(f"/c/paper/flags/pair/{pair.pk}/bring-back")
        assert Pair.objects.get(pk=pair.pk).status == "withdrawn"


def test_a_flag_of_nothing_is_refused(world: World) -> None:
    with pytest.raises(Refused, match="isn't yours to flag"):
        raise_flag(member=world["bo"], pair_id=uuid.uuid4(), kind="clip")
