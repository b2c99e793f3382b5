"""Twenty teams send eighty runs and a broken one each at once, over HTTP, while a worker is killed: nothing is lost."""

import io
import json
import os
import random
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests

from campaigns.models import CampaignComparison, CampaignExport, Submission
from campaigns.teams.joining import join_team
from evaluation import evaluate
from evaluation.reading import read_ground_truth, read_run
from foundation.access.api_tokens import make_token
from foundation.models import Account
from tests.campaigns.shared_task import judged_queries, noisy_run, released
from tests.e2e.conftest import WebServer
from tests.workers import kill_group, one_worker, wait_until

pytestmark = pytest.mark.long

TEAMS, RUNS, TOPICS = 20, 4, 10
NDCG = "NDCG@20,IoU>=0.5"


class Program:
    """Somebody's program: requests to the API by a token."""

    def __init__(self, site: str, account: Account, *scopes: str) -> None:
        self._api = f"{site}/api/v1"
        token = make_token(account=account, name="a program", scopes=("read", *scopes)).token
        self._headers = {"Authorization": f"Bearer {token}"}

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = requests.request(method, self._api + path, json=body, headers=self._headers, timeout=60)
        assert answer.status_code < 300, (path, answer.status_code, answer.text)
        return answer.json() if "json" in answer.headers["Content-Type"] else answer.content

    def get(self, path: str) -> Any:
        return self.ask("GET", path)

    def post(self, path: str, body: Any = None) -> Any:
        return self.ask("POST", path, body)


def broken(kind: int, truth: list[dict[str, Any]]) -> tuple[bytes, int]:
    """A run with one wrong line, and that line's number."""
    lines = noisy_run(truth, skill=1, seed=kind).decode().splitlines()
    line = 2 + kind % (TOPICS - 2)
    row = json.loads(lines[line - 1])
    one = row["predictions"][1]
    match kind % 6:
        case 0:
            lines[line - 1] = lines[line - 1][:-20]
        case 1:
            row["query_id"] = "no-topic"
        case 2:
            one["video_name"] = "no_video"
        case 3:
            one["timestamp"] = [50, 4000]
        case 4:
            one["timestamp"] = [9, 3]
        case _:
            row["predictions"] *= 3
    if kind % 6:
        lines[line - 1] = json.dumps(row)
    return "".join(f"{one}\n" for one in lines).encode(), line


@pytest.fixture
def server(
    transactional_db: None, collected_static_files: None, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WebServer]:
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setenv("QREELS_VAR", str(tmp_path))  # where other processes find the storage
    started = WebServer(QREELS_VAR=str(tmp_path), REDIS_URL=os.environ["REDIS_URL"], QREELS_API_PER_MINUTE="100000")
    try:
        started.start()
        yield started
    finally:
        started.stop()


def test_twenty_teams_and_eighty_runs_without_a_shell(server: WebServer, tmp_path: Path) -> None:
    truth = judged_queries(TOPICS)
    release = released(tmp_path / "release", truth)
    ada = Program(server.address, Account.objects.get(username="ada"), "release", "admin")
    now = datetime.now(UTC)
    campaign = ada.post(
        "/collections/task/campaigns",
        {
            "name": "boats",
            "title": "Boats 2026",
            "release": release.pk,
            "opens_at": (now - timedelta(days=1)).isoformat(),
            "closes_at": (now + timedelta(days=1)).isoformat(),
            "results_at": (now + timedelta(days=2)).isoformat(),
            "most_a_day": RUNS + 1,
            "most_submissions": RUNS + 1,
            "most_predictions": 20,
        },
    )
    here = f"/collections/task/campaigns/{campaign['campaign']}"
    teams = ada.post(f"{here}/teams", {"teams": [{"name": f"team {number}"} for number in range(TEAMS)]})
    people = []
    for team in teams:
        link = ada.post(f"/collections/task/teams/{team['id']}/links")["link"]
        account = Account.objects.create(username=f"of-{team['number']}")
        join_team(token=link.rstrip("/").rpartition("/")[2], account=account)
        people.append(Program(server.address, account, "release"))
    skills = random.Random(1).sample(range(TEAMS * RUNS), TEAMS * RUNS)
    good = {
        (team, run): noisy_run(truth, skill=skills[team * RUNS + run] / 40, seed=100 + team * RUNS + run)
        for team in range(TEAMS)
        for run in range(RUNS)
    }
    wrong = [broken(team, truth) for team in range(TEAMS)]

    def send_all(team: int) -> list[int]:
        sent = [(f"run {run}", good[team, run]) for run in range(RUNS)]
        sent.insert(team % (RUNS + 1), ("broken", wrong[team][0]))
        answers = [
            people[team].post("/campaigns/boats/runs", {"name": name, "content": content.decode(), "priority": place})
            for place, (name, content) in enumerate(sent, start=1)
        ]
        return [answer["submission"] for answer in answers]

    runs = Submission.objects
    with ThreadPoolExecutor(TEAMS) as pool, one_worker(tmp_path / "first.log") as worker:
        sending = [pool.submit(send_all, team) for team in range(TEAMS)]
        wait_until(
            lambda: (
                runs.exclude(state__in=Submission.TURN).count() >= TEAMS
                or any(task.done() and task.exception() for task in sending)
            )
        )
        kill_group(worker)
        sent = [one for task in sending for one in task.result()]
    assert len(set(sent)) == TEAMS * (RUNS + 1), "what was acknowledged is there"
    with one_worker(tmp_path / "second.log"):
        wait_until(lambda: not runs.filter(state__in=Submission.TURN).exists())
        job = ada.post(f"{here}/comparison")
        wait_until(lambda: CampaignComparison.objects.get(pk=job["job"]).finished)
        ada.ask("PATCH", here, {"closes_at": datetime.now(UTC).isoformat()})
        assert ada.post(f"{here}/results/open")["phase"] == "results"
        job = ada.post(f"{here}/export")
        wait_until(lambda: CampaignExport.objects.get(pk=job["job"]).finished)

    expected = values_by_hand(truth, good, tmp_path)
    for team, program in enumerate(people):
        own = {one["name"]: one for one in program.get("/campaigns/boats/runs")["items"]}
        assert len(own) == RUNS + 1
        refused = own.pop("broken")
        assert refused["state"] == "refused"
        assert [fault["place"].partition(",")[0] for fault in refused["faults"]] == [f"line {wrong[team][1]}"]
        for run in range(RUNS):
            one = own[f"run {run}"]
            assert (one["state"], one["values"][NDCG]) == ("accepted", expected[team, run])
    standings = ada.get(f"{here}/standings")
    assert standings["compared"] and len(standings["rows"]) == TEAMS * RUNS
    assert [row["value"] for row in standings["rows"]] == sorted(expected.values(), reverse=True)
    assert sum(row["best_of_team"] for row in standings["rows"]) == TEAMS
    letters = [row["letters"] for row in standings["rows"]]
    assert letters[0] == "a" and letters[-1] != "a" and all(letters)
    mine = people[7].get("/campaigns/boats/topics")
    assert len(mine["topics"]) == TOPICS and sorted(mine["runs"].values()) == [f"run {run}" for run in range(RUNS)]
    archive = ada.get(f"{here}/archive/file")
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as packed:
        names = packed.getnames()
    assert sum(name.startswith("boats-campaign/runs/") for name in names) == TEAMS * RUNS
    assert sum(name.startswith("boats-campaign/checks/") for name in names) == TEAMS * (RUNS + 1)


def values_by_hand(
    truth: list[dict[str, Any]], good: dict[tuple[int, int], bytes], folder: Path
) -> dict[tuple[int, int], float]:
    """The value of every good run by `evaluation` alone."""
    path = folder / "truth.json"
    path.write_text(json.dumps(truth))
    read = read_ground_truth(path)
    values = {}
    for key, content in good.items():
        run = folder / "one.jsonl"
        run.write_bytes(content)
        (record,) = evaluate(read, [read_run(run)], [NDCG])
        values[key] = record.value
    return values
