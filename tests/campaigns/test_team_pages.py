"""Pages of teams, of their organiser, and the public one: who sees what, and when."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.people.own_data import own_data
from campaigns.mails import tell_of_deadlines
from campaigns.models import Campaign, Submission, Team, TeamLink, TeamMember
from campaigns.planning.campaigns import change_campaign
from campaigns.results.opening import open_results
from campaigns.submissions.decisions import exclude_submission
from campaigns.submissions.jobs import check_submission
from campaigns.teams.joining import join_team, make_link
from campaigns.teams.teams import disqualify_team, read_teams
from config.web.server import LEAST_RATE
from foundation.access.arrival_time import database_now, note_wait
from foundation.collections.members import add_member
from foundation.infra import task_queue
from foundation.models import Account, Collection, MailItem, Membership
from foundation.refused import Refused
from tests.addresses import TEAMS, patterns
from tests.campaigns.worlds import Shared, build_shared, end, good_run, lines

HOME = "/campaigns/paper-task/"


@pytest.fixture(autouse=True)
def no_queue(settings: Any) -> None:
    """Nothing is sent to workers: tests run the jobs themselves."""
    settings.CELERY_TASK_ALWAYS_EAGER = False


def text(answer: Any) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", answer.content.decode())


def team_addresses() -> dict[str, str]:
    """The addresses of teams' pages, by name, for run 1; public standings have tests of their own."""
    values = {"campaign": "paper-task", "submission_id": 1, "file": "topics.tsv", "token": "no-such"}
    addresses = {}
    for pattern in patterns():
        if pattern.name in TEAMS - {"team-join", "public-standings", "public-standings-file"}:
            addresses[pattern.name] = reverse(
                pattern.name, kwargs={key: values[key] for key in pattern.pattern.converters}
            )
    return addresses


def test_a_team_s_pages_are_404_to_everybody_else(shared: Shared) -> None:
    run = shared.send("Reds")
    stranger = Account.objects.create(username="mal")
    outsider = Client()
    outsider.force_login(stranger)
    posts = {"campaign-submit", "team-change", "team-submission-change"}
    for name, there in team_addresses().items():
        there = there.replace("/runs/1/", f"/runs/{run.pk}/")
        for client in (outsider, shared.client("ada"), shared.client("bo")):
            asked = client.post(there) if name in posts else client.get(there)
            assert asked.status_code == 404, (name, asked.status_code)
        anybody = Client()
        asked = anybody.post(there) if name in posts else anybody.get(there)
        assert asked.status_code == 302 and asked["Location"].startswith("/login/"), name
        if "/runs/" in there:
            asked = shared.client("bea").post(there) if name in posts else shared.client("bea").get(there)
            assert asked.status_code == 404, name
        past = shared.client("rob").get(there.replace(f"/{run.pk}/", f"/{10**30}/"))
        assert past.status_code in (200, 404, 405), (name, "a number past every row")
    for there in ("/c/paper/", "/c/paper/judge/", "/c/paper/campaigns/", f"/c/paper/submissions/{run.pk}/"):
        assert shared.client("rob").get(there).status_code == 404, "a team is no member of the collection"


def test_a_team_downloads_topics_and_never_what_was_judged(shared: Shared) -> None:
    rob = shared.client("rob")
    page = text(rob.get(HOME))
    assert "Download the topics, and send your first run." in page
    files = {}
    for file in ("topics.jsonl", "topics.tsv", "topics.trec", "video_corpus.json"):
        files[file] = rob.get(f"{HOME}files/{file}").content.decode()
    assert files["topics.tsv"] == "".join(f"{n}\tA woman does thing {n}.\n" for n in (1, 2, 3))
    assert '"alpha": 60.0' in files["video_corpus.json"]
    whole = page + "".join(files.values())
    for secret in ("secret caption", "relevan", "0.9", "similar", "grade"):
        assert secret not in whole, secret
    assert rob.get(f"{HOME}files/test.json").status_code == 404
    now = database_now()
    Campaign.objects.update(opens_at=now + timedelta(hours=1), closes_at=now + timedelta(hours=2))
    assert rob.get(f"{HOME}files/topics.tsv").status_code == 404
    assert "topics.tsv" not in text(rob.get(HOME))


def test_a_run_is_sent_with_its_faults_shown_and_is_in_time_by_its_beginning(shared: Shared) -> None:
    rob = shared.client("rob")
    assert f"doesn’t come too slowly: at {LEAST_RATE // 1024} KB a second or faster" in text(rob.get(HOME))
    assert rob.post(f"{HOME}submit", {"run_name": "one"}).status_code == 400
    broken = SimpleUploadedFile("one.jsonl", lines(['{"query_id": 5, "predictions": []}', "{"]))
    sent = rob.post(f"{HOME}submit", {"run_name": "one", "file": broken, "description": "<b>ours</b>"})
    run = Submission.objects.get()
    assert sent["Location"] == f"{HOME}runs/{run.pk}/"
    check_submission(run.pk)
    page = text(rob.get(sent["Location"]))
    assert "line 1" in page and "query_id &#x27;5&#x27;" in page and "line 2" in page
    assert "&lt;b&gt;ours&lt;/b&gt;" in page
    assert "was refused" in text(rob.get(HOME))
    lead = shared.client("ada")
    assert "line 2" in text(lead.get(f"/c/paper/submissions/{run.pk}/"))
    assert lead.get(f"/c/paper/submissions/{run.pk}/file").status_code == 404
    # The head of the request came a minute ago, ten seconds before the end.
    now = database_now()
    Campaign.objects.update(closes_at=now - timedelta(seconds=50))
    note_wait(60)
    try:
        answer = rob.post(
            f"{HOME}submit",
            {"run_name": "one", "file": SimpleUploadedFile("one.jsonl", good_run())},
            headers={"Accept": "application/json"},
        )
        assert answer.status_code == 200, answer.content
        second = Submission.objects.latest("pk")
        assert second.begun_at < now - timedelta(seconds=50) and not second.late
    finally:
        note_wait(0)
    answer = rob.post(
        f"{HOME}submit",
        {"run_name": "two", "file": SimpleUploadedFile("two.jsonl", good_run(spoiled=1))},
        headers={"Accept": "application/json"},
    )
    assert answer.status_code == 400 and "Submissions closed" in answer.json()["wrong"]["file"]


def test_scores_and_boards_are_hidden_until_a_lead_opens_them(shared: Shared) -> None:
    run, other = shared.send("Reds"), shared.send("Blues", good_run(spoiled=2), name="secret system")
    rob, own = shared.client("rob"), f"{HOME}runs/{run.pk}/"
    assert "NDCG" not in text(rob.get(own)) + text(rob.get(HOME)) and rob.get(f"{HOME}board/").status_code == 404
    change_campaign(campaign=shared.campaign, own_scores=True)
    assert "NDCG" in text(rob.get(own)) and rob.get(f"{HOME}board/").status_code == 404
    listed = text(rob.get(HOME))
    score = Submission.objects.with_scores().get(pk=run.pk).score
    assert "NDCG" in listed and f"{score.values[score.board.measures[0]]:.4f}" in listed, "beside the run"
    assert "secret system" not in text(rob.get(HOME)) + text(rob.get(own))
    end(shared.campaign)
    ada = shared.client("ada")
    Team.objects.filter(name="Blues").update(anonymous=True)
    assert ada.post(f"/c/paper/campaigns/{shared.campaign.pk}/results").status_code == 302
    board = text(rob.get(f"{HOME}board/"))
    assert "secret system" in board and "Team 2" in board and "Blues" not in board and "Red Lab" in board
    assert Client().get(HOME).status_code == 302
    Campaign.objects.update(audience="public")
    visitor = text(Client().get(HOME))
    assert "Team 2" in visitor and "rob" not in visitor and "r@example.org" not in visitor
    assert rob.get(f"{HOME}runs/{other.pk}/").status_code == 404
    Campaign.objects.update(audience="leads")
    assert rob.get(f"{HOME}board/").status_code == 404
    ada.post(f"/c/paper/campaigns/{shared.campaign.pk}/results", {"hide": "1"})
    Campaign.objects.update(audience="teams")
    assert rob.get(f"{HOME}board/").status_code == 404


def test_a_link_lets_one_person_in_and_says_why_it_lets_in_nobody_else(shared: Shared) -> None:
    token = make_link(team=shared.teams["Blues"], by=None).token
    there = f"/teams/join/{token}/"
    assert "You are invited to the team Blues" in text(Client().get(there))
    for who, why in (("bo", "You belong to the collection"), ("rob", "nobody can be in two")):
        for asked in (shared.client(who).get(there), shared.client(who).post(there)):
            assert asked.status_code == 410 and why in text(asked), "nothing is offered that is refused afterwards"
    visitor = Client()
    new = {"username": "ben", "password1": "a-paper-moon", "password2": "a-paper-moo"}
    assert visitor.post(there, new).status_code == 400 and not Account.objects.filter(username="ben").exists()
    assert visitor.post(there, new | {"password2": "a-paper-moon"})["Location"] == HOME
    assert visitor.get("/")["Location"] == HOME, "the only place of this account"
    assert visitor.get(there)["Location"] == HOME
    used = Client().post(there, new | {"username": "bix", "password2": "a-paper-moon"})
    assert used.status_code == 410 and not Account.objects.filter(username="bix").exists()
    assert Client().get("/teams/join/nothing/").status_code == 404
    for change in ({"withdrawn_at": database_now()}, {"expires_at": database_now()}):
        other = make_link(team=shared.teams["Blues"], by=None)
        TeamLink.objects.filter(pk=other.link.pk).update(**change)
        assert Client().get(f"/teams/join/{other.token}/").status_code == 410


def test_who_becomes_a_member_of_the_collection_loses_the_place_in_a_team(shared: Shared) -> None:
    bea = shared.client("bea")
    assert bea.get(HOME).status_code == 200
    add_member(collection=shared.collection, account=shared.accounts["bea"], role="annotator")
    refused = bea.get(HOME)
    assert refused.status_code == 403 and "your place in a team is closed" in text(refused)
    assert bea.get(f"{HOME}files/topics.tsv").status_code == 403
    assert "1 member of it belongs to this collection" in text(
        shared.client("ada").get(f"/c/paper/campaigns/{shared.campaign.pk}/")
    )
    there = f"/c/paper/teams/{shared.teams['Blues'].pk}/change"
    place = TeamMember.objects.get(account=shared.accounts["bea"])
    assert shared.client("ada").post(there, {"what": "remove", "member": place.pk}).status_code == 302
    assert bea.get(HOME).status_code == 404


def test_a_team_reads_why_it_or_its_run_counts_no_longer(shared: Shared) -> None:
    run = shared.send("Reds")
    exclude_submission(submission=run, reason="It answers with the test truth.")
    rob = shared.client("rob")
    assert "It answers with the test truth." in text(rob.get(f"{HOME}runs/{run.pk}/"))
    disqualify_team(team=shared.teams["Reds"], reason="Two teams of one lab.")
    page = text(rob.get(HOME))
    assert "Two teams of one lab." in page and 'id="send-run"' not in page


def test_the_organiser_makes_a_campaign_with_its_teams_in_the_browser(shared: Shared) -> None:
    ada = shared.client("ada")
    form = {
        "title": "Second",
        "name": "second",
        "over": f"{shared.release.pk}:test",
        "opens_at": "2026-12-01 12:00",
        "closes_at": "2026-12-01T11:00",
        "results_at": "tomorrow",
        "audience": "public",
        "most_submissions": "8",
        "most_a_day": "0",
        "most_pooled": "4",
        "most_predictions": "1,000",
    }
    wrong = ada.post("/c/paper/campaigns/make", form)
    page = text(wrong)
    assert wrong.status_code == 400 and "Write it as 2026-12-01 18:00" in page and "whole number from 1" in page
    assert 'value="Second"' in page
    assert re.search('type="datetime-local"[^>]*value="2026-12-01T12:00"', page), "a date's own field reads no blank"
    form |= {"results_at": "2027-01-01 00:00", "most_a_day": "4"}
    assert "Found a moment before the campaign opens" in text(ada.post("/c/paper/campaigns/make", form))
    for over in ("", "9999999:test", "later:train", "x"):
        sent = form | {"closes_at": "2026-12-09 11:00", "over": over}
        assert ada.post("/c/paper/campaigns/make", sent).status_code == 400, over
    made = ada.post("/c/paper/campaigns/make", form | {"closes_at": "2026-12-09 11:00"})
    second = Campaign.objects.get(name="second")
    assert made["Location"] == f"/c/paper/campaigns/{second.pk}/" and second.topics.count() == 3
    there = f"/c/paper/campaigns/{second.pk}/teams/make"
    bad = ada.post(there, {"teams": "One; Lab; a@b\nTwo;;;;\n"})
    assert bad.status_code == 400 and "Line 2" in text(bad) and not second.teams.exists()
    done = text(ada.post(there, {"teams": "".join(f"Team {n}; Lab {n}; {n}@example.org\n" for n in range(20))}))
    assert second.teams.count() == 20 and done.count("/teams/join/") == 20
    assert "there is a team" in text(ada.post(there, {"teams": "TEAM 3"})).lower()
    page = text(ada.get(f"/c/paper/campaigns/{second.pk}/"))
    assert page.count("nobody has joined yet") == 20
    with pytest.raises(Refused, match="twice"):
        read_teams("a\nA")
    with pytest.raises(Refused, match="twice"):
        read_teams("Zoë\nZoe\u0308")
    assert ada.post(f"/c/paper/campaigns/{second.pk}/delete")["Location"] == "/c/paper/campaigns/"


def test_another_collection_s_numbers_are_404(shared: Shared) -> None:
    run = shared.send("Reds")
    other = build_shared("other")
    ada = other.client("ada")
    for there in (
        f"campaigns/{shared.campaign.pk}/",
        f"campaigns/{shared.campaign.pk}/teams/",
        f"teams/{shared.teams['Reds'].pk}/",
        f"submissions/{run.pk}/",
        f"submissions/{run.pk}/file",
    ):
        assert ada.get(f"/c/other/{there}").status_code == 404, there
    for there in ("change", "topics", "release", "score", "results", "delete", "teams/make"):
        assert ada.post(f"/c/other/campaigns/{shared.campaign.pk}/{there}").status_code == 404
    assert other.client("rob").get(f"/campaigns/other-task/runs/{run.pk}/").status_code == 404


def test_nothing_is_taken_or_changed_in_the_archive(shared: Shared) -> None:
    Collection.objects.update(archived_at=database_now())
    rob = shared.client("rob")
    assert rob.get(HOME).status_code == 200 and rob.get(f"{HOME}files/topics.tsv").status_code == 200
    sent = {"run_name": "one", "file": SimpleUploadedFile("one.jsonl", good_run())}
    assert rob.post(f"{HOME}submit", sent).status_code == 403
    assert rob.post(f"{HOME}team", {"what": "leave"}).status_code == 403
    assert Client().get(f"/teams/join/{make_link(team=shared.teams['Reds'], by=None).token}/").status_code == 410
    ada = shared.client("ada")
    assert ada.get(f"/c/paper/campaigns/{shared.campaign.pk}/").status_code == 200
    assert ada.post(f"/c/paper/campaigns/{shared.campaign.pk}/teams/make", {"teams": "x"}).status_code == 403


def test_teams_are_told_once_of_a_near_deadline_and_of_results(shared: Shared, settings: Any) -> None:
    settings.MAIL_IS_SET = True
    tell_of_deadlines()
    tell_of_deadlines()
    assert MailItem.objects.filter(event="campaigns.deadline").count() == 3
    later = database_now() + timedelta(days=9)
    change_campaign(campaign=shared.campaign, closes_at=later, results_at=later)
    tell_of_deadlines()
    assert MailItem.objects.filter(event="campaigns.deadline").count() == 3
    shared.send("Reds")
    end(shared.campaign)
    open_results(campaign=Campaign.objects.get())
    assert MailItem.objects.filter(event="campaigns.results").count() == 3


def test_own_data_has_the_teams_and_the_runs_of_a_person(shared: Shared) -> None:
    shared.send("Reds", description="ours")
    data = "".join(own_data(shared.accounts["rob"]))
    assert '"team_name": "Reds"' in data and '"description": "ours"' in data and "Blues" not in data
    assert Membership.objects.filter(account=shared.accounts["rob"]).count() == 0
    with pytest.raises(Refused, match="nobody can be in two"):
        join_team(token=make_link(team=shared.teams["Blues"], by=None).token, account=shared.accounts["rob"])
    assert task_queue is not None
