"""What an organiser and a team change of a campaign by its pages, and what anybody may read of it."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, CampaignScoring, Submission, SubmissionScore, Team, TeamLink, TeamMember
from campaigns.planning.campaigns import CampaignRefused, choose_release, make_campaign, take_topics_anew
from campaigns.results.opening import open_results
from campaigns.teams.joining import make_link
from campaigns.teams.teams import TeamRefused, change_team
from tests.campaigns.worlds import Shared, build_shared, end

HOME = "/campaigns/paper-task/"


@pytest.fixture(autouse=True)
def no_queue(settings: Any) -> None:
    settings.CELERY_TASK_ALWAYS_EAGER = False


def page(client: Client, there: str, **more: Any) -> str:
    return client.get(there, more).content.decode()


def judged_later(shared: Shared) -> Campaign:
    """The same campaign, as if its topics were judged from the teams' runs."""
    Campaign.objects.update(judged_later=True, release=None)
    shared.campaign.refresh_from_db()
    return shared.campaign


def test_a_campaign_judged_later_is_scored_against_the_release_that_its_organiser_chooses(shared: Shared) -> None:
    campaign = judged_later(shared)
    shared.send("Reds")
    ada, there = shared.client("ada"), f"/c/paper/campaigns/{campaign.pk}/"
    assert f'value="{shared.release.pk}"' in page(ada, there)
    other = build_shared("other")
    for chosen in ("", "x", "9" * 30, str(other.release.pk)):
        said = ada.post(f"{there}release", {"release": chosen}, follow=True).content.decode()
        assert "Choose a release of this collection." in said, chosen
    campaign.refresh_from_db()
    assert campaign.release is None and not CampaignScoring.objects.exists()
    assert ada.post(f"{there}release", {"release": shared.release.pk})["Location"] == there
    campaign.refresh_from_db()
    assert campaign.release == shared.release
    assert CampaignScoring.objects.get().campaign == campaign, "a worker scores its runs"


def test_scores_against_another_release_go_and_those_against_the_same_stay(shared: Shared) -> None:
    shared.send("Reds")
    assert SubmissionScore.objects.count() == 1
    with pytest.raises(CampaignRefused, match="over its release, which stays"):
        choose_release(campaign=shared.campaign, release=shared.release)
    Campaign.objects.update(judged_later=True)
    choose_release(campaign=shared.campaign, release=shared.release)
    assert SubmissionScore.objects.count() == 1
    with pytest.raises(CampaignRefused, match="another collection's"):
        choose_release(campaign=shared.campaign, release=build_shared("other").release)
    Campaign.objects.filter(pk=shared.campaign.pk).update(release=None)
    choose_release(campaign=shared.campaign, release=shared.release)
    assert not SubmissionScore.objects.exists()
    end(shared.campaign)
    Campaign.objects.filter(pk=shared.campaign.pk).update(results_opened_at=shared.campaign.closes_at)
    with pytest.raises(CampaignRefused, match="results are open, so the release stays"):
        choose_release(campaign=shared.campaign, release=shared.release)


def test_a_campaign_is_over_a_release_or_judged_later_and_over_nothing_else(shared: Shared) -> None:
    said = {
        "member": shared.people["ada"],
        "name": "third",
        "title": "Third",
        "split": "test",
        "opens_at": shared.campaign.opens_at,
        "closes_at": shared.campaign.closes_at,
        "results_at": shared.campaign.closes_at,
    }
    same_moment = {**said, "release": shared.release, "closes_at": shared.campaign.opens_at}
    with pytest.raises(CampaignRefused) as refusal:
        make_campaign(**same_moment)
    assert list(refusal.value.wrong) == ["closes_at"], "a campaign that closes as it opens takes no run"
    with pytest.raises(CampaignRefused, match="another collection's"):
        make_campaign(**said, release=build_shared("other").release)
    made = make_campaign(**said, release=shared.release, most_a_day=3, most_submissions=3)
    assert made.made_by == shared.people["ada"] and made.topics.count() == 3, "results may open as submissions close"


def test_topics_are_taken_anew_until_the_first_run_comes(shared: Shared) -> None:
    campaign, ada = shared.campaign, shared.client("ada")
    there = f"/c/paper/campaigns/{campaign.pk}/"
    campaign.topics.filter(topic_id="2").delete()
    said = ada.post(f"{there}topics", follow=True).content.decode()
    assert "The campaign has 3 topics now." in said and campaign.topics.count() == 3
    shared.send("Reds")
    campaign.topics.filter(topic_id="2").delete()
    said = ada.post(f"{there}topics", follow=True).content.decode()
    assert "Teams have sent runs already, so the topics stay as they are." in said and campaign.topics.count() == 2
    with pytest.raises(CampaignRefused):
        take_topics_anew(campaign=campaign)


def test_a_team_makes_links_takes_them_back_hides_its_name_and_is_left(shared: Shared) -> None:
    rob, change = shared.client("rob"), f"{HOME}team"
    made = rob.post(change, {"what": "link"}).content.decode()
    assert "/teams/join/" in made
    link = TeamLink.objects.get(team=shared.teams["Reds"], used_at=None)
    theirs = make_link(team=shared.teams["Blues"], by=None).link
    for number in (theirs.pk, link.pk, "x"):
        assert rob.post(change, {"what": "withdraw-link", "link": number})["Location"] == HOME
    link.refresh_from_db()
    theirs.refresh_from_db()
    assert link.withdrawn_at is not None and theirs.withdrawn_at is None, "a team takes back its own links"
    for sent, hidden in (({"anonymous": "on"}, True), ({}, False)):
        assert rob.post(change, {"what": "shown", **sent})["Location"] == HOME
        assert Team.objects.get(name="Reds").anonymous is hidden
    wrong = rob.post(change, {"what": "everything"})
    assert wrong.status_code == 400 and "expected something this page offers" in wrong.content.decode()
    assert rob.post(change, {"what": "leave"})["Location"] == "/"
    assert not TeamMember.objects.filter(account=shared.accounts["rob"]).exists() and rob.get(HOME).status_code == 404
    assert TeamMember.objects.filter(account=shared.accounts["ria"]).exists(), "the others stay"


def test_of_a_team_only_what_is_given_changes_and_a_bad_name_nothing(shared: Shared) -> None:
    reds = shared.teams["Reds"]
    change_team(team=reds, name="  The\tReds ", contact="")
    found = Team.objects.get(pk=reds.pk)
    assert (found.name, found.affiliation, found.contact, found.anonymous) == ("The Reds", "Red Lab", "", False)
    change_team(team=reds, name="x" * 80, affiliation="y" * 200, anonymous=True)
    for said, field in (
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"affiliation": "y" * 201}, "affiliation"),
        ({"contact": "z" * 201}, "contact"),
        ({"name": "Blues"}, "name"),
    ):
        with pytest.raises(TeamRefused) as refusal:
            change_team(team=reds, **said)
        assert refusal.value.field == field
    found.refresh_from_db()
    assert (found.name, found.affiliation, found.anonymous) == ("x" * 80, "y" * 200, True)


def test_a_public_campaign_is_read_by_anybody_and_its_board_once_results_are_open(shared: Shared) -> None:
    visitor = Client()
    for audience in ("leads", "teams"):
        Campaign.objects.update(audience=audience)
        assert visitor.get(HOME)["Location"].startswith("/login/"), audience
    Campaign.objects.update(audience="public", rules="Send *runs*.", contact="<b>ask@example.org")
    run = shared.send("Reds")
    before = page(visitor, HOME)
    assert "The task" in before and "<em>runs</em>" in before and "Topics: 3, videos: 3" in before
    assert "&lt;b&gt;" in before and "mailto:" in before and "Log in as a member of a team" in before
    board = SubmissionScore.objects.get(submission=run).board
    assert board.measures[0] not in before and "Red Lab" not in before
    assert visitor.get(f"{HOME}board/").status_code == 404
    assert visitor.get(reverse("public-standings", args=["paper-task"])).status_code == 404
    end(shared.campaign)
    open_results(campaign=Campaign.objects.get())
    after = page(visitor, HOME)
    assert "Red Lab" in after and "r@example.org" not in after and "rob" not in after
    assert visitor.get(f"{HOME}board/").status_code == 200
    assert "Log in as a member" not in page(shared.client("bo"), HOME)
    # What only teams have stays theirs.
    for path in ("files/topics.tsv", f"runs/{run.pk}/", f"runs/{run.pk}/file"):
        assert visitor.get(f"{HOME}{path}")["Location"].startswith("/login/"), path


def test_no_other_team_s_run_counts_as_one_s_own_in_facts_for_programs(shared: Shared) -> None:
    mine, theirs = shared.send("Reds"), shared.send("Blues", name="secret system")
    rob = shared.client("rob")
    facts = json.loads(page(rob, f"{HOME}runs/{mine.pk}/", format="json"))
    assert "secret system" not in json.dumps(facts) and Submission.objects.count() == 2
    assert rob.get(f"{HOME}runs/{theirs.pk}/", {"format": "json"}).status_code == 404
