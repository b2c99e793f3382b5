"""The way to judging by programs: guideline, practice, exam and admission are those of the pages, and as blind."""

import uuid
from typing import Any

import pytest

from annotation.models import Exam, ExamItem, WorkedItem
from foundation.models import AuditEntry, Membership
from tests.api.callers import Caller
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db
HERE = "/collections/paper"


@pytest.fixture
def school() -> World:
    """A collection with a practice item of grade 2, an example, and an exam of two items; bo and cy are in training."""
    world = build_world(candidates=4)
    one, two, three, four = world.collection.descriptions.order_by("pk")
    for about, use in ((one, "practice"), (two, "example")):
        WorkedItem.objects.create(
            collection=world.collection, use=use, description=about, query=about.text, moment=about.moment, grade=2
        )
    exam = Exam.objects.create(collection=world.collection, number=1, seed=1)
    for about in (three, four):
        ExamItem.objects.create(exam=exam, description=about, query=about.text, moment=about.moment, rank=1)
    people = [world["bo"].pk, world["cy"].pk]
    Membership.objects.filter(pk__in=people).update(status=Membership.Status.APPLICANT)
    return world


def grade(caller: Caller, where: str, item: dict[str, Any], value: int) -> Any:
    sent = {"pair": item["pair"], "grade": value, "key": str(uuid.uuid4()), "played": 1.0}
    return caller.post(f"{HERE}/{where}", sent)


def sit(caller: Caller, value: int) -> None:
    item = caller.post(f"{HERE}/practice/next", {}).json()["tasks"][0]
    assert grade(caller, "practice/grade", item, 2).json()["feedback"]["out"] is False
    left = caller.post(f"{HERE}/exam/begin").json()["tasks"]
    while left:
        answer = grade(caller, "exam/grade", left[0], value).json()
        left = answer["tasks"]
        assert answer["feedback"] is None
    assert caller.post(f"{HERE}/exam/hand-in").json()["handed_in"]


def test_from_a_guideline_to_an_admitted_annotator(school: World) -> None:
    ada, bo, cy = Caller(school["ada"]), Caller(school["bo"]), Caller(school["cy"])
    empty = ada.post(f"{HERE}/guideline/publish", {"source": " "})
    assert (empty.status_code, empty.json()["errors"][0]["field"]) == (422, "body.source")
    assert ada.post(f"{HERE}/guideline/publish", {"source": "# Grades"}).json()["version"] == 1
    unsaid = ada.post(f"{HERE}/guideline/publish", {"source": "# Grades, again"})
    assert unsaid.json()["errors"][0]["field"] == "body.note"
    assert bo.get(f"{HERE}/guideline").json()["examples"][0]["grade"] == 2
    assert bo.get(f"{HERE}/guideline/draft").status_code == 403
    assert bo.get(f"{HERE}/qualification").json()["why_not_begin"]
    assert bo.post(f"{HERE}/exam/begin").status_code == 409
    for caller in (bo, cy):
        assert caller.post(f"{HERE}/guideline/confirm", {"version": 2}).status_code == 422
        assert caller.post(f"{HERE}/guideline/confirm", {"version": 1}).json() == {"version": 1}
    assert ada.post(f"{HERE}/exam/open").json()["state"] == "open"
    sit(bo, 0)
    assert bo.get(f"{HERE}/exam/feedback").json() == []
    sit(cy, 4)
    assert ada.post(f"{HERE}/exam/close", {"people": 1}).status_code == 409
    closed = ada.post(f"{HERE}/exam/close", {"people": 2}).json()
    assert (closed["state"], closed["handed_in"], closed["out"]) == ("frozen", 2, 1.0)
    rows = bo.get(f"{HERE}/exam/feedback").json()
    assert {(row["first"]["grade"], row["first"]["truth"], row["first"]["out"]) for row in rows} == {(0, 2.0, True)}
    assert grade(bo, "exam/grade-again", rows[0], 2).json()["feedback"]["out"] is False
    people = {person["worker"]: person for person in ada.get(f"{HERE}/training/people").json()["items"]}
    assert people[school["bo"].worker]["waiting"] == 1
    decided = ada.post(f"{HERE}/training/people/{school['bo'].pk}/decide", {"decision": "admit"}).json()
    assert decided["status"] == "admitted"
    newest = AuditEntry.objects.filter(table="foundation_membership").latest("pk")
    assert (newest.via, newest.account) == ("api", school["ada"].account_id)


def test_an_exam_tells_nothing_but_sentence_and_clip(school: World) -> None:
    ada, bo = Caller(school["ada"]), Caller(school["bo"])
    Membership.objects.update(guideline_confirmed=1)
    ada.post(f"{HERE}/exam/open")
    item = bo.post(f"{HERE}/practice/next", {}).json()["tasks"][0]
    assert set(item) == {"pair", "query", "clip", "poster"}
    grade(bo, "practice/grade", item, 2)
    first, _ = bo.post(f"{HERE}/exam/begin").json()["tasks"]
    assert set(first) == {"pair", "query", "clip", "poster"}
    answered = grade(bo, "exam/grade", first, 1).json()
    assert (answered["done"], answered["total"]) == (1, 2)
    assert bo.post(f"{HERE}/exam/undo", {}).json()["tasks"][0]["pair"] == first["pair"]
    assert bo.post(f"{HERE}/exam/hand-in").status_code == 409
    for path in ("exam", "exam/items", "training/items", "training/people"):
        assert bo.get(f"{HERE}/{path}").status_code == 403
    assert ada.post(f"{HERE}/practice/next", {}).status_code == 403


def test_items_are_explained_and_dropped(school: World) -> None:
    ada, item = Caller(school["ada"]), WorkedItem.objects.get(use="practice")
    path = f"{HERE}/training/items/{item.pk}"
    told = ada.patch(path, {"why": "The cup falls."}).json()
    assert (told["grade"], told["use"], told["why"]) == (2, "practice", "The cup falls.")
    type(school.collection).objects.update(top_grade=3)
    refused = ada.patch(path, {"grade": 4})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "body.grade")
    assert [ada.delete(path).status_code for _ in range(2)] == [204, 404]
    assert ada.post(f"{HERE}/exam", {"seed": 1}).status_code == 409, "nothing to draw from"
