"""Limits that a lead moves, days by which runs are counted, runs that went, and what teams' letters say."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from django.test import Client

from campaigns.mails import tell_of_deadlines
from campaigns.models import Campaign, CampaignPooling, Submission, Team
from campaigns.planning.campaigns import change_campaign, take_topics_anew
from campaigns.pooled.put_in_pool import ask_for_pooling, offered_runs, pool_campaign
from campaigns.results.opening import open_results
from campaigns.submissions.decisions import withdraw_submission
from campaigns.submissions.receive import counted
from campaigns.teams.teams import change_team, extend_team
from foundation.access.arrival_time import database_now
from foundation.refused import FileRefused, Refused
from queries.models import PoolRun
from queries.topics.edit_topics import add_topic
from tests.campaigns.shared_task import campaign_over, run_of_seconds, send, teams_of, world_to_judge
from tests.campaigns.worlds import Shared, end, good_run
from tests.mailbox import text_of
from tests.mails import an_hour_later, deliver

EAST, WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))


def test_a_deadline_moved_earlier_marks_late_what_came_after_it(shared: Shared) -> None:
    closes = shared.campaign.closes_at
    early = shared.send("Reds", at=closes - timedelta(hours=20))
    after = shared.send("Blues", at=closes - timedelta(hours=10))
    change_campaign(campaign=shared.campaign, closes_at=closes - timedelta(hours=15))
    assert [Submission.objects.get(pk=run.pk).late for run in (early, after)] == [False, True]
    with pytest.raises(FileRefused, match="Submissions closed"):
        shared.receive("Reds", good_run(spoiled=1), name="two", at=closes - timedelta(hours=14))
    change_campaign(campaign=shared.campaign, closes_at=closes - timedelta(hours=5))
    assert not Submission.objects.filter(late=True).exists()


def test_a_day_is_one_of_utc_wherever_the_clock_stands_that_asks(shared: Shared) -> None:
    change_campaign(
        campaign=shared.campaign,
        opens_at=datetime(2026, 3, 1, tzinfo=UTC),
        closes_at=datetime(2026, 3, 9, tzinfo=UTC),
        results_at=datetime(2026, 3, 10, tzinfo=UTC),
        most_a_day=2,
        most_submissions=5,
    )
    for number, at in enumerate(
        (datetime(2026, 3, 3, 0, 0, 1, tzinfo=UTC), datetime(2026, 3, 3, 23, 59, 59, tzinfo=UTC))
    ):
        shared.send("Reds", good_run(spoiled=number), name=f"run {number}", at=at)
    noon = datetime(2026, 3, 3, 12, tzinfo=UTC)
    for zone in (UTC, EAST, WEST):
        assert counted(shared.teams["Reds"].submissions.all(), noon.astimezone(zone)) == (2, 2)
        with pytest.raises(FileRefused, match="sent 2 runs today"):
            shared.receive("Reds", good_run(spoiled=2), name="third", at=noon.astimezone(zone))
    # The third of March there is the second or the fourth of UTC.
    for at in (datetime(2026, 3, 3, 1, tzinfo=EAST), datetime(2026, 3, 3, 22, tzinfo=WEST)):
        assert counted(shared.teams["Reds"].submissions.all(), at) == (2, 0)


def test_the_limit_of_a_day_ends_with_it_and_the_whole_one_does_not(shared: Shared) -> None:
    now = database_now()
    change_campaign(
        campaign=shared.campaign,
        opens_at=now - timedelta(days=9),
        closes_at=now + timedelta(days=9),
        results_at=now + timedelta(days=9),
        most_a_day=1,
        most_submissions=2,
    )
    shared.send("Reds", name="first", at=now - timedelta(days=3))
    with pytest.raises(FileRefused, match="no more are taken in a day"):
        shared.receive("Reds", good_run(spoiled=1), name="same day", at=now - timedelta(days=3))
    shared.send("Reds", good_run(spoiled=1), name="second", at=now - timedelta(days=2))
    with pytest.raises(FileRefused, match="sent 2 runs, and no more"):
        shared.receive("Reds", good_run(spoiled=2), name="third", at=now)
    assert shared.send("Blues").state == "accepted", "another team's limits are its own"


@pytest.mark.django_db(transaction=True)
def test_a_withdrawn_run_is_neither_offered_to_the_pool_nor_put_into_it() -> None:
    world = world_to_judge()
    campaign = campaign_over(None, lead=world["ada"], most_pooled=2)
    topics = list(campaign.topics.order_by("position").values_list("topic_id", flat=True))
    (kite,) = teams_of(campaign, "kite")
    gone = send(kite, "gone", run_of_seconds(topics, 1, 2, 3))
    stays = send(kite, "stays", run_of_seconds(topics, 4, 5, 6))
    job = ask_for_pooling(campaign=campaign, member=world["ada"], submissions=[gone.pk, stays.pk], recipe="depth@2")
    withdraw_submission(submission=gone)
    pool_campaign(job.pk)
    job.refresh_from_db()
    assert job.state == "refused" and "doesn't count any longer" in job.problem
    assert [offered.run for offered in offered_runs(campaign)] == ["stays"]
    with pytest.raises(Refused, match="doesn't count"):
        ask_for_pooling(campaign=campaign, member=world["ada"], submissions=[gone.pk], recipe="depth@2")
    assert not PoolRun.objects.filter(sha256=gone.sha256).exists()
    assert CampaignPooling.objects.count() == 1


def test_letters_to_teams_have_words_and_links_that_lead_there(shared: Shared, mailbox: list[Any]) -> None:
    tell_of_deadlines()
    refused = shared.send("Reds", b'{"query_id": 77, "predictions": []}\n', name="broken")
    assert refused.state == "refused" and deliver() == 3
    letters = {letter["To"]: text_of(letter) for letter in mailbox}
    assert set(letters) == {"rob@example.org", "ria@example.org", "bea@example.org"}
    for name in ("rob", "ria"):
        _leads_to(letters[f"{name}@example.org"], shared, name, f"/campaigns/paper-task/runs/{refused.pk}/", "broken")
    for name in ("rob", "bea"):
        text = letters[f"{name}@example.org"]
        _leads_to(text, shared, name, "/campaigns/paper-task/", "The task")
        assert f"{shared.campaign.closes_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC" in text
    assert "broken" not in letters["bea@example.org"], "another team's run is nobody's business"
    mailbox.clear()
    shared.send("Blues")
    end(shared.campaign)
    open_results(campaign=Campaign.objects.get())
    an_hour_later()
    assert deliver() == 3
    for letter in mailbox:
        name = letter["To"].partition("@")[0]
        _leads_to(text_of(letter), shared, name, "/campaigns/paper-task/", "results of The task are open")


def _leads_to(text: str, shared: Shared, name: str, path: str, words: str) -> None:
    assert words in " ".join(text.split())
    (address,) = {line.strip() for line in text.splitlines() if line.strip().endswith(path)}
    page = shared.client(name).get(path)
    assert address.startswith("http") and page.status_code == 200, (address, page.status_code)


def test_a_team_changes_its_own_name_on_boards_and_makes_withdraws_and_leaves(shared: Shared) -> None:
    rob, address = shared.client("rob"), "/campaigns/paper-task/team"
    assert rob.post(address, {"what": "shown", "anonymous": "on"}).status_code == 302
    assert Team.objects.get(name="Reds").anonymous
    assert rob.post(address, {"what": "shown"}).status_code == 302
    assert not Team.objects.get(name="Reds").anonymous
    assert rob.post(address, {"what": "link"}).status_code == 200
    link = shared.teams["Reds"].links.get(used_at=None)
    other = shared.client("bea")
    other.post(address, {"what": "withdraw-link", "link": link.pk})
    link.refresh_from_db()
    assert link.withdrawn_at is None, "a link of another team stays"
    rob.post(address, {"what": "withdraw-link", "link": link.pk})
    link.refresh_from_db()
    assert link.withdrawn_at is not None
    assert rob.post(address, {"what": "win"}).status_code == 400
    assert rob.post(address, {"what": "leave"}).status_code == 302
    assert rob.get("/campaigns/paper-task/").status_code == 404
    assert set(shared.teams["Reds"].members.values_list("account__username", flat=True)) == {"ria"}
    assert Client().post(address, {"what": "shown"}).status_code == 302, "a stranger is asked to log in"


def test_a_team_is_renamed_whole_or_not_at_all(shared: Shared) -> None:
    reds = shared.teams["Reds"]
    changed = change_team(
        team=reds, name="  Crimson   kites ", affiliation="Lab", contact="c@example.org", anonymous=True
    )
    assert (changed.name, changed.affiliation, changed.contact, changed.anonymous) == (
        "Crimson kites",
        "Lab",
        "c@example.org",
        True,
    )
    for wrong, field in (
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"name": "Blues"}, "name"),
        ({"name": "New", "affiliation": "x" * 201}, "affiliation"),
        ({"name": "New", "contact": "x" * 201}, "contact"),
    ):
        with pytest.raises(Refused) as refused:
            change_team(team=reds, **wrong)
        assert refused.value.field == field
    reds.refresh_from_db()
    assert reds.name == "Crimson kites" and change_team(team=reds, name=None).anonymous


def test_topics_are_taken_anew_until_the_first_run(db: None) -> None:
    world = world_to_judge()
    campaign = campaign_over(None, lead=world["ada"])
    before = set(campaign.topics.values_list("topic_id", flat=True))
    add_topic(collection=world.collection, typed={"id": "new", "text": "Somebody drops a cup.", "split": "test"})
    assert set(campaign.topics.values_list("topic_id", flat=True)) == before
    assert take_topics_anew(campaign=campaign) == len(before) + 1
    assert set(campaign.topics.values_list("topic_id", flat=True)) == {*before, "new"}
    (kite,) = teams_of(campaign, "kite")
    send(kite, "own", run_of_seconds([*before], 1))
    add_topic(collection=world.collection, typed={"id": "later", "text": "Somebody sings.", "split": "test"})
    with pytest.raises(Refused, match="topics stay as they are"):
        take_topics_anew(campaign=campaign)
    assert set(campaign.topics.values_list("topic_id", flat=True)) == {*before, "new"}


def test_a_deadline_of_a_team_s_own_is_later_than_the_campaign_s_and_can_be_taken_back(shared: Shared) -> None:
    closes, blues = shared.campaign.closes_at, shared.teams["Blues"]
    for until in (closes, closes - timedelta(seconds=1)):
        with pytest.raises(Refused) as refused:
            extend_team(team=blues, until=until)
        assert refused.value.field == "until"
    extend_team(team=blues, until=closes + timedelta(hours=1))
    extend_team(team=blues, until=None)
    with pytest.raises(FileRefused, match="Submissions closed"):
        shared.receive("Blues", at=closes + timedelta(minutes=1))
