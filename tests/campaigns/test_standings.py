"""Results of a campaign: order, intervals, groups, the best of each team, every topic, and who sees what of it."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from campaigns.comparison import views
from campaigns.comparison.compare import ask_for_comparison, compare_campaign, comparison_of
from campaigns.comparison.tables import results_of, topics_against
from campaigns.models import Campaign, CampaignComparison, Submission, Team
from campaigns.results.board import standing_scores
from campaigns.results.opening import open_results
from campaigns.submissions.decisions import exclude_submission
from evaluation.significance import stand
from foundation.models import Account
from foundation.refused import Refused
from tests.api.callers import read
from tests.campaigns.shared_task import campaign_over, close, judged_queries, noisy_run, released, send, teams_of

pytestmark = pytest.mark.django_db
NDCG = "NDCG@20,IoU>=0.5"


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """Three teams; kite is far ahead with two runs, raft stays anonymous, has a late run and one that is excluded."""
    truth = judged_queries(12)
    release = released(tmp_path, truth)
    made = campaign_over(release, lead=release.collection.memberships.get(account__username="ada"))
    kite, raft, boat = teams_of(made, "kite", "raft", "boat")
    send(kite, "best", noisy_run(truth, skill=3, seed=1))
    send(kite, "second", noisy_run(truth, skill=2.9, seed=2), priority=2)
    send(raft, "slow", noisy_run(truth, skill=0.2, seed=3))
    out = send(raft, "copied", noisy_run(truth, skill=5, seed=4))
    exclude_submission(submission=out, reason="It is another team's.")
    send(boat, "fair", noisy_run(truth, skill=0.4, seed=5))
    Team.objects.filter(pk=raft.pk).update(anonymous=True)
    Submission.objects.filter(name="slow").update(late=True)
    return made


def compared(campaign: Campaign) -> CampaignComparison:
    job, is_new = ask_for_comparison(campaign=campaign)
    assert is_new
    compare_campaign(job.pk)
    job.refresh_from_db()
    return job


def test_runs_stand_in_order_with_the_groups_of_the_command_line(campaign: Campaign) -> None:
    before = results_of(campaign, to_organiser=True)
    assert before is not None and not before.compared
    assert [row.low for row in before.rows] == [None] * 4
    job = compared(campaign)
    assert (job.state, job.said) == ("done", "Compared 4 runs on 9 measures.")
    results = results_of(campaign, to_organiser=True)
    assert results is not None and results.compared
    assert (results.measure, results.queries) == (NDCG, 12)
    assert {row.run for row in results.rows[:2]} == {"best", "second"}
    assert [row.place for row in results.rows] == [1, 2, 3, 4]
    assert "copied" not in {row.run for row in results.rows}
    runs = Submission.objects.filter(score__isnull=False, excluded_at=None).order_by("pk").select_related("score")
    place = runs[0].score.board.measures.index(NDCG)
    values = np.array([[row[place] for row in run.score.per_query] for run in runs]).T
    by_hand = {system.system: system for system in stand(values, [run.name for run in runs]).systems}
    for row in results.rows:
        system = by_hand[row.run]
        assert (row.low, row.high, row.letters, row.close) == (system.low, system.high, system.letters, system.top)
    assert results.rows[1].close and not results.rows[2].close
    assert {(row.team, row.run) for row in results.best} == {
        ("kite", results.rows[0].run),
        ("raft", "slow"),
        ("boat", "fair"),
    }


def test_what_is_compared_already_is_not_compared_again_until_a_run_goes(campaign: Campaign) -> None:
    job = compared(campaign)
    assert ask_for_comparison(campaign=campaign) == (job, False)
    exclude_submission(submission=Submission.objects.get(name="fair"), reason="Withdrawn by mail.")
    results = results_of(campaign, to_organiser=True)
    assert results is not None and not results.compared and len(results.rows) == 3
    assert compared(campaign).pk != job.pk
    newest = comparison_of(campaign, standing_scores(campaign))
    assert newest is not None and len(newest.runs) == 3


def test_without_a_score_there_is_nothing_to_compare(tmp_path: Path) -> None:
    release = released(tmp_path, judged_queries(2))
    empty = campaign_over(release, lead=release.collection.memberships.get(account__username="ada"))
    with pytest.raises(Refused, match="No run has a score yet"):
        ask_for_comparison(campaign=empty)
    assert results_of(empty, to_organiser=True) is None


def test_a_topic_stands_beside_the_best_the_median_and_the_worst(campaign: Campaign) -> None:
    own = Submission.objects.get(name="fair")
    rows = topics_against(campaign, measure=NDCG, own=[own.pk])
    assert [row.topic_id for row in rows] == [f"t{number}" for number in range(12)]
    runs = [run for run in Submission.objects.exclude(name="copied").select_related("score")]
    place = own.score.board.measures.index(NDCG)
    for number, row in enumerate(rows):
        values = sorted(run.score.per_query[number][place] for run in runs)
        assert (row.worst, row.best) == (values[0], values[-1])
        assert row.median == pytest.approx((values[1] + values[2]) / 2)
        assert row.own == {own.pk: own.score.per_query[number][place]}


def logged_in(name: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client


def test_the_organiser_compares_and_takes_the_files(campaign: Campaign) -> None:
    ada = logged_in("ada")
    here = reverse("campaign-standings", args=["task", campaign.pk])
    assert b"Compare the runs" in ada.get(here).content
    ada.post(reverse("campaign-compare", args=["task", campaign.pk]))
    compare_campaign(CampaignComparison.objects.get().pk)
    told = read(ada, f"collections/task/campaigns/{campaign.pk}/standings")
    assert told["compared"] and (len(told["rows"]), len(told["topics"])) == (4, 12)
    page = ada.get(here).content.decode()
    assert "Compare the runs" not in page and "its best" in page and "raft" in page
    files = {}
    for name in ("results", "topics", "pairs"):
        answer = ada.get(reverse("campaign-standings-file", args=["task", campaign.pk, name]))
        files[name] = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert len(files["results"]) == 4 * 9 and len(files["topics"]) == 4 * 12 * 9 and len(files["pairs"]) == 6 * 9
    assert {row["team"] for row in files["results"]} == {"kite", "raft", "boat"}
    assert {(row["first_run"], row["second_run"]) for row in files["pairs"]} >= {("best", "slow"), ("second", "fair")}
    for stranger, status in (("bo", 403), ("kite", 404)):
        for name in ("campaign-standings", "campaign-compare"):
            assert logged_in(stranger).post(reverse(name, args=["task", campaign.pk])).status_code in (status, 405)


def test_teams_and_the_public_see_results_once_they_are_open_and_no_hidden_name(campaign: Campaign) -> None:
    compared(campaign)
    there, own = (reverse(name, args=["boats"]) for name in ("public-standings", "team-topics"))
    kite = logged_in("kite")
    assert [kite.get(address).status_code for address in (there, own)] == [404, 404]
    open_results(campaign=close(campaign))
    page = kite.get(there).content.decode()
    assert "your team" in page and "Team 2" in page and "raft" not in page and "copied" not in page
    assert Client().get(there).status_code == 404
    mine = read(kite, "campaigns/boats/topics")
    assert list(mine["runs"].values()) == ["best", "second"]
    assert set(mine["topics"][0]["own"]) == set(mine["runs"])
    heads = kite.get(own, {"format": "csv", "sort": NDCG}).content.decode().splitlines()[0]
    assert heads == "query_id,query,best,median,worst,best,second"
    assert b"Median" in kite.get(own).content
    Campaign.objects.update(audience=Campaign.Audience.PUBLIC)
    everybody = read(kite, "campaigns/boats/standings")
    assert [row["team"] for row in everybody["rows"]].count("Team 2") == 1
    assert "raft" not in json.dumps(everybody)
    page = Client().get(there).content.decode()
    assert "Team 2" in page and "raft" not in page
    pairs = b"".join(Client().get(reverse("public-standings-file", args=["boats", "pairs"])).streaming_content)
    assert b"Team 2" in pairs and b"raft" not in pairs
    assert Client().get(own).status_code == 302
    Campaign.objects.update(audience=Campaign.Audience.LEADS)
    assert [kite.get(address).status_code for address in (there, own)] == [404, 404]


def test_topics_are_shown_page_by_page_and_the_api_has_all(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "TOPICS", 5)
    ada = logged_in("ada")
    here = reverse("campaign-standings", args=["task", campaign.pk])
    for page, shown in ((1, range(5)), (3, range(10, 12)), (99, range(10, 12))):
        text = ada.get(here, {"page": page, "sort": NDCG}).content.decode()
        assert [topic for topic in range(12) if f'<th scope="row">t{topic}</th>' in text] == list(shown)
        assert f"Page {min(page, 3)} of 3" in text
    assert len(read(ada, f"collections/task/campaigns/{campaign.pk}/standings")["topics"]) == 12
