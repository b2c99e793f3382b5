"""A model of judging, with every event that a collection can meet: what was done, beside what is stored."""

import uuid
from collections import Counter
from typing import Any

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from annotation.assignment.next_tasks import keep_seats, leave_seats, next_tasks
from annotation.consensus import PAPER, needed_in, state_of
from annotation.gold.set_aside import judgments_since, set_aside, withdraw_set_aside
from annotation.judging.flags import answer_flag, raise_flag, return_pair
from annotation.judging.judgments import give_judgment
from annotation.judging.requests import NewJudgment
from annotation.judging.undo import take_back_newest
from annotation.models import Batch, Flag, Judgment, Pair, Repeat, RepeatAnswer, Review, SetAside
from annotation.review.decisions import review_batch, take_back_review
from annotation.review.selectors import review_queue
from foundation.models import Collection, Membership
from foundation.refused import Refused
from tests.annotation.judging_steps import graded, let_seats_expire
from tests.conftest import World, build_world

PEOPLE = ("bo", "cy", "di", "ed", "flo")
people = st.sampled_from(PEOPLE)
grades = st.integers(0, 4)
happened: Counter[str] = Counter()
"""The events so far, by name."""


class Judging(RuleBasedStateMachine):
    """The model is what was done: who judged which pair how, in order, and what was taken back or withdrawn."""

    world: World

    def __init__(self) -> None:
        super().__init__()
        self.undone_after = transaction.atomic()
        self.undone_after.__enter__()
        self.given: dict[str, list[tuple[str, int]]] = {}
        self.withdrawn: set[str] = set()
        self.in_hand: dict[str, list[str]] = {name: [] for name in PEOPLE}
        self.last: dict[str, list[str]] = {name: [] for name in PEOPLE}
        self.keys: list[tuple[str, NewJudgment]] = []
        self.repeated: set[str] = set()
        self.aside: dict[str, tuple[int, str, int]] = {}
        self.out: set[tuple[str, str]] = set()
        self.judged_since: set[str] = set()

    def teardown(self) -> None:
        try:
            self.bring_to_its_end()
        finally:
            transaction.set_rollback(True)
            self.undone_after.__exit__(None, None, None)

    @initialize(queries=st.integers(1, 2), candidates=st.sampled_from([1, 1, 2, 2, 21]))
    def open(self, queries: int, candidates: int) -> None:
        self.world = build_world(queries=queries, candidates=candidates)
        Collection.objects.filter(pk=self.world.collection.pk).update(repeat_share=0.1, repeat_days=0)

    def member(self, name: str) -> Membership:
        return Membership.objects.select_related("collection").get(pk=self.world[name].pk)

    def model_state(self, pair: str) -> tuple[str, int | None]:
        if pair in self.withdrawn:
            return "withdrawn", None
        return state_of([grade for _, grade in self.given.get(pair, [])], PAPER)

    @rule(who=people)
    def ask(self, who: str) -> None:
        tasks = next_tasks(member=self.member(who))
        held = {str(pair) for pair in Flag.objects.filter(answered_at=None).values_list("pair__public_id", flat=True)}
        again = {
            str(repeat.public_id): repeat for repeat in Repeat.objects.filter(annotator=self.world[who], closed_at=None)
        }
        for task in tasks:
            if task.pair in again:
                assert again[task.pair].first.annotator_id == self.world[who].pk, "a repeat is of one's own"
                continue
            judges = [name for name, _ in self.given.get(task.pair, [])]
            assert who not in judges, "nobody is sent a pair twice"
            assert self.model_state(task.pair)[0] in ("open", "disputed"), "nor a decided one"
            assert task.pair not in held, "nor one that waits for the lead"
        if self.member(who).status == "paused":
            assert tasks == []
        assert len({task.pair for task in tasks}) == len(tasks) <= 4
        self.in_hand[who] = [*dict.fromkeys([*self.in_hand[who], *(task.pair for task in tasks)])]

    @rule(who=people, grade=grades, place=st.integers(0, 50))
    def judge(self, who: str, grade: int, place: int) -> None:
        if not self.in_hand[who]:
            self.ask(who)
        if not self.in_hand[who]:
            return
        pair = self.in_hand[who].pop(place % len(self.in_hand[who]))
        sent = graded(pair, grade)
        before = self.model_state(pair)[0]
        judged = [name for name, _ in self.given.get(pair, [])]
        kept = give_judgment(member=self.member(who), sent=sent).outcome
        happened[kept] += 1
        self.keys.append((who, sent))
        if Repeat.objects.filter(public_id=pair).exists():
            assert kept == ("second" if pair in self.repeated else "repeat")
            if kept == "repeat":
                self.repeated.add(pair)
                self.last[who].append(pair)
            else:
                self.came_last(who, pair)
            return
        self.judged_since.add(pair)
        if who in judged or (who, pair) in self.out:
            assert kept in ("second", "already")
            if who in judged:
                self.came_last(who, pair)
        elif before in ("open", "disputed") and len(judged) < needed_in(before):
            assert kept == "counted"
            self.given.setdefault(pair, []).append((who, grade))
            self.last[who].append(pair)
        else:
            assert kept == "late"

    @rule(shift=st.integers(0, 4), apart=st.sampled_from([0, 1, 2, 4]))
    def all_judge(self, shift: int, apart: int) -> None:
        """Everybody one pair; where their grades are apart a second round begins, and pairs are discarded."""
        for place in range(len(PEOPLE)):
            self.judge(PEOPLE[(place + shift) % len(PEOPLE)], place % 2 * apart, 0)

    @precondition(lambda self: self.keys)
    @rule(place=st.integers(0, 1000))
    def send_again(self, place: int) -> None:
        who, sent = self.keys[place % len(self.keys)]
        assert give_judgment(member=self.member(who), sent=sent).outcome in ("already", "late", "second")
        happened["sent again"] += 1

    def came_last(self, who: str, what: str) -> None:
        self.last[who] = [*(before for before in self.last[who] if before != what), what]

    @rule(who=people)
    def undo(self, who: str) -> None:
        judgments = [
            pair
            for pair in self.last[who]
            if pair.startswith("flag ")
            or pair in self.repeated
            or who in [name for name, _ in self.given.get(pair, [])]
        ]
        if not judgments:
            with pytest.raises(Refused, match="nothing to take back"):
                take_back_newest(member=self.member(who))
            return
        pair = judgments[-1]
        if pair.startswith("flag "):
            flag = Flag.objects.select_related("pair").get(pk=pair.split()[1])
            if flag.answered_at is not None:
                with pytest.raises(Refused, match="the lead has answered it"):
                    take_back_newest(member=self.member(who))
                return
            assert take_back_newest(member=self.member(who)).what == "flag"
            assert not Flag.objects.filter(pk=flag.pk).exists()
            self.last[who].remove(pair)
            return
        if pair in self.repeated:
            assert str(take_back_newest(member=self.member(who)).pair) == pair
            happened["undo of a repeat"] += 1
            self.repeated.discard(pair)
            self.last[who].remove(pair)
            self.in_hand[who].append(pair)
            return
        reviewed = Review.objects.filter(batch__pairs__public_id=pair).exists()
        overtaken = self.given[pair][-1][0] != who
        if reviewed or overtaken or pair in self.withdrawn:
            with pytest.raises(Refused, match="Your last judgment stands"):
                take_back_newest(member=self.member(who))
            happened["undo refused"] += 1
            return
        assert str(take_back_newest(member=self.member(who)).pair) == pair
        happened["undo"] += 1
        self.given[pair].pop()
        self.last[who].remove(pair)
        self.in_hand[who].append(pair)

    @rule(who=people)
    def silence(self, who: str) -> None:
        let_seats_expire(annotator=self.world[who])

    @rule(who=people)
    def sign_of_life(self, who: str) -> None:
        keep_seats(member=self.member(who))

    @rule(who=people)
    def leave(self, who: str) -> None:
        leave_seats(member=self.member(who))

    @rule(who=people, place=st.integers(0, 50), kind=st.sampled_from(["clip", "query", "other"]))
    def flag(self, who: str, place: int, kind: str) -> None:
        if self.in_hand[who]:
            pair = self.in_hand[who][place % len(self.in_hand[who])]
            flag = raise_flag(member=self.member(who), pair_id=uuid.UUID(pair), kind=kind)
            self.came_last(who, f"flag {flag.pk}")

    @rule(outcome=st.sampled_from(["returned", "returned", "withdrawn"]))
    def answer(self, outcome: str) -> None:
        flag = Flag.objects.filter(answered_at=None).select_related("pair").order_by("pk").first()
        if flag is None:
            return
        pair = str(flag.pair.public_id)
        reviewed = Review.objects.filter(batch__pairs=flag.pair).exists()
        if outcome == "withdrawn" and reviewed:
            with pytest.raises(Refused, match="was reviewed with the pair in it"):
                answer_flag(member=self.world["ada"], flag_id=flag.pk, outcome=outcome)
            happened["withdrawal refused"] += 1
            outcome = "returned"
        answer_flag(member=self.world["ada"], flag_id=flag.pk, outcome=outcome)
        if outcome == "withdrawn":
            happened["withdrawn"] += 1
            self.withdrawn.add(pair)

    @precondition(lambda self: self.withdrawn)
    @rule()
    def bring_back(self) -> None:
        pair = sorted(self.withdrawn)[0]
        row = Pair.objects.get(public_id=pair)
        if Review.objects.filter(batch=row.batch).exists():
            with pytest.raises(Refused, match="has been reviewed since"):
                return_pair(member=self.world["ada"], pair_id=row.pk)
            happened["return refused"] += 1
            return
        return_pair(member=self.world["ada"], pair_id=row.pk)
        happened["brought back"] += 1
        self.withdrawn.discard(pair)

    @rule(who=people, status=st.sampled_from(["paused", "admitted", "admitted"]))
    def pause(self, who: str, status: str) -> None:
        Membership.objects.filter(pk=self.world[who].pk).update(status=status)

    @rule(decision=st.sampled_from(["extend", "finish"]))
    def review(self, decision: str) -> None:
        batch = review_queue(self.world.collection).first()
        if batch is not None:
            review_batch(member=self.world["ada"], batch_id=batch.pk, decision=decision)
            happened[Review.objects.get(batch=batch).decision] += 1

    @precondition(lambda self: Review.objects.exists())
    @rule(place=st.integers(0, 5))
    def take_review_back(self, place: int) -> None:
        reviews = list(Review.objects.select_related("batch").order_by("pk"))
        review = reviews[place % len(reviews)]
        following = Batch.objects.filter(query=review.batch.query_id, number=review.batch.number + 1).first()
        asked = {"member": self.world["ada"], "batch_id": review.batch_id, "review_id": review.pk}
        if following is not None and following.begun_at is not None:
            with pytest.raises(Refused, match="next batch is being judged already"):
                take_back_review(**asked)
            happened["taking back refused"] += 1
            return
        take_back_review(**asked)
        happened["review taken back"] += 1
        assert Batch.objects.get(pk=review.batch_id).status == "decided"

    @precondition(lambda self: self.given and not self.out)
    @rule(who=people, finished=st.booleans())
    def put_aside(self, who: str, finished: bool) -> None:
        """All that somebody has judged; only once, or nobody would be left to judge it."""
        member, ada = self.member(who), self.world["ada"]
        found = judgments_since(member, None)
        taken = [*found.going_on, *(found.finished if finished else [])]
        mine = [pair for pair, given in self.given.items() if who in [name for name, _ in given]]
        assert len(found.going_on) + len(found.finished) + found.stay == len(mine)
        happened["stays"] += found.stay
        if not taken:
            return
        finishes = Review.objects.filter(batch__in=[batch for _, batch, _ in taken], decision="finish").count()
        set_aside(lead=ada, member_id=member.pk, since=None, reason="Gold.", seen=len(taken), finished=finished)
        happened["set aside"] += len(taken)
        happened["finish taken back"] += finishes
        for judgment in Judgment.objects.filter(pk__in=[pk for pk, _, _ in taken]).select_related("pair"):
            pair = str(judgment.pair.public_id)
            place = [name for name, _ in self.given[pair]].index(who)
            self.aside[pair] = (place, *self.given[pair].pop(place))
            self.out.add((who, pair))
        self.judged_since = set()

    @precondition(lambda self: self.aside)
    @rule()
    def let_count_again(self) -> None:
        decision = SetAside.objects.get()
        reviewed = set(Review.objects.values_list("batch__pairs__public_id", flat=True))
        again = {
            pair
            for pair in self.aside
            if pair not in self.judged_since | self.withdrawn and uuid.UUID(pair) not in reviewed
        }
        made = withdraw_set_aside(lead=self.world["ada"], set_aside_id=decision.pk)
        assert made.restored == len(again)
        assert withdraw_set_aside(lead=self.world["ada"], set_aside_id=decision.pk).restored == len(again)
        happened["restored"] += len(again)
        happened["not restored"] += len(self.aside) - len(again)
        for pair, (place, who, grade) in self.aside.items():
            if pair in again:
                self.given[pair].insert(place, (who, grade))
                self.out.discard((who, pair))
        self.out |= {("", "")}
        self.aside = {}

    @invariant()
    def what_is_stored_is_what_was_done(self) -> None:
        if not hasattr(self, "world"):
            return
        stored: dict[str, list[Any]] = {}
        for judgment in Judgment.objects.filter(counted=True).select_related("pair").order_by("pk"):
            stored.setdefault(str(judgment.pair.public_id), []).append((judgment.annotator_id, judgment.grade))
        model = {
            pair: [(self.world[name].pk, grade) for name, grade in given] for pair, given in self.given.items() if given
        }
        assert stored == model, "a repeat is no judgment"
        standing = RepeatAnswer.objects.filter(taken_back_at=None).values_list("repeat__public_id", flat=True)
        assert {str(public_id) for public_id in standing} == self.repeated
        for member in Membership.objects.filter(repeats__closed_at=None, repeats__isnull=False):
            assert member.repeat_waits, "the fast way doesn't know of it"
        for pair in Pair.objects.select_related("batch"):
            assert (pair.status, pair.grade) == self.model_state(str(pair.public_id))
            four = len(self.given.get(str(pair.public_id), [])) == 4
            happened["second round"] += pair.status == "disputed"
            happened["discarded"] += pair.status == "discarded"
            happened["decided by four"] += four and pair.grade is not None
        for batch in Batch.objects.prefetch_related("pairs"):
            statuses = {pair.status for pair in batch.pairs.all()}
            if "open" in statuses:
                assert batch.status == "first"
            elif "disputed" in statuses:
                assert batch.status == "second"
            else:
                assert batch.status in ("decided", "finished", "extended")

    def bring_to_its_end(self) -> None:
        """Whatever happened before: five people who just go on, and a lead who answers, finish everything."""
        if not hasattr(self, "world"):
            return
        Membership.objects.update(status="admitted")
        for _ in range(400):
            while Flag.objects.filter(answered_at=None).exists():
                self.answer("returned")
            for who in PEOPLE:
                self.in_hand[who] = []
                self.judge(who, len(who) % 5, 0)
            let_seats_expire()
            while (batch := review_queue(self.world.collection).first()) is not None:
                review_batch(member=self.world["ada"], batch_id=batch.pk, decision="finish")
            if not Batch.objects.exclude(status__in=["finished", "extended"]).exists():
                break
        else:
            raise AssertionError("the collection is stuck")
        self.what_is_stored_is_what_was_done()
