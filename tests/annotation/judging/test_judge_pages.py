"""The judging page's requests, and that nothing goes out which an annotator must not know."""

import json
import uuid
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from annotation.judging.flags import answer_flag, open_flags
from annotation.models import Flag, Judgment, Question, Seat
from corpus.models import Clip
from tests.conftest import World, build_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def bo(world: World, client_of: Any) -> Client:
    client: Client = client_of(world["bo"].account)
    return client


def post(client: Client, path: str, **sent: Any) -> Any:
    return client.post(f"/c/paper/judge/{path}", json.dumps(sent), content_type="application/json")


def judgment(task: dict[str, Any], grade: Any = 2, **more: Any) -> dict[str, Any]:
    return {"pair": task["pair"], "grade": grade, "key": str(uuid.uuid4()), "played": None, **more}


def test_a_submit_saves_and_brings_the_next_pairs(bo: Client) -> None:
    tasks = post(bo, "next").json()["tasks"]
    answer = post(bo, "grade", **judgment(tasks[0])).json()
    assert [task["pair"] for task in answer["tasks"]] == [task["pair"] for task in tasks[1:]]
    assert Judgment.objects.get().grade == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grade": 5}, "expected 0 to 4"),
        ({"grade": -1}, "expected 0 to 4"),
        ({"grade": "3"}, "expected 0 to 4"),
        ({"grade": True}, "expected 0 to 4"),
        ({"grade": None}, "expected 0 to 4"),
        ({"pair": "7"}, "expected a UUID"),
        ({"pair": None}, "expected a UUID"),
        ({"key": "x"}, "expected a UUID"),
        ({"played": 1.5}, "from 0 to 1"),
        ({"played": "all"}, "from 0 to 1"),
        ({"active_ms": -1}, "expected milliseconds"),
        ({"active_ms": "long"}, "expected milliseconds"),
        ({"at": "yesterday"}, "expected an ISO 8601 time"),
        ({"at": 7}, "expected an ISO 8601 time"),
        ({"at": "2026-11-21T10:00:00"}, "expected a time with its zone"),
    ],
    ids=repr,
)
def test_a_malformed_judgment_is_refused_with_what_was_expected(
    bo: Client, change: dict[str, Any], message: str
) -> None:
    task = post(bo, "next").json()["tasks"][0]
    answer = post(bo, "grade", **(judgment(task) | change))
    assert answer.status_code == 400
    assert message in answer.content.decode()
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"7", b"\xff", b'{"pair": 1}', b"[" * 100_000], ids=lambda body: repr(body[:12])
)
def test_a_body_that_is_no_judgment_is_refused(bo: Client, body: bytes) -> None:
    assert bo.post("/c/paper/judge/grade", body, content_type="application/json").status_code == 400


def test_undo_without_a_judgment_says_so_and_keeps_the_work(bo: Client) -> None:
    answer = post(bo, "undo")
    assert answer.status_code == 409
    assert answer.json()["message"] == "There is nothing to take back."
    assert len(answer.json()["tasks"]) == 3


def test_the_undone_pair_comes_first_again(bo: Client) -> None:
    tasks = post(bo, "next").json()["tasks"]
    post(bo, "grade", **judgment(tasks[0]))
    answer = post(bo, "undo").json()
    assert answer["tasks"][0]["pair"] == tasks[0]["pair"]


def test_when_there_is_no_work_the_page_says_why(world: World, client_of: Any) -> None:
    for name in ("bo", "cy"):
        post(client_of(world[name].account), "next")
    answer = post(client_of(world["di"].account), "next").json()
    assert answer["tasks"] == []
    assert answer["empty"].startswith("No work for you right now")


def test_a_lost_login_answers_401_and_a_stranger_404(world: World, client_of: Any, mal: Any) -> None:
    for path in ("next", "grade", "undo"):
        assert post(Client(), path).status_code == 401
        assert post(client_of(mal), path).status_code == 404
        assert client_of(world["bo"].account).get(f"/c/paper/judge/{path}").status_code == 405


def test_who_leads_the_collection_does_not_judge_in_it(world: World, client_of: Any) -> None:
    ada = client_of(world["ada"].account)
    assert ada.get("/c/paper/judge/").status_code == 403
    for path in ("next", "grade", "undo"):
        answer = post(ada, path)
        assert answer.status_code == 403
        assert "you can't judge it" in answer.content.decode()


class TestBlindness:
    """Nothing that an annotator's browser receives tells caption, description, rank, similarity, video or partners."""

    FORBIDDEN = ("secret", "Rosa", "thing 1", "thing 2", "0.99", "0.98", "rank", "similarity", "caption", "round")

    def responses(self, world: World, client: Client) -> list[Any]:
        page = client.get("/c/paper/judge/")
        first = post(client, "next")
        tasks = first.json()["tasks"]
        sent = judgment(tasks[0], played=1.0)
        rest = [
            post(client, "grade", **sent),
            post(client, "grade", **sent),
            post(client, "grade", **judgment(tasks[1], played=0.1)),
            post(client, "grade", **judgment({"pair": str(uuid.uuid4())}, played=1.0)),
            post(client, "grade", **judgment(tasks[1], grade=9)),
            post(client, "undo"),
            post(client, "undo"),
            client.get("/c/paper/"),
            client.get("/c/paper/review/"),
            client.get("/c/paper/review/queue"),
            client.get(f"/c/paper/review/{world.batch.pk}/"),
            client.get("/c/paper/captions/"),
            client.get("/c/other/judge/"),
            client.get("/clips/unknown.mp4"),
            client.get("/nowhere"),
            client.get("/"),
        ]
        return [page, first, *rest]

    def test_every_response_holds_query_and_clip_alone(self, db: None, client_of: Any) -> None:
        world = build_world(clips=True)
        # A partner has judged already: neither grades nor who gave them may show.
        partner = client_of(world["cy"].account)
        for task in post(partner, "next").json()["tasks"]:
            post(partner, "grade", **judgment(task, grade=4, played=1.0))
        for response in self.responses(world, client_of(world["bo"].account)):
            told = b"".join(f"{name}: {value}\n".encode() for name, value in response.headers.items())
            told += b"" if response.streaming else response.content
            # A refusal leads back, after another login, to the address that was asked: nobody learns anything of it.
            for asked in (quote(response.wsgi_request.path, safe=safe) for safe in ("/", "")):
                told = told.replace(asked.encode(), b"")
            for word in self.FORBIDDEN:
                assert word.encode() not in told, (response.wsgi_request.path, word)
            for member in world.people.values():
                if member != world["bo"]:
                    assert f'"{member.worker}"'.encode() not in told

    def test_a_task_has_four_fields_and_its_names_are_opaque(self, db: None, client_of: Any) -> None:
        world = build_world(clips=True)
        tasks = post(client_of(world["bo"].account), "next").json()["tasks"]
        clips = set(Clip.objects.values_list("public_name", flat=True))
        for task in tasks:
            assert set(task) == {"pair", "query", "clip", "poster"}
            assert task["clip"].removeprefix("/clips/").removesuffix(".mp4") in clips
            assert uuid.UUID(task["pair"]).version == 4

    def test_first_and_second_round_look_alike(self, world: World, client_of: Any) -> None:
        shapes = []
        for name, grade in (("bo", 0), ("cy", 4), ("di", 2)):
            client = client_of(world[name].account)
            answer = post(client, "next").json()
            shapes.append({key: type(value).__name__ for key, value in answer.items()})
            for task in answer["tasks"]:
                post(client, "grade", **judgment(task, grade=grade))
        assert shapes[0] == shapes[2]


def test_an_undo_by_key_takes_that_judgment_back_once_and_no_other(bo: Client) -> None:
    tasks = post(bo, "next").json()["tasks"]
    first, second = judgment(tasks[0]), judgment(tasks[1])
    post(bo, "grade", **first)
    post(bo, "grade", **second)
    for _ in range(2):
        assert post(bo, "undo", key=second["key"]).status_code == 200
    taken_back = Judgment.objects.filter(counted=False).values_list("key", flat=True)
    assert [str(key) for key in taken_back] == [second["key"]]
    assert post(bo, "undo", key=str(uuid.uuid4())).status_code == 409
    assert post(bo, "undo", key="none").status_code == 400


class TestASecondGradeUnderANewKey:
    def test_the_answer_says_which_grade_counts_also_when_it_is_asked_again(self, bo: Client) -> None:
        task = post(bo, "next").json()["tasks"][0]
        assert post(bo, "grade", **judgment(task, 4)).json()["stands"] is None
        second = judgment(task, 0)
        for _ in range(2):
            told = post(bo, "grade", **second)
            assert (told.status_code, told.json()["stands"]) == (200, 4)
            assert "Your grade 4 (perfect) counts" in told.json()["message"]
        assert [(one.grade, one.counted) for one in Judgment.objects.order_by("pk")] == [(4, True), (0, False)]

    @pytest.mark.parametrize("by_key", [True, False], ids=["by key", "what came last"])
    def test_undo_finds_the_grade_that_counts(self, bo: Client, by_key: bool) -> None:
        task, other = post(bo, "next").json()["tasks"][:2]
        post(bo, "grade", **judgment(task, 4))
        post(bo, "grade", **judgment(other, 1))
        second = judgment(task, 0)
        post(bo, "grade", **second)
        for _ in range(2 if by_key else 1):
            undone = post(bo, "undo", **({"key": second["key"]} if by_key else {}))
            assert (undone.status_code, undone.json()["tasks"][0]["pair"]) == (200, task["pair"])
        assert Judgment.objects.get(counted=True).grade == 1
        post(bo, "grade", **judgment(task, 3))
        post(bo, "undo", key=second["key"])
        assert Judgment.objects.filter(counted=True).count() == 2, "what was given since stands"

    def test_a_late_judgment_that_is_sent_again_is_late_again(self, world: World, client_of: Any) -> None:
        people = {name: client_of(world[name].account) for name in ("bo", "cy", "di")}
        pairs = {name: post(client, "next").json()["tasks"] for name, client in people.items()}
        task = pairs["bo"][0]
        for name in ("bo", "cy"):
            post(people[name], "grade", **judgment(task))
        late = judgment(task)
        Seat.objects.get_or_create(
            batch=world.batch,
            annotator=world["di"],
            ended_at=None,
            defaults={"taken_at": timezone.now(), "expires_at": timezone.now()},
        )
        told = [post(people["di"], "grade", **late).json()["message"] for _ in range(2)]
        assert told[0] == told[1] != ""


class TestZTakesBackWhatCameLast:
    def test_a_flag_is_withdrawn_and_leaves_the_lead_s_list(self, world: World, bo: Client) -> None:
        graded, flagged = post(bo, "next").json()["tasks"][:2]
        post(bo, "grade", **judgment(graded, 4))
        post(bo, "flag", pair=flagged["pair"], kind="clip")
        undone = post(bo, "undo").json()
        assert (undone["undone"], undone["tasks"][0]["pair"]) == ("flag", flagged["pair"])
        assert open_flags(world.collection) == []
        undone = post(bo, "undo").json()
        assert (undone["undone"], undone["tasks"][0]["pair"]) == ("grade", graded["pair"])

    def test_a_page_that_does_not_know_may_ask_twice_for_a_flag(self, bo: Client) -> None:
        graded, flagged = post(bo, "next").json()["tasks"][:2]
        post(bo, "flag", pair=flagged["pair"], kind="clip")
        post(bo, "grade", **judgment(graded, 4))
        for _ in range(2):
            assert post(bo, "undo", flagged=flagged["pair"]).json()["undone"] == "flag"
        assert not Flag.objects.exists() and Judgment.objects.get().counted

    def test_an_answered_flag_stands_and_the_grade_before_it_too(self, world: World, bo: Client) -> None:
        graded, flagged = post(bo, "next").json()["tasks"][:2]
        post(bo, "grade", **judgment(graded, 4))
        post(bo, "flag", pair=flagged["pair"], kind="clip")
        answer_flag(member=world["ada"], flag_id=Flag.objects.get().pk, outcome="withdrawn")
        refused = post(bo, "undo")
        assert refused.status_code == 409 and "the lead has answered it" in refused.json()["message"]
        assert Judgment.objects.get().counted

    def test_a_question_too(self, bo: Client) -> None:
        task = post(bo, "next").json()["tasks"][0]
        post(bo, "flag", pair=task["pair"], kind="question", note="Is it her?")
        assert post(bo, "undo").json()["undone"] == "flag"
        assert not Question.objects.exists()
