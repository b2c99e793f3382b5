"""A whole campaign as one archive: everything in it with its hash, the same bytes again, no name that is hidden."""

import hashlib
import io
import json
import tarfile
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from campaigns.archive.jobs import ask_for_export, export_campaign, newest_export
from campaigns.comparison.compare import ask_for_comparison, compare_campaign
from campaigns.models import Campaign, CampaignExport, Submission, Team
from campaigns.submissions.decisions import withdraw_submission
from evaluation.reading import read_ground_truth
from foundation.models import Account
from foundation.refused import Refused
from tests.api.callers import read
from tests.campaigns.shared_task import campaign_over, judged_queries, noisy_run, released, send, teams_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """Two teams with a run each, one of them anonymous; one run is refused, one withdrawn."""
    truth = judged_queries(4)
    release = released(tmp_path / "release", truth)
    made = campaign_over(release, lead=release.collection.memberships.get(account__username="ada"))
    kite, raft = teams_of(made, "kite", "raft")
    send(kite, "best: one", noisy_run(truth, skill=3, seed=1))
    send(kite, "broken", noisy_run(truth, skill=3, seed=2) + b'{"query_id": "none", "predictions": []}\n')
    withdraw_submission(submission=send(raft, "gone", noisy_run(truth, skill=1, seed=3)))
    send(raft, "=fair", noisy_run(truth, skill=1, seed=4))
    Team.objects.filter(pk=raft.pk).update(anonymous=True)
    job, _ = ask_for_comparison(campaign=made)
    assert job is not None
    compare_campaign(job.pk)
    return made


def exported(campaign: Campaign) -> tuple[CampaignExport, dict[str, bytes]]:
    job = ask_for_export(campaign=campaign, member=None)
    export_campaign(job.pk)
    job.refresh_from_db()
    assert job.state == "done", job.problem
    with default_storage.open(job.stored_file, "rb") as stored:
        packed = stored.read()
    assert hashlib.sha256(packed).hexdigest() == job.sha256 and len(packed) == job.size
    with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
        files = {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]
    assert {name.partition("/")[0] for name in files} == {f"{campaign.name}-campaign"}
    return job, {name.partition("/")[2]: content for name, content in files.items()}


def test_everything_is_in_it_with_its_hash(campaign: Campaign, tmp_path: Path) -> None:
    _, files = exported(campaign)
    manifest = json.loads(files.pop("manifest.json"))
    assert {name: hashlib.sha256(content).hexdigest() for name, content in files.items()} == {
        name: file["sha256"] for name, file in manifest["files"].items()
    }
    first, broken, gone, fair = Submission.objects.order_by("pk")
    assert {name for name in files if name.startswith("runs/")} == {
        f"runs/team-01/{first.pk:04d}-best_one.jsonl",
        f"runs/team-02/{fair.pk:04d}-fair.jsonl",
    }
    assert hashlib.sha256(files[f"runs/team-01/{first.pk:04d}-best_one.jsonl"]).hexdigest() == first.sha256
    report = json.loads(files[f"checks/team-01/{broken.pk:04d}-broken.json"])
    assert report["state"] == "refused" and report["faults"][0]["place"].startswith("line 5")
    assert f"checks/team-02/{gone.pk:04d}-gone.json" in files
    results = files["results/results.csv"].decode()
    assert "kite,best: one" in results and "Team 2,'=fair" in results and ",a," in results
    assert files["results/topics.csv"].decode().count("\n") == 1 + 2 * 4 * 9
    assert files["results/pairs.csv"].decode().count("\n") == 1 + 9
    assert files["rules.md"] == b"Send *runs*.\n"
    assert files["topics/topics.jsonl"].count(b"\n") == 4
    (tmp_path / "qrels.txt").write_bytes(files["truth/trec/qrels.test.txt"])
    assert len(read_ground_truth(tmp_path / "qrels.txt")) == 4
    about = json.loads(files["campaign.json"])
    assert about["runs"] == {"sent": 4, "accepted": 3, "refused": 1, "counting": 2}
    assert about["significance"]["measures"] and about["release"]["name"] == "v1"
    assert "CC-BY-4.0" in files["README.md"].decode()
    for name, content in files.items():
        assert b"raft" not in content, name


def test_the_same_campaign_gives_the_same_bytes_and_one_archive_is_kept(campaign: Campaign) -> None:
    first, _ = exported(campaign)
    second, _ = exported(campaign)
    assert first.sha256 == second.sha256 and newest_export(campaign) == second
    assert not default_storage.exists(first.stored_file)
    first.refresh_from_db()
    assert first.stored_file == ""


def test_a_campaign_without_release_has_no_truth_and_says_so(campaign: Campaign) -> None:
    Campaign.objects.update(judged_later=True, release=None)
    campaign.refresh_from_db()
    _, files = exported(campaign)
    assert not any(name.startswith(("truth/", "results/")) for name in files)
    assert "No run has been scored yet." in files["README.md"].decode()


def test_a_run_that_is_damaged_is_named_and_nothing_is_kept(campaign: Campaign) -> None:
    run = Submission.objects.get(name="=fair")
    default_storage.delete(run.stored_file)
    with default_storage.open(run.stored_file, "wb") as file:
        file.write(b"something else")
    job = ask_for_export(campaign=campaign, member=None)
    export_campaign(job.pk)
    job.refresh_from_db()
    assert job.state == "refused" and "is damaged: SHA-256" in job.problem and "=fair" in job.problem
    assert newest_export(campaign) is None
    default_storage.delete(run.stored_file)
    again = ask_for_export(campaign=campaign, member=None)
    export_campaign(again.pk)
    again.refresh_from_db()
    assert "no longer in the storage" in again.problem


def test_the_page_and_the_command_give_it(campaign: Campaign, tmp_path: Path) -> None:
    ada, bo = Client(), Client()
    ada.force_login(Account.objects.get(username="ada"))
    bo.force_login(Account.objects.get(username="bo"))
    page, make, file = (
        reverse(name, args=["task", campaign.pk])
        for name in ("campaign-export", "campaign-export-make", "campaign-archive")
    )
    assert ada.get(file).status_code == 404
    assert ada.post(make).status_code == 302
    export_campaign(CampaignExport.objects.get().pk)
    told = read(ada, f"collections/task/campaigns/{campaign.pk}/archive")
    got = b"".join(ada.get(file).streaming_content)
    assert hashlib.sha256(got).hexdigest() == told["sha256"]
    assert told["sha256"] in ada.get(page).content.decode()
    assert [bo.get(page).status_code, bo.post(make).status_code, bo.get(file).status_code] == [403, 403, 403]
    out = tmp_path / "boats.tar.gz"
    call_command("export_campaign", "boats", str(out))
    assert out.read_bytes() == got
    with pytest.raises(CommandError, match="exists already"):
        call_command("export_campaign", "boats", str(out))
    with pytest.raises(CommandError, match="no campaign"):
        call_command("export_campaign", "ships", str(tmp_path / "x"))


def test_before_the_first_run_there_is_nothing_to_export(tmp_path: Path) -> None:
    release = released(tmp_path, judged_queries(1))
    empty = campaign_over(release, lead=release.collection.memberships.get(account__username="ada"))
    with pytest.raises(Refused, match="No team has sent a run yet"):
        ask_for_export(campaign=empty, member=None)
