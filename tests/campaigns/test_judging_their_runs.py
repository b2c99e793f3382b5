"""Teams' runs go into the pool, are judged blind, and score the campaign by the release that comes of it."""

import csv
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from annotation.batches.opening import open_annotation
from annotation.models import Batch
from campaigns.comparison.tables import results_of
from campaigns.models import Campaign, CampaignPooling, CampaignScoring
from campaigns.planning.campaigns import choose_release
from campaigns.pooled.put_in_pool import ask_for_pooling, offered_runs, pool_campaign
from campaigns.scoring.score import ask_for_scores, score_campaign
from campaigns.submissions.decisions import exclude_submission
from datasets.certificates.systems import systems_of
from datasets.releases.make_release import create_release, write_release
from foundation.models import Account
from foundation.refused import Refused
from queries.models import Candidate, PoolPlan, PoolRun
from queries.runs.add_run import add_run
from tests.annotation.reviewed_worlds import grade_batch
from tests.api.callers import read
from tests.campaigns.shared_task import campaign_over, run_of_seconds, send, teams_of, world_to_judge
from tests.conftest import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world(transactional_db: None) -> World:
    return world_to_judge()


@pytest.fixture
def campaign(world: World) -> Campaign:
    """Judged later: kite sends three runs, of which two count; raft sends one, and the same file as kite's last."""
    made = campaign_over(None, lead=world["ada"], most_pooled=2)
    topics = list(made.topics.order_by("position").values_list("topic_id", flat=True))
    kite, raft = teams_of(made, "kite", "raft")
    send(kite, "low", run_of_seconds(topics, 1, 2, 3), priority=3)
    send(kite, "high", run_of_seconds(topics, 4, 5, 6), priority=1)
    send(kite, "mid", run_of_seconds(topics, 1, 7, 8), priority=2)
    send(raft, "own", run_of_seconds(topics, 1, 2, 9))
    send(raft, "copied", run_of_seconds(topics, 1, 7, 8), priority=2)
    return made


def chosen(campaign: Campaign, *names: str) -> list[int]:
    return [run.submission for run in offered_runs(campaign) if run.run in names]


def pooled(campaign: Campaign, submissions: list[int], recipe: str = "depth@2") -> CampaignPooling:
    job = ask_for_pooling(campaign=campaign, member=campaign.made_by, submissions=submissions, recipe=recipe)
    pool_campaign(job.pk)
    job.refresh_from_db()
    return job


def test_the_runs_that_count_are_proposed_and_go_in_under_numbers(campaign: Campaign) -> None:
    offered = offered_runs(campaign)
    assert [(one.team, one.run, one.proposed) for one in offered] == [
        ("kite", "high", True),
        ("kite", "mid", True),
        ("kite", "low", False),
        ("raft", "own", True),
        ("raft", "copied", True),
    ]
    job = pooled(campaign, [one.submission for one in offered if one.proposed])
    assert job.state == "done", job.problem
    assert "4 runs are in the pool. 1 of them was in the pool before." in job.said
    runs = PoolRun.objects.order_by("pk")
    # The first of every team goes in before the second of any.
    assert [run.team for run in runs] == ["boats 1", "boats 2", "boats 1"]
    assert not any(word in str(row) for row in runs.values() for word in ("kite", "raft", "high", "own"))
    assert Candidate.objects.filter(source__run__isnull=False).count() == 2 * len({4, 5, 1, 2, 7})
    assert {one.pooled for one in offered_runs(campaign)} == {"", *(str(run) for run in runs)}
    # The same again changes nothing.
    again = pooled(campaign, chosen(campaign, "high", "mid", "own", "copied"))
    assert "up to date" in again.said and PoolRun.objects.count() == 3


def test_a_recipe_or_a_choice_that_does_not_do_changes_nothing(campaign: Campaign) -> None:
    whole = chosen(campaign, "high")
    for submissions, recipe, field, words in (
        ([], "depth@2", "submissions", "Choose at least one run"),
        ([*whole, 999_999], "depth@2", "submissions", "doesn't count"),
        (whole, "paper", "recipe", "asks for no runs"),
        (whole, "depth@1000", "recipe", "a depth of at most 100"),
        (whole, "the best", "recipe", "is no recipe"),
    ):
        with pytest.raises(Refused, match=words) as refused:
            ask_for_pooling(campaign=campaign, member=None, submissions=submissions, recipe=recipe)
        assert refused.value.field == field
    assert not CampaignPooling.objects.exists() and not PoolRun.objects.exists() and not PoolPlan.objects.exists()


def test_a_run_that_counts_no_longer_ends_the_job_and_what_was_added_is_kept(campaign: Campaign) -> None:
    job = ask_for_pooling(
        campaign=campaign, member=campaign.made_by, submissions=chosen(campaign, "high", "own"), recipe="depth@2"
    )
    exclude_submission(submission=campaign.teams.get(name="raft").submissions.get(name="own"), reason="Not theirs.")
    pool_campaign(job.pk)
    job.refresh_from_db()
    assert job.state == "refused" and "doesn't count any longer" in job.problem
    assert PoolRun.objects.count() == 1
    assert pooled(campaign, chosen(campaign, "high")).state == "done"


def test_a_run_that_a_lead_added_by_hand_is_that_run(campaign: Campaign, tmp_path: Path) -> None:
    topics = list(campaign.topics.order_by("position").values_list("topic_id", flat=True))
    path = tmp_path / "high.jsonl"
    path.write_bytes(run_of_seconds(topics, 4, 5, 6))
    add_run(collection=campaign.collection, path=path, team="ours", system="high")
    assert pooled(campaign, chosen(campaign, "high")).state == "done"
    assert [str(run) for run in PoolRun.objects.all()] == ["ours high"]


def test_from_runs_to_results(campaign: Campaign, world: World, tmp_path: Path) -> None:
    assert pooled(campaign, chosen(campaign, "high", "mid", "own")).state == "done"
    open_annotation(collection=campaign.collection)
    for batch in Batch.objects.all():
        # The moments of `own`, which begin with 1 and 2, are the relevant ones.
        pairs = batch.pairs.values_list("candidate__rank", "candidate__moment__start")
        grade = {rank: 3 if start in (1, 2) else 0 for rank, start in pairs}
        grade_batch(world, batch, lambda rank, grade=grade: (grade[rank], grade[rank]))  # type: ignore[misc]
    Batch.objects.update(status=Batch.Status.FINISHED)
    release = create_release(collection=campaign.collection, name="v1")
    choose_release(campaign=campaign, release=release)
    campaign.refresh_from_db()
    score_campaign(ask_for_scores(campaign=campaign, member=None).pk)
    assert CampaignScoring.objects.get().state == "done"
    results = results_of(campaign, to_organiser=True)
    assert results is not None and results.rows[0].run == "own"
    # Provenance without names, and a certificate that leaves out whole teams.
    write_release(release=release, folder=tmp_path / "v1")
    rows = list(csv.DictReader((tmp_path / "v1" / "pool.csv").open()))
    assert {row["team"] for row in rows} <= {"boats 1", "boats 2"} and {row["recipe"] for row in rows} == {"depth@2"}
    assert {system["team"] for system in systems_of(release)["test"]} == {"boats 1", "boats 2"}


def test_the_page_proposes_refuses_beside_the_field_and_asks_a_worker(campaign: Campaign) -> None:
    ada = Client()
    ada.force_login(Account.objects.get(username="ada"))
    here, make = (reverse(name, args=["paper", campaign.pk]) for name in ("campaign-pool", "campaign-pool-make"))
    page = ada.get(here).content.decode()
    assert page.count("checked>") + page.count(" checked") >= 4 and "depth@10" in page
    assert len(read(ada, f"collections/paper/campaigns/{campaign.pk}/pool")["runs"]) == 5
    wrong = ada.post(make, {"submissions": chosen(campaign, "low"), "recipe": "the best"})
    assert wrong.status_code == 400 and wrong.content.decode().count(" checked") == 1
    assert ada.post(make, {"submissions": ["x", "9" * 40], "recipe": "rrf"}).status_code == 400
    assert ada.post(make, {"submissions": chosen(campaign, "low"), "recipe": "rrf"}).status_code == 302
    job = CampaignPooling.objects.get()
    assert (job.recipe, job.submissions) == ("rrf", chosen(campaign, "low"))
    assert ask_for_pooling(campaign=campaign, member=None, submissions=[], recipe="").pk == job.pk
    bo = Client()
    bo.force_login(Account.objects.get(username="bo"))
    assert [bo.get(here).status_code, bo.post(make).status_code] == [403, 403]
