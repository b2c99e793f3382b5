"""Consent and survey by the API: the same rules, refusals as problems."""

import json
import uuid
from typing import Any

import pytest

from annotation.assignment.next_tasks import next_tasks
from annotation.consent.texts import publish_consent
from annotation.models import Judgment, SurveyAnswer
from tests.conftest import World, find_world

pytestmark = pytest.mark.django_db
HERE = "/api/v1/collections/paper"


@pytest.fixture
def ask(client_of: Any, world: World) -> Any:
    def call(who: str, method: str, path: str, **body: Any) -> Any:
        client = client_of(world[who].account)
        client.handler.enforce_csrf_checks = False
        sent = {} if method == "get" else {"data": json.dumps(body), "content_type": "application/json"}
        return getattr(client, method)(f"{HERE}/{path}", **sent)

    return call


def test_a_program_judges_once_it_has_confirmed(world: World, ask: Any) -> None:
    assert "consent" not in ask("bo", "post", "judging/next").json()
    made = ask("ada", "post", "consent/publish", source="# Words", on_withdrawal="undecided")
    assert made.status_code == 201 and made.json()["version"] == 1 and len(made.json()["digest"]) == 64
    tasks = next_tasks(member=find_world()["bo"])
    for number, task in enumerate(tasks, start=1):
        answer = ask("bo", "post", "judging/grade", pair=task.pair, grade=2, key=str(uuid.uuid4()), played=1)
        assert answer.status_code == 200 and answer.json().get("consent") == (1 if number == len(tasks) else None)
    for who in ("bo", "cy"):
        refused = ask(who, "post", "judging/next")
        assert refused.status_code == 403 and "consent text" in refused.json()["detail"], who
    assert ask("bo", "get", "consent").json()["source"] == "# Words"
    assert ask("bo", "post", "consent/confirm", version=2).status_code == 422
    assert ask("bo", "post", "consent/confirm", version=1).json() == {
        "confirmed": 1,
        "withdrawn_at": None,
        "agrees": True,
    }
    assert ask("bo", "post", "judging/next").status_code == 200
    withdrawn = ask("bo", "post", "consent/withdraw").json()
    assert (withdrawn["taken_back"], withdrawn["agrees"]) == (len(tasks), False)
    refused = ask("bo", "post", "judging/grade", pair=tasks[0].pair, grade=2, key=str(uuid.uuid4()), played=1)
    assert refused.status_code == 403 and "withdrawn" in refused.json()["detail"]
    assert not Judgment.objects.filter(counted=True).exists()
    rows = ask("ada", "get", "consent/people").json()["items"]
    assert {row["worker"]: (row["confirmed"], row["withdrawn"]) for row in rows}[world["bo"].worker] == (0, True)
    assert ask("bo", "get", "consent/people").status_code == 403


def test_training_is_refused_too(world: World, ask: Any) -> None:
    publish_consent(lead=world["ada"], source="# Words", on_withdrawal="kept")
    world.collection.memberships.filter(pk=world["bo"].pk).update(status="applicant")
    for path in ("practice/next", "exam/begin"):
        refused = ask("bo", "post", path)
        assert refused.status_code == 403 and "consent text" in refused.json()["detail"], path


def test_the_survey(world: World, ask: Any) -> None:
    question = {"kind": "choice", "text": "Tea?", "options": ["yes", "no"]}
    assert ask("ada", "post", "survey/questions", **question).status_code == 409
    publish_consent(lead=world["ada"], source="# Words", on_withdrawal="kept")
    number = ask("ada", "post", "survey/questions", **question).json()["question"]
    assert ask("bo", "post", "survey/questions", **question).status_code == 403
    answers = [{"question": number, "answer": "yes"}]
    assert ask("bo", "patch", "survey", answers=answers).status_code == 409
    ask("bo", "post", "consent/confirm", version=1)
    assert ask("bo", "patch", "survey", answers=answers).json()[0]["answer"] == "yes"
    assert ask("bo", "patch", "survey", answers=[{"question": number, "answer": "tea"}]).status_code == 422
    assert ask("cy", "get", "survey").json()[0]["answer"] == ""
    assert ask("ada", "post", "survey/sums").json() == {"made": 0}
    assert ask("ada", "get", "survey/sums").json()[0]["told"] == {}
    assert ask("bo", "get", "survey/sums").status_code == 403
    assert ask("bo", "delete", "survey").status_code == 204 and not SurveyAnswer.objects.exists()
    assert ask("ada", "delete", f"survey/questions/{number}").status_code == 204
    assert ask("bo", "get", "survey").json() == []
