"""A shared task by programs: the organiser's and a team's, each with what is theirs alone."""

import base64
import gzip
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaigns.archive.jobs import export_campaign
from campaigns.comparison.compare import compare_campaign
from campaigns.models import Campaign, CampaignExport, CampaignPooling, Submission, Team, TeamMember
from campaigns.pooled.put_in_pool import pool_campaign
from campaigns.submissions.jobs import check_submission
from campaigns.submissions.receive import receive
from campaigns.teams.joining import join_team
from foundation.models import Account, ApiToken, Collection, Membership
from queries.models import PoolRun
from tests.api.callers import Caller
from tests.campaigns.shared_task import judged_queries, noisy_run, released

pytestmark = pytest.mark.django_db
HERE = "/collections/task"
TRUTH = judged_queries(4)


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def ada(db: None, tmp_path: Path) -> Caller:
    release = released(tmp_path / "release", TRUTH)
    return Caller(release.collection.memberships.get(account__username="ada"))


def test_a_longer_list_of_a_team_s_runs_asks_the_database_no_more_often(ada: Caller) -> None:
    campaign = new_campaign(ada)
    (kite,) = ada.post(f"{HERE}/campaigns/{campaign['campaign']}/teams", {"teams": [{"name": "kite"}]}).json()
    rob = member_of(ada, kite, "rob")
    team = Team.objects.get()
    for seed in range(3):
        run = receive(
            team=team,
            account=Account.objects.get(username="rob"),
            file=io.BytesIO(noisy_run(TRUTH, skill=1, seed=seed)),
            file_name="run.jsonl",
            name=f"run {seed}",
            begun_at=datetime.now(UTC),
        )
        check_submission(run.pk)

    def asked(limit: int) -> int:
        with CaptureQueriesContext(connection) as captured:
            runs = rob.get(f"/campaigns/boats/runs?limit={limit}").json()["items"]
        assert len(runs) == min(limit, 3)
        return len(captured)

    asked(1)
    assert asked(200) <= asked(1)


def refusal_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["field"]


def new_campaign(ada: Caller, **more: Any) -> dict[str, Any]:
    now = datetime.now(UTC)
    said = {
        "name": "boats",
        "title": "Boats 2026",
        "opens_at": (now - timedelta(days=1)).isoformat(),
        "closes_at": (now + timedelta(days=1)).isoformat(),
        "results_at": (now + timedelta(days=2)).isoformat(),
    }
    release = ada.get(f"{HERE}/releases").json()["items"][0]["release"]
    made = ada.post(f"{HERE}/campaigns", {**said, "release": release, **more})
    assert made.status_code == 201, made.content
    return made.json()  # type: ignore[no-any-return]


def member_of(ada: Caller, team: dict[str, Any], name: str) -> Caller:
    """Somebody who joins by a link that the organiser's program made."""
    link = ada.post(f"{HERE}/teams/{team['id']}/links").json()["link"]
    account = Account.objects.create(username=name)
    join_team(token=link.rstrip("/").rpartition("/")[2], account=account)
    return Caller(account)


def test_a_campaign_by_programs_from_its_beginning_to_its_archive(ada: Caller) -> None:
    campaign = new_campaign(ada)
    here = f"{HERE}/campaigns/{campaign['campaign']}"
    assert (campaign["phase"], campaign["topics"], campaign["teams"]) == ("open", 4, 0)
    kite, raft = ada.post(f"{here}/teams", {"teams": [{"name": "kite"}, {"name": "raft"}]}).json()
    rob, bea = member_of(ada, kite, "rob"), member_of(ada, raft, "bea")
    own = rob.get("/campaigns/boats").json()
    assert (own["team"], own["takes_runs"], own["left"]) == ("kite", True, 8)
    assert [campaign["name"] for campaign in rob.get("/campaigns").json()["items"]] == ["boats"]
    topics = b"".join(rob.get("/campaigns/boats/files/topics-jsonl"))
    assert len(topics.splitlines()) == 4 and b"relevance" not in topics
    content = noisy_run(TRUTH, skill=3, seed=1)
    packed = base64.b64encode(gzip.compress(noisy_run(TRUTH, skill=1, seed=2))).decode()
    sent = rob.post("/campaigns/boats/runs", {"name": "plain", "content": content.decode()})
    assert (sent.status_code, sent.json()["state"]) == (202, "received")
    again = rob.post("/campaigns/boats/runs", {"name": "plain", "content": content.decode()})
    assert again.json()["submission"] == sent.json()["submission"]
    assert bea.post("/campaigns/boats/runs", {"name": "packed", "gzip": packed}).status_code == 202
    assert rob.post("/campaigns/boats/runs", {"name": "broken", "content": '{"query_id": "t9"}\n'}).status_code == 202
    for run in Submission.objects.all():
        check_submission(run.pk)
    plain, broken = rob.get("/campaigns/boats/runs").json()["items"]
    assert (plain["state"], plain["values"], broken["state"]) == ("accepted", None, "refused")
    assert broken["faults"][0]["place"].startswith("line 1")
    assert rob.get(f"/campaigns/boats/runs/{plain['submission']}/file").status_code == 200
    lower = rob.post(f"/campaigns/boats/runs/{plain['submission']}/priority", {"priority": 7})
    assert lower.json()["priority"] == 7
    theirs = bea.get("/campaigns/boats/runs").json()["items"][0]
    assert rob.get(f"/campaigns/boats/runs/{theirs['submission']}").status_code == 404
    listed = ada.get(f"{here}/submissions").json()["items"]
    assert [(run["team_name"], run["state"]) for run in listed] == [
        ("kite", "accepted"),
        ("raft", "accepted"),
        ("kite", "refused"),
    ]
    assert all(run["values"] for run in listed[:2])
    job = ada.post(f"{here}/comparison")
    assert (job.status_code, job.json()["kind"]) == (202, "campaign-comparison")
    compare_campaign(job.json()["job"])
    assert ada.post(f"{here}/comparison").json()["job"] == job.json()["job"], "it is of these runs already"
    standings = ada.get(f"{here}/standings").json()
    assert standings["compared"] and [row["team"] for row in standings["rows"]] == ["kite", "raft"]
    assert len(standings["topics"]) == 4
    assert [rob.get(f"/campaigns/boats/{page}").status_code for page in ("standings", "topics")] == [404, 404]
    assert ada.post(f"{here}/results/open").status_code == 409
    assert ada.patch(f"{HERE}/teams/{raft['id']}", {"anonymous": True}).json()["anonymous"]
    assert ada.patch(here, {"closes_at": datetime.now(UTC).isoformat()}).status_code == 200
    assert ada.post(f"{here}/results/open").json()["phase"] == "results"
    assert [row["team"] for row in rob.get("/campaigns/boats/standings").json()["rows"]] == ["kite", "Team 2"]
    topics = rob.get("/campaigns/boats/topics").json()
    assert list(topics["runs"].values()) == ["plain"] and len(topics["topics"]) == 4
    assert ada.get(f"{here}/archive").status_code == 404
    job = ada.post(f"{here}/export").json()
    export_campaign(job["job"])
    archive = ada.get(f"{here}/archive").json()
    assert archive["sha256"] == CampaignExport.objects.get().sha256
    assert len(b"".join(ada.get(f"{here}/archive/file").streaming_content)) == archive["size"]


def test_what_is_wrong_is_beside_its_field(ada: Caller) -> None:
    campaign = new_campaign(ada)
    here = f"{HERE}/campaigns/{campaign['campaign']}"
    assert refusal_of(ada.patch(here, {"closes_at": "2001-01-01T00:00:00Z"})) == (422, "body.closes_at")
    assert refusal_of(ada.patch(here, {"most_a_day": 0})) == (422, "body.most_a_day")
    (kite,) = ada.post(f"{here}/teams", {"teams": [{"name": "kite"}]}).json()
    assert refusal_of(ada.post(f"{here}/teams", {"teams": [{"name": "Kite"}]})) == (422, "body.teams")
    rob = member_of(ada, kite, "rob")
    for sent, field in (
        ({"name": "a"}, "body.content"),
        ({"name": "a", "content": "x", "gzip": "eA=="}, "body.content"),
        ({"name": "a", "gzip": "x"}, "body.gzip"),
        ({"name": "a/b", "content": "x"}, "body.run_name"),
        ({"name": "", "content": "x"}, "body.name"),
    ):
        assert refusal_of(rob.post("/campaigns/boats/runs", sent)) == (422, field), sent
    assert rob.post("/campaigns/boats/runs", {"name": "a", "content": "x"}).status_code == 202
    assert refusal_of(rob.post("/campaigns/boats/runs", {"name": "a", "content": "y"})) == (422, "body.replace")
    assert ada.delete(here).status_code == 409
    assert ada.delete(f"{HERE}/teams/{kite['id']}").status_code == 409
    assert refusal_of(ada.post(f"{HERE}/teams/{kite['id']}/disqualify", {"reason": ""})) == (422, "body.reason")
    ada.post(f"{HERE}/teams/{kite['id']}/disqualify", {"reason": "It copied."})
    assert "disqualified" in rob.post("/campaigns/boats/runs", {"name": "b", "content": "z"}).json()["detail"]
    assert ada.post(f"{HERE}/teams/{kite['id']}/readmit").json()["disqualified_at"] is None


def test_a_campaign_is_its_teams_and_its_organiser_s(ada: Caller) -> None:
    campaign = new_campaign(ada)
    (kite,) = ada.post(f"{HERE}/campaigns/{campaign['campaign']}/teams", {"teams": [{"name": "kite"}]}).json()
    rob = member_of(ada, kite, "rob")
    stranger = Caller(Account.objects.create(username="eve"))
    bound = Caller(Account.objects.get(username="rob"))
    ApiToken.objects.filter(pk=bound.made.row.pk).update(collection=Campaign.objects.get().collection)
    assert [who.get("/campaigns/boats").status_code for who in (rob, stranger, ada, bound)] == [200, 404, 404, 403]
    assert rob.get(f"{HERE}/campaigns").status_code == 404
    # Who joins the collection later knows too much.
    Membership.objects.create(
        collection=Campaign.objects.get().collection, account=Account.objects.get(username="rob"), worker="w77"
    )
    assert rob.get("/campaigns/boats").status_code == 403
    assert rob.post("/campaigns/boats/runs", {"name": "a", "content": "x"}).status_code == 403
    assert rob.get("/campaigns").json()["items"] == []
    assert TeamMember.objects.count() == 1


def test_runs_go_into_the_pool_by_a_program(ada: Caller) -> None:
    from queries.topics.edit_topics import add_topic

    collection = Collection.objects.get(name="task")
    add_topic(collection=collection, typed={"id": "t0", "text": "Somebody does a thing.", "split": "test"})
    campaign = new_campaign(ada, release=None)
    here = f"{HERE}/campaigns/{campaign['campaign']}"
    (kite,) = ada.post(f"{here}/teams", {"teams": [{"name": "kite"}]}).json()
    rob = member_of(ada, kite, "rob")
    line = json.dumps({"query_id": "t0", "predictions": [{"video_name": "reel_1", "timestamp": [1, 4]}]})
    rob.post("/campaigns/boats/runs", {"name": "one", "content": line})
    check_submission(Submission.objects.get().pk)
    (offered,) = ada.get(f"{here}/pool").json()["runs"]
    wrong = ada.post(f"{here}/pool", {"submissions": [offered["submission"]], "recipe": "best"})
    assert refusal_of(wrong) == (422, "body.recipe")
    job = ada.post(f"{here}/pool", {"submissions": [offered["submission"]], "recipe": "depth@1"})
    assert (job.status_code, job.json()["kind"]) == (202, "campaign-pooling")
    pool_campaign(CampaignPooling.objects.get().pk)
    assert PoolRun.objects.get().team == "boats 1"
    assert ada.get(f"{here}/pool").json()["runs"][0]["pooled"]
