"""Priorities of queries, and annotators reserved for a query or barred from it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from annotation.assignment.priorities import assign_people, queries_at_work, set_priority
from api.frame.answers import From, Out
from api.frame.calls import Call, Scope, found_or_404
from api.frame.endpoints import Endpoints, Id, Storable
from api.frame.lists import AskedPage, Page, page_of
from api.frame.problems import Problem
from queries.models import Query as OpenQuery

endpoints = Endpoints("Assignment")
HERE = "/work"
Priority = Annotated[int, Field(ge=-1, le=2, description="-1 later, 0 in turn, 1 sooner, 2 first.")]


class BatchState(Out):
    """A batch of a query."""

    batch: int = From("pk")
    number: int
    status: str


class WorkOut(Out):
    """A query that is open for judging."""

    query: int = From("pk")
    text: str
    split: str
    priority: Priority
    assigned: int = Field(description="How many people are reserved for it or barred from it.")
    batches: list[BatchState]


class Rule(BaseModel):
    """Somebody who is reserved for a query (only these judge it), or never judges it."""

    member: int = Field(ge=1, le=2**63 - 1)
    rule: Literal["reserved", "barred"]


class WorkWithPeople(WorkOut):
    """A query that is open for judging, with its rules about people."""

    people: list[Rule]


class WorkChange(BaseModel):
    """What is to change; what isn't sent stays."""

    priority: Priority = 0
    people: list[Rule] = Field([], max_length=500, description="All of them: others are like everybody.")


def _queries(call: Call, asked: str = "") -> Any:
    return queries_at_work(call.collection, asked)


def _work(query: Any) -> WorkOut:
    batches = [BatchState.of(batch) for batch in query.batches.all()]
    return WorkOut.of(query, batches=batches)


def _with_people(call: Call, query_id: int) -> WorkWithPeople:
    query = found_or_404(_queries(call).filter(pk=query_id).first())
    rules = query.assignments.order_by("annotator__worker").values_list("annotator_id", "rule")
    return WorkWithPeople.of(_work(query), people=[Rule(member=pk, rule=rule) for pk, rule in rules])


@endpoints.read(HERE, of_studies=True)
def list_work(call: Call, asked: AskedPage, words: Annotated[Storable, Field(max_length=100)] = "") -> Page[WorkOut]:
    """Queries that are open for judging; `words` are looked for in their text."""
    return page_of(_queries(call, words), asked, _work)


@endpoints.read(f"{HERE}/{{int:query_id}}", of_studies=True)
def get_work(call: Call, query_id: Id) -> WorkWithPeople:
    """One query that is open for judging, with who is reserved for it or barred from it."""
    return _with_people(call, query_id)


@endpoints.change(f"{HERE}/{{int:query_id}}", scope=Scope.ADMIN, of_studies=True)
def change_work(call: Call, query_id: Id, new: WorkChange) -> WorkWithPeople:
    """Set a query's priority, or who judges it, or both."""
    query = found_or_404(OpenQuery.objects.filter(collection=call.collection, pk=query_id).first())
    found_or_404(_queries(call).filter(pk=query_id).first())
    if "people" in new.model_fields_set:
        try:
            assign_people(query=query, rules={rule.member: rule.rule for rule in new.people})
        except ValueError as fault:
            raise Problem(422, str(fault), field="body.people") from fault
    if "priority" in new.model_fields_set:
        set_priority(query=query, priority=new.priority)
    return _with_people(call, query_id)
