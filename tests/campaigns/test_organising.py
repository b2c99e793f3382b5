"""What an organiser and a team change of a campaign by its pages, and what anybody may read of it."""

import html
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from campaigns.comparison.compare import ask_for_comparison, compare_campaign
from campaigns.mails import says_refused
from campaigns.models import Campaign, CampaignScoring, Submission, SubmissionScore, Team, TeamLink, TeamMember
from campaigns.organising.selectors import choices_of
from campaigns.planning.campaigns import choose_release, make_campaign, take_topics_anew
from campaigns.planning.phases import Phase, phase_of
from campaigns.portal.selectors import home_facts
from campaigns.results.opening import open_results
from campaigns.submissions.decisions import exclude_submission, include_submission
from campaigns.teams.joining import join_team, make_link
from campaigns.teams.teams import change_team, disqualify_team
from foundation.access.arrival_time import database_now
from foundation.models import MailItem
from foundation.refused import Refused
from queries.topics.edit_topics import add_topic
from tests.campaigns.worlds import Shared, build_shared, end, good_run, lines

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
        answer = ada.post(f"{there}release", {"release": chosen}, follow=True).content.decode()
        assert "Choose a release of this collection." in answer, chosen
    campaign.refresh_from_db()
    assert campaign.release is None and not CampaignScoring.objects.exists()
    assert ada.post(f"{there}release", {"release": shared.release.pk})["Location"] == there
    campaign.refresh_from_db()
    assert campaign.release == shared.release
    assert CampaignScoring.objects.get().campaign == campaign, "a worker scores its runs"


def test_scores_against_another_release_go_and_those_against_the_same_stay(shared: Shared) -> None:
    shared.send("Reds")
    assert SubmissionScore.objects.count() == 1
    with pytest.raises(Refused, match="over its release, which stays"):
        choose_release(campaign=shared.campaign, release=shared.release)
    Campaign.objects.update(judged_later=True)
    choose_release(campaign=shared.campaign, release=shared.release)
    assert SubmissionScore.objects.count() == 1
    with pytest.raises(Refused, match="another collection's"):
        choose_release(campaign=shared.campaign, release=build_shared("other").release)
    Campaign.objects.filter(pk=shared.campaign.pk).update(release=None)
    choose_release(campaign=shared.campaign, release=shared.release)
    assert not SubmissionScore.objects.exists()
    end(shared.campaign)
    Campaign.objects.filter(pk=shared.campaign.pk).update(results_opened_at=shared.campaign.closes_at)
    with pytest.raises(Refused, match="results are open, so the release stays"):
        choose_release(campaign=shared.campaign, release=shared.release)


def test_a_campaign_is_over_a_release_or_judged_later_and_over_nothing_else(shared: Shared) -> None:
    common = {
        "member": shared.people["ada"],
        "name": "third",
        "title": "Third",
        "split": "test",
        "opens_at": shared.campaign.opens_at,
        "closes_at": shared.campaign.closes_at,
        "results_at": shared.campaign.closes_at,
    }
    same_moment = {**common, "release": shared.release, "closes_at": shared.campaign.opens_at}
    with pytest.raises(Refused) as refusal:
        make_campaign(**same_moment)
    assert list(refusal.value.wrong) == ["closes_at"], "a campaign that closes as it opens takes no run"
    with pytest.raises(Refused, match="another collection's"):
        make_campaign(**common, release=build_shared("other").release)
    made = make_campaign(**common, release=shared.release, most_a_day=3, most_submissions=3)
    assert made.made_by == shared.people["ada"] and made.topics.count() == 3, "results may open as submissions close"


def test_topics_are_taken_anew_until_the_first_run_comes(shared: Shared) -> None:
    campaign, ada = shared.campaign, shared.client("ada")
    there = f"/c/paper/campaigns/{campaign.pk}/"
    campaign.topics.filter(topic_id="2").delete()
    page = ada.post(f"{there}topics", follow=True).content.decode()
    assert "The campaign has 3 topics now." in page and campaign.topics.count() == 3
    shared.send("Reds")
    campaign.topics.filter(topic_id="2").delete()
    page = ada.post(f"{there}topics", follow=True).content.decode()
    assert "Teams have sent runs already, so the topics stay as they are." in page and campaign.topics.count() == 2
    with pytest.raises(Refused, match="the topics stay as they are"):
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
    team = Team.objects.get(pk=reds.pk)
    assert (team.name, team.affiliation, team.contact, team.anonymous) == ("The Reds", "Red Lab", "", False)
    change_team(team=reds, name="x" * 80, affiliation="y" * 200, anonymous=True)
    for bad, field in (
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"affiliation": "y" * 201}, "affiliation"),
        ({"contact": "z" * 201}, "contact"),
        ({"name": "Blues"}, "name"),
    ):
        with pytest.raises(Refused) as refusal:
            change_team(team=reds, **bad)
        assert refusal.value.field == field
    team.refresh_from_db()
    assert (team.name, team.affiliation, team.anonymous) == ("x" * 80, "y" * 200, True)


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


def test_a_phase_begins_at_its_moment_and_submissions_close_after_theirs(shared: Shared) -> None:
    campaign, moment = shared.campaign, timedelta(microseconds=1)
    for at, phase in (
        (campaign.opens_at - moment, Phase.ANNOUNCED),
        (campaign.opens_at, Phase.OPEN),
        (campaign.closes_at, Phase.OPEN),
        (campaign.closes_at + moment, Phase.CLOSED),
        (campaign.results_at + moment, Phase.CLOSED),
    ):
        assert phase_of(campaign, at) == phase, at
    campaign.results_opened_at = campaign.closes_at
    assert phase_of(campaign, campaign.opens_at) == Phase.RESULTS, "a lead opens them, not the clock"


def test_a_team_reads_what_to_do_next(shared: Shared) -> None:
    rob = shared.client("rob")

    def said() -> str:
        return rob.get(HOME).content.decode()

    assert shared.send("Reds", b"{", name="broken").problem.startswith("run.jsonl has 1 fault; the first: line 1")
    assert "Your run broken was refused: mend the lines" in said()
    twice = shared.send("Reds", lines(['{"query_id": 5}', '{"query_id": 6}']), name="twice", file_name="twice.jsonl")
    assert twice.problem.startswith("twice.jsonl has 2 faults; the first: line 1")
    shared.send("Reds")
    assert "was refused: mend" not in said() and "You can send runs until" in said()
    Campaign.objects.update(most_pooled=1)
    assert "check their order" not in said(), "one run counts, and one was sent"
    shared.send("Reds", good_run(spoiled=1), name="two")
    assert "Of your 2 runs the first 1 by priority count" in said()
    end(shared.campaign)
    assert "Submissions closed at" in said() and "Results are announced for" in said()
    disqualify_team(team=shared.teams["Reds"], reason="Two teams of one lab.")
    Campaign.objects.update(closes_at=database_now() + timedelta(days=1), results_at=database_now() + timedelta(days=2))
    assert "Your team was disqualified." in said() and "Results are announced for" not in said()


def test_a_run_stands_while_it_is_accepted_and_nobody_took_it_or_its_team_out(shared: Shared) -> None:
    run, broken = shared.send("Reds"), shared.send("Reds", b"{", name="broken")
    assert run.stands and not broken.stands
    for field in ("withdrawn_at", "excluded_at"):
        taken = Submission.objects.get(pk=run.pk)
        setattr(taken, field, database_now())
        assert not taken.stands, field
    disqualify_team(team=shared.teams["Reds"], reason="Two teams of one lab.")
    assert not Submission.objects.get(pk=run.pk).stands
    with pytest.raises(Refused, match="disqualified"):
        shared.receive("Reds", good_run(spoiled=1), name="two")


def test_a_new_campaign_is_offered_over_each_released_split_and_over_topics_judged_later(shared: Shared) -> None:
    shared.release.manifest["counts"] = {"val": {"queries": 0}, "test": {"queries": 3}}
    shared.release.save()
    assert [value for value, _ in choices_of(shared.collection)] == ["", f"{shared.release.pk}:test"]
    add_topic(collection=shared.collection, typed={"id": "t0", "text": "Somebody does a thing.", "split": "val"})
    other = build_shared("other")
    add_topic(collection=other.collection, typed={"id": "t0", "text": "Somebody does a thing.", "split": "test"})
    assert [value for value, _ in choices_of(shared.collection)] == ["", f"{shared.release.pk}:test", "later:val"]
    assert "judged later from the teams' runs (queries: 1)" in html.unescape(
        page(shared.client("ada"), "/c/paper/campaigns/")
    )


def test_a_run_without_a_name_or_a_file_is_refused_beside_its_field(shared: Shared) -> None:
    rob = shared.client("rob")
    for sent, field in (
        ({"file": SimpleUploadedFile("one.jsonl", good_run())}, "run_name"),
        ({"run_name": "one"}, "file"),
        ({"run_name": "one", "priority": "0", "file": SimpleUploadedFile("one.jsonl", good_run())}, "priority"),
        ({"run_name": "one", "priority": "x", "file": SimpleUploadedFile("one.jsonl", good_run())}, "priority"),
    ):
        answer = rob.post(f"{HOME}submit", sent, headers={"Accept": "application/json"})
        assert (answer.status_code, list(answer.json()["wrong"])) == (400, [field])
    assert not Submission.objects.exists()
    rob.post(f"{HOME}submit", {"run_name": "one", "file": SimpleUploadedFile("mine.jsonl", good_run())})
    run = Submission.objects.get()
    assert (run.file_name, run.account, run.priority) == ("mine.jsonl", shared.accounts["rob"], 1)


def test_a_team_s_page_lists_its_people_and_the_links_that_are_open(shared: Shared) -> None:
    team, place = shared.teams["Reds"], TeamMember.objects.get(account=shared.accounts["rob"])
    made = [make_link(team=team, by=None).link for _ in range(3)]
    make_link(team=shared.teams["Blues"], by=None)
    TeamLink.objects.filter(pk=made[1].pk).update(withdrawn_at=database_now())
    TeamLink.objects.filter(pk=made[2].pk).update(expires_at=database_now())
    facts = home_facts(place)
    assert (facts["members"], [link.pk for link in facts["links"]]) == (["rob", "ria"], [made[0].pk])
    assert (facts["takes_runs"], facts["opened"], facts["measure"], facts["runs"]) == (True, True, "", [])


def test_the_first_reason_for_which_a_run_is_out_stays_until_it_counts_again(shared: Shared) -> None:
    run = shared.send("Reds")
    for reason in ("It copied.", "Another reason."):
        exclude_submission(submission=run, reason=reason)
        run.refresh_from_db()
        assert run.excluded_reason == "It copied."
    include_submission(submission=run)
    run.refresh_from_db()
    assert (run.excluded_at, run.excluded_reason) == (None, "")


def test_somebody_of_the_team_stays_in_it_by_another_link_which_stays_good(shared: Shared) -> None:
    made = make_link(team=shared.teams["Reds"], by=None)
    place = TeamMember.objects.get(account=shared.accounts["rob"])
    assert join_team(token=made.token, account=shared.accounts["rob"]) == place
    made.link.refresh_from_db()
    assert made.link.used_at is None
    with pytest.raises(Refused, match="nobody can be in two"):
        join_team(token=made.token, account=shared.accounts["bea"])


def test_no_letter_tells_of_a_refused_run_that_is_gone_or_of_another_team_s(shared: Shared) -> None:
    run = shared.send("Reds", b"{")

    def letter(name: str) -> Any:
        return says_refused(MailItem(account=shared.accounts[name], facts={"submission": run.pk}))

    assert letter("rob").path == f"{HOME}runs/{run.pk}/" and letter("bea") is None
    Submission.objects.filter(pk=run.pk).update(state=Submission.State.ACCEPTED)
    assert letter("rob") is None
    run.delete()
    assert letter("rob") is None


def test_runs_without_a_topic_that_all_have_a_value_for_are_not_compared(shared: Shared) -> None:
    shared.send("Reds")
    shared.send("Blues", good_run(spoiled=1))
    score = SubmissionScore.objects.order_by("pk")[0]
    SubmissionScore.objects.filter(pk=score.pk).update(per_query=[[None for _ in row] for row in score.per_query])
    job, is_new = ask_for_comparison(campaign=shared.campaign)
    assert job is not None and is_new
    compare_campaign(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("refused", "No query has a value for every run.")
    again, is_new = ask_for_comparison(campaign=shared.campaign)
    assert is_new and again != job, "one that found nothing is no comparison of these runs"


def test_no_other_team_s_run_counts_as_one_s_own(shared: Shared) -> None:
    mine, theirs = shared.send("Reds"), shared.send("Blues", name="secret system")
    rob = shared.client("rob")
    assert "secret system" not in page(rob, f"{HOME}runs/{mine.pk}/") and Submission.objects.count() == 2
    assert rob.get(f"{HOME}runs/{theirs.pk}/").status_code == 404
    runs = rob.get("/api/v1/campaigns/paper-task/runs")
    assert runs.status_code == 200 and "secret system" not in runs.content.decode()
