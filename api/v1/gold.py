"""Gold: the lead's list, how a person grades it, and judgments since that are opened again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from ninja import Query
from pydantic import BaseModel, Field

from annotation.gold.exam_gold import add_exam
from annotation.gold.gold_list import add_queries, add_rows, gold_of, remove_gold
from annotation.gold.gold_rows import LONGEST, SaidGold
from annotation.gold.set_aside import judgments_since, restorable, set_aside, withdraw_set_aside
from annotation.models import GoldPair, SetAside
from annotation.people.gold_answers import GoldAnswer, gold_answers, gold_figures, good_until
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Digits, Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from api.v1.annotating.persons import annotator_of
from foundation.models import Membership

endpoints = Endpoints("Gold")
PERSON = "/people/{int:member_id}/gold"
MOST = 1000


class GoldOut(Out):
    """A pair whose grade is known, and what was answered to it."""

    gold: int = From("pk")
    pair: UUID = From("pair.public_id")
    query: str = From("pair.batch.query.text")
    grade: int
    explanation: str
    source: str = Field(description="decided, adjudicated or lead.")
    added_at: datetime
    answered: int
    error: float | None = Field(description="Mean of grade minus known grade; null: no answer yet.")


class NewGoldPair(BaseModel):
    """A decided pair of a finished batch."""

    pair_id: Storable = Field(max_length=64, description="Its public id, or its number in releases.")
    grade: int = Field(ge=0)
    explanation: Storable = Field("", max_length=LONGEST)


class NewGold(BaseModel):
    """What becomes gold: pairs with grades of the lead, every decided pair of finished queries, or an exam's items."""

    pairs: list[NewGoldPair] = Field([], max_length=MOST)
    queries: list[int] = Field([], max_length=MOST, description="Ids of queries.")
    exam: int | None = Field(None, ge=1, le=32767, description="Its number; its first cohort is closed.")


class AddedOut(BaseModel):
    """How many pairs are gold now that weren't."""

    added: int


class GoldAnswerOut(Out):
    """What somebody answered to gold."""

    answer: int = From("pk")
    at: datetime
    query: str
    grade: int
    known: int


class DecisionOut(Out):
    """Judgments that a lead has taken out of consensus."""

    decision: int = From("pk")
    since: datetime
    reason: str
    judgments: int
    by: str = From("decided_by.worker")
    decided_at: datetime
    withdrawn_at: datetime | None
    restored: int | None = Field(description="How many count again; null: it stands.")
    restorable: int | None = Field(description="How many would count again; null: it was withdrawn.")


class PersonGold(BaseModel):
    """How somebody grades gold, and what a decision about judgments since would take out."""

    figures: dict[str, Any] | None = Field(description="overall, recent, drift, weeks; null: no answers.")
    answers: list[GoldAnswerOut] = Field(description="The newest 200, the newest first.")
    since: datetime | None = Field(description="When that answer was given; null: the first judgment.")
    going_on: int = Field(description="Counted judgments since, of batches that go on.")
    finished: int = Field(description="Of finished batches.")
    stay: int = Field(description="Of extended ones, and of pairs that the lead ruled on or that are gold.")
    decisions: list[DecisionOut] = Field(description="The newest first.")


class SinceAnswer(BaseModel):
    """From when on judgments are counted."""

    answer: Annotated[
        int | None,
        Digits,
        Field(ge=0, le=2**63 - 1, description="An answer to gold; 0: the first judgment; null: the last good answer."),
    ] = None


class NewSetAside(SinceAnswer):
    """A decision about judgments since an answer to gold."""

    seen: int = Field(ge=1, description="How many judgments it takes out, as told.")
    finished: bool = Field(False, description="Those of finished batches as well.")
    reason: Storable = Field(min_length=1, max_length=2000)


def _decision(row: SetAside) -> DecisionOut:
    left = None if row.withdrawn_at else restorable(row).count()
    return DecisionOut.of(row, judgments=len(row.judgments), restorable=left)


def _since(
    person: Membership, answers: Sequence[GoldAnswer], asked: SinceAnswer, part: str = "body"
) -> datetime | None:
    """None: the first judgment. Raises: Problem for an answer that isn't the person's."""
    if asked.answer is None:
        good = good_until(person.collection, answers)
        return good.at if good else None
    found = next((answer.at for answer in answers if answer.pk == asked.answer), None)
    if asked.answer and found is None:
        raise Problem(422, "Found no such answer of this person.", field=f"{part}.answer")
    return found


def _told(person: Membership, asked: SinceAnswer) -> PersonGold:
    answers = gold_answers(person)
    since = _since(person, answers, asked, "query")
    found = judgments_since(person, since)
    given = [(answer.at, answer.error) for answer in answers]
    decisions = SetAside.objects.filter(member=person).select_related("decided_by").order_by("-pk")
    return PersonGold(
        figures=gold_figures(person.collection, given) if given else None,
        answers=[GoldAnswerOut.of(one) for one in answers[::-1][:200]],
        since=since,
        going_on=len(found.going_on),
        finished=len(found.finished),
        stay=found.stay,
        decisions=[_decision(row) for row in decisions],
    )


@endpoints.read("/gold")
def list_gold(call: Call, asked: AskedPage) -> Page[GoldOut]:
    """The pairs that are gold, the newest first. Annotators never learn which they are."""
    return page_of(gold_of(call.collection), asked, GoldOut.of, newest_first=True)


@endpoints.act("/gold", scope=Scope.ADMIN)
def add_gold(call: Call, new: NewGold) -> AddedOut:
    """Make pairs gold: all that are sent, or none. What is gold already stays as it is."""
    if sum(map(bool, (new.pairs, new.queries, new.exam))) != 1:
        raise Problem(422, "Send pairs, queries or an exam, one of the three.", field="body.pairs")
    if new.exam:
        return AddedOut(added=add_exam(lead=call.member, number=new.exam))
    if new.queries:
        return AddedOut(added=add_queries(lead=call.member, queries=new.queries))
    rows = [SaidGold(place, one.pair_id, one.grade, one.explanation.strip()) for place, one in enumerate(new.pairs)]
    return AddedOut(added=add_rows(lead=call.member, rows=rows).added)


@endpoints.remove("/gold/{int:gold_id}", scope=Scope.ADMIN)
def remove_from_gold(call: Call, gold_id: Id) -> None:
    """Take a pair off the list: it is given to nobody any more. Its answers stay."""
    found_or_404(GoldPair.objects.filter(collection=call.collection, pk=gold_id).first())
    remove_gold(lead=call.member, gold_ids=[gold_id])


@endpoints.read(PERSON)
def get_gold_of_a_person(call: Call, member_id: Id, asked: Query[SinceAnswer]) -> PersonGold:
    """How somebody grades gold, and how many judgments were counted since the last good one, or the one asked about."""
    return _told(annotator_of(call, member_id), asked)


@endpoints.act(f"{PERSON}/set-aside", scope=Scope.ADMIN)
def set_judgments_aside(call: Call, member_id: Id, new: NewSetAside) -> PersonGold:
    """Take somebody's judgments since the last good gold out of consensus; others get their pairs. Pay stays."""
    person = annotator_of(call, member_id)
    set_aside(
        lead=call.member,
        member_id=member_id,
        since=_since(person, gold_answers(person), new),
        reason=new.reason,
        seen=new.seen,
        finished=new.finished,
    )
    return _told(person, SinceAnswer())


@endpoints.act("/set-asides/{int:set_aside_id}/withdraw", scope=Scope.ADMIN)
def withdraw_a_set_aside(call: Call, set_aside_id: Id) -> DecisionOut:
    """Have judgments count again whose pairs nobody has judged since. Repeating it changes nothing."""
    found_or_404(SetAside.objects.filter(pk=set_aside_id, member__collection=call.collection).first())
    return _decision(withdraw_set_aside(lead=call.member, set_aside_id=set_aside_id))
