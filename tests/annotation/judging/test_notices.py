"""Notices and questions: shown to whom they are for until put away, and telling nothing of anybody else."""

import json
from typing import Any

import pytest

from annotation.assignment.next_tasks import next_tasks
from annotation.models import Notice, Question
from foundation.models import Membership
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(world: World, client_of: Any) -> Any:
    return client_of(world["ada"].account)


def tell(ada: Any, text: str, to: Membership | None = None) -> Notice:
    ada.post("/c/paper/notices/post", {"text": text, "to": to.pk if to else ""})
    return Notice.objects.latest("pk")


def shown_to(world: World, client_of: Any, name: str) -> dict[str, str]:
    told = client_of(world[name].account).get("/c/paper/judge/progress").json()["notices"]
    return {one["id"]: one["text"] for one in told}


def ask(world: World, client_of: Any, name: str, text: str, **more: Any) -> Any:
    pair = world.batch.pairs.order_by("pk")[0]
    sent = {"pair": str(pair.public_id), "kind": "question", "note": text, **more}
    return client_of(world[name].account).post("/c/paper/judge/flag", json.dumps(sent), content_type="application/json")


def test_a_notice_to_all_is_shown_to_each_until_put_away(world: World, ada: Any, client_of: Any) -> None:
    notice = tell(ada, "We judge  until Friday.")
    for name in ("bo", "cy"):
        assert shown_to(world, client_of, name) == {f"notice-{notice.pk}": "We judge until Friday."}
    for _ in range(2):
        client_of(world["bo"].account).post(f"/c/paper/judge/answers/notice-{notice.pk}/read")
    assert shown_to(world, client_of, "bo") == {}
    assert shown_to(world, client_of, "cy") != {}
    assert ada.get("/c/paper/notices/").context["rows"][0]["read_by"] == [world["bo"].worker]


def test_a_notice_to_one_is_shown_to_nobody_else(world: World, ada: Any, client_of: Any) -> None:
    notice = tell(ada, "Please write to me.", world["bo"])
    assert shown_to(world, client_of, "cy") == {}
    client_of(world["cy"].account).post(f"/c/paper/judge/answers/notice-{notice.pk}/read")
    assert list(shown_to(world, client_of, "bo")) == [f"notice-{notice.pk}"], "only its reader puts it away"


def test_a_notice_that_is_withdrawn_is_shown_no_longer(world: World, ada: Any, client_of: Any) -> None:
    notice = tell(ada, "Tomorrow off.")
    ada.post(f"/c/paper/notices/{notice.pk}/withdraw")
    assert shown_to(world, client_of, "bo") == {}


def test_a_trainee_sees_it_on_their_own_page(world: World, ada: Any, client_of: Any) -> None:
    notice = tell(ada, "The exam opens on Monday.")
    Membership.objects.filter(pk=world["bo"].pk).update(status="applicant")
    bo = client_of(world["bo"].account)
    assert "The exam opens on Monday." in bo.get("/c/paper/qualification/").content.decode()
    assert bo.post(f"/c/paper/judge/answers/notice-{notice.pk}/read").status_code == 204
    assert "The exam opens on Monday." not in bo.get("/c/paper/qualification/").content.decode()


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"text": " "}, "expected 1 to 2,000"),
        ({"text": "x" * 2001}, "expected 1 to 2,000"),
        ({"text": "Hello", "to": "999999999"}, "no annotator of that number"),
        ({"text": "Hello", "to": "all"}, "expected a number"),
    ],
)
def test_what_can_t_be_told_isn_t(world: World, ada: Any, sent: dict[str, str], told: str) -> None:
    assert told in ada.post("/c/paper/notices/post", sent, follow=True).content.decode()
    assert not Notice.objects.exists()


def test_another_collection_s_people_are_told_nothing(world: World, ada: Any, client_of: Any) -> None:
    other = build_world(name="other")
    told = ada.post("/c/paper/notices/post", {"text": "Hello", "to": other["bo"].pk}, follow=True).content.decode()
    assert "no annotator of that number" in told
    tell(ada, "For paper alone.")
    assert client_of(other["bo"].account).get("/c/other/judge/progress").json()["notices"] == []


def test_a_question_holds_nothing_up_and_its_answer_comes_to_who_asked(world: World, ada: Any, client_of: Any) -> None:
    sit(world["bo"], world["cy"])
    pair = world.batch.pairs.order_by("pk")[0]
    answer = ask(world, client_of, "bo", "Does a red door count as open?").json()
    assert answer["tasks"][0]["pair"] == str(pair.public_id), "the clip asked about stays in front"
    assert str(pair.public_id) in {task.pair for task in next_tasks(member=world["cy"])}
    judge(world["bo"], pair, 2)
    page = ada.get("/c/paper/notices/").content.decode()
    assert "Does a red door count as open?" in page
    question = Question.objects.get()
    ada.post(f"/c/paper/notices/questions/{question.pk}/answer", {"answer": "Yes, once it moves."})
    ((told_id, text),) = shown_to(world, client_of, "bo").items()
    assert told_id == f"question-{question.pk}"
    assert text == "You asked: “Does a red door count as open?” The lead: Yes, once it moves."
    assert shown_to(world, client_of, "cy") == {}
    client_of(world["bo"].account).post(f"/c/paper/judge/answers/{told_id}/read")
    assert shown_to(world, client_of, "bo") == {}
    question.refresh_from_db()
    assert question.read_at is not None


def test_a_question_asked_again_is_one_question(world: World, client_of: Any) -> None:
    sit(world["bo"])
    for text in ("What is it?", "What is it, and who?"):
        assert ask(world, client_of, "bo", text).status_code == 200
    assert Question.objects.get().text == "What is it, and who?"


def test_who_has_no_seat_there_asks_nothing(world: World, client_of: Any) -> None:
    assert ask(world, client_of, "bo", "What is it?").status_code == 409
    sit(world["bo"])
    assert ask(world, client_of, "bo", "  ").status_code == 400
    assert not Question.objects.exists()


def test_a_question_is_answered_once(world: World, ada: Any, client_of: Any) -> None:
    sit(world["bo"])
    ask(world, client_of, "bo", "What is it?")
    question = Question.objects.get()
    for text in ("A cup.", "A cup.", "A jug."):
        told = ada.post(
            f"/c/paper/notices/questions/{question.pk}/answer", {"answer": text}, follow=True
        ).content.decode()
    assert "was answered already" in told
    question.refresh_from_db()
    assert question.answer == "A cup."
