"""Topics, runs and recipes by a program are those of the pages and commands."""

import json
from typing import Any

import pytest

from annotation.batches.pool_jobs import make_asked_pool
from queries.models import Candidate, PoolMaking, PoolPlan, PoolRun, PoolRunAddition, Query
from queries.runs.run_jobs import add_pool_run
from tests.api.callers import Caller
from tests.conftest import World

pytestmark = pytest.mark.django_db
HERE = "/collections/paper"
TOPIC = {"id": "301", "text": "Somebody gives a coat away.", "narrative": "Lending one doesn't fit.", "language": "en"}


@pytest.fixture
def ada(world: World) -> Caller:
    return Caller(world["ada"])


def run_of(*answers: tuple[str, list[list[float]]]) -> str:
    """A run's lines: queries and spans in the world's video."""
    return "".join(
        json.dumps(
            {
                "query_id": query,
                "predictions": [{"video_name": "secret_video_name", "timestamp": span, "score": 1} for span in spans],
            }
        )
        + "\n"
        for query, spans in answers
    )


def refusal_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["field"]


def test_a_topic_is_written_changed_and_deleted(ada: Caller, world: World) -> None:
    made = ada.post(f"{HERE}/topics", TOPIC, **{"Idempotency-Key": "one"})
    again = ada.post(f"{HERE}/topics", TOPIC, **{"Idempotency-Key": "one"})
    assert (made.status_code, again.json()) == (201, made.json())
    assert Query.objects.get(topic_id="301").narrative == TOPIC["narrative"]
    assert refusal_of(ada.post(f"{HERE}/topics", TOPIC)) == (422, "body.id")
    assert refusal_of(ada.post(f"{HERE}/topics", {"text": "A dance.", "language": "of the moon"})) == (
        422,
        "body.language",
    )
    path = f"{HERE}/topics/{made.json()['topic']}"
    changed = ada.post(f"{path}/change", {"text": "Somebody sells a coat."}).json()
    assert (changed["text"], changed["narrative"], changed["topic_id"]) == ("Somebody sells a coat.", "", "301")
    assert [topic["topic_id"] for topic in ada.get(f"{HERE}/topics").json()["items"]] == ["301"]
    assert [ada.delete(path).status_code for _ in range(2)] == [204, 404]
    assert not Query.objects.filter(topic_id="301").exists()


def test_a_run_and_a_recipe_make_a_pool(ada: Caller, world: World) -> None:
    ada.post(f"{HERE}/topics", TOPIC)
    sent = {"team": "Moon lab", "system": "words", "content": run_of(("301", [[1, 2], [30, 35]]))}
    job = ada.post(f"{HERE}/pool-runs", sent)
    assert (job.status_code, job.json()["kind"]) == (202, "pool-run")
    add_pool_run(PoolRunAddition.objects.get().pk)
    (run,) = ada.get(f"{HERE}/pool-runs").json()["items"]
    assert (run["team"], run["system"], run["predictions"], run["chosen"]) == ("Moon lab", "words", 2, 0)
    assert refusal_of(ada.post(f"{HERE}/pool-runs", {**sent, "team": "a/b"})) == (422, "body.team")
    assert ada.get(f"{HERE}/pool-recipe").json()["recipe"] == "paper"
    for recipe in ("depth@0", "the best"):
        assert refusal_of(ada.post(f"{HERE}/pool-recipe", {"recipe": recipe})) == (422, "body.recipe")
    assert not PoolPlan.objects.exists()
    assert ada.post(f"{HERE}/pool-recipe", {"recipe": "depth@1"}).json()["version"] == 1
    assert ada.post(f"{HERE}/pool").status_code == 202
    make_asked_pool(PoolMaking.objects.get().pk)
    (chosen,) = Candidate.objects.filter(query__topic_id="301")
    assert (chosen.moment.start, chosen.moment.end, chosen.caption) == (1, 2, None)
    assert ada.get(f"{HERE}/pool-recipe").json()["chosen"] == 1
    assert [ada.delete(f"{HERE}/pool-runs/{run['run']}").status_code for _ in range(2)] == [204, 404]
    assert not PoolRun.objects.exists()


def test_runs_whose_systems_have_long_names_come_in_pages(ada: Caller, world: World) -> None:
    figures = {"size": 1, "queries": 1, "predictions": 1, "kept": 1, "videos": 1}
    systems = ["船" * 79 + str(number) for number in range(3)]
    for number, system in enumerate(systems):
        world["ada"].collection.pool_runs.create(team=system, system=system, sha256=f"{number:064}", **figures)
    first = ada.get(f"{HERE}/pool-runs?limit=2").json()
    rest = ada.get(f"{HERE}/pool-runs?limit=2&cursor={first['next']}").json()
    assert [run["system"] for run in first["items"] + rest["items"]] == systems
    assert rest["next"] is None


def test_what_is_wrong_in_a_run_is_its_job_s_problem(ada: Caller, world: World) -> None:
    ada.post(f"{HERE}/topics", TOPIC)
    sent = {"team": "Moon lab", "system": "words", "content": run_of(("301", [[1, 2000]]))}
    job = ada.post(f"{HERE}/pool-runs", sent).json()
    add_pool_run(PoolRunAddition.objects.get().pk)
    told = ada.get(f"{HERE}/jobs/pool-run/{job['job']}").json()
    assert told["state"] == "refused"
    assert "line 1, prediction 1: found timestamp [1, 2000]" in told["progress"]["words"]
    assert not PoolRun.objects.exists()
