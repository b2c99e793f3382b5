"""Around a campaign: text that would run, another draw, a full disk, a release that is public no longer."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.urls import reverse

from campaigns.models import Submission
from campaigns.planning.campaigns import make_campaign
from campaigns.submissions.decisions import exclude_submission
from campaigns.teams.teams import disqualify_team
from campaigns.topics.freeze import topics_given
from datasets.models import ReleasePage
from datasets.presentation.services import withdraw_page
from foundation.access.arrival_time import database_now
from foundation.infra.storage import SPACE_NEEDED
from foundation.models import Membership
from foundation.refused import FileRefused, Refused
from queries.models import Draw, Query
from queries.pooling.drawable import why_fixed
from queries.pooling.query_selection import select_queries
from tests.campaigns.worlds import Shared, end, good_run
from tests.operation.full_disks import fill, small_disk

SHORT = "\"'><img src=x onerror=a(1)>"
RUNS = ("<img src=x", "</script></textarea>")


def fill_with_text(table: str, *columns: str) -> None:
    with connection.cursor() as cursor:
        for column in columns:
            cursor.execute(f'UPDATE "{table}" SET "{column}" = %s || id', [SHORT])


@pytest.mark.parametrize("over", [False, True])
def test_no_page_of_a_campaign_runs_a_text(shared: Shared, over: bool) -> None:
    campaign, reds = shared.campaign, shared.teams["Reds"]
    good = shared.send("Reds")
    bad = shared.send("Reds", good_run()[:-20], name="two")
    excluded = shared.send("Reds", good_run(spoiled=1), name="three")
    exclude_submission(submission=excluded, reason=SHORT)
    if over:
        end(campaign)
        disqualify_team(team=shared.teams["Blues"], reason=SHORT)
        campaign.results_opened_at = database_now()
    campaign.audience = campaign.Audience.PUBLIC
    campaign.own_scores = True
    campaign.save()
    fill_with_text("campaigns_campaign", "title", "contact", "rules")
    fill_with_text("campaigns_team", "name", "affiliation", "contact")
    fill_with_text("campaigns_submission", "name", "description", "file_name")
    fill_with_text("campaigns_topic", "text", "narrative")
    fill_with_text("foundation_account", "username")
    fill_with_text("foundation_collection", "title")
    Submission.objects.filter(pk=bad.pk).update(faults=[{"place": SHORT, "found": SHORT, "expected": SHORT}])
    here, named = ["paper", campaign.pk], [campaign.name]
    of_leads = [
        reverse("campaigns", args=["paper"]),
        *(reverse(name, args=here) for name in ("campaign", "campaign-teams", "campaign-standings")),
        *(reverse(name, args=here) for name in ("campaign-pool", "campaign-export")),
        reverse("campaign-team", args=["paper", reds.pk]),
        *(reverse("campaign-submission", args=["paper", run.pk]) for run in (good, bad, excluded)),
    ]
    of_teams = [
        "/",
        reverse("campaign-home", args=named),
        *(reverse("team-submission", args=[*named, run.pk]) for run in (good, bad, excluded)),
    ]
    public = [reverse("campaign-home", args=named)]
    if over:
        public += [reverse("campaign-board", args=named), f"/campaigns/{campaign.name}/standings/"]
        of_teams += [*public, f"/campaigns/{campaign.name}/topics/"]
    shown = 0
    for who, addresses in (("ada", of_leads), ("rob", of_teams), ("", public)):
        client = shared.client(who) if who else shared.client("rob")
        if not who:
            client.logout()
        for address in addresses:
            answer = client.get(address, follow=True)
            assert answer.status_code == 200, (who, address)
            text = answer.content.decode()
            assert not [run for run in RUNS if run in text.lower()], (who, address)
            shown += "&lt;img src=x" in text
    assert shown >= len(of_leads) + len(of_teams), "the texts are on the pages"


def test_the_topics_of_a_campaign_judged_later_are_not_drawn_again(shared: Shared) -> None:
    collection, lead = shared.collection, shared.people["ada"]
    Query.objects.filter(collection=collection).delete()
    Draw.objects.create(collection=collection, val=0, test=1, seed=1)
    Query.objects.create(
        collection=collection, split="test", position=0, text="A boat.", normalised="a boat.", topic_id="1"
    )
    assert topics_given(collection) == "", "a campaign over a release has topics of its own"
    now = database_now()
    later = {"judged_later": True, "split": "test", "release": None, "title": "Boats later", "name": "later"}
    when = {"closes_at": now + timedelta(days=2), "results_at": now + timedelta(days=3)}
    campaign = make_campaign(member=lead, **later, **when, opens_at=now + timedelta(days=1))
    assert topics_given(collection) == "", "nobody has its topics yet"
    campaign.opens_at = now - timedelta(days=1)
    campaign.save()
    with pytest.raises(Refused, match="Boats later has given these queries to its teams as topics"):
        select_queries(collection=collection, val=0, test=1, seed=2, redraw=True)
    assert Query.objects.filter(collection=collection).count() == 1
    campaign.release = shared.release
    campaign.save()
    assert topics_given(collection) == ""
    assert "Boats later" not in why_fixed(collection)


def test_a_full_disk_refuses_a_team_s_run_with_the_reason(shared: Shared, settings: Any, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        settings.MEDIA_ROOT = disk
        filler = fill(disk)
        with pytest.raises(FileRefused, match=str(SPACE_NEEDED)):
            shared.receive("Reds")
        assert not Submission.objects.exists()
        assert [path for path in disk.rglob("*") if path.is_file()] == [filler]
        settings.FILE_UPLOAD_TEMP_DIR = str(disk)  # where Django writes a large file before the page is asked
        home, large = reverse("campaign-home", args=["paper-task"]), SimpleUploadedFile("run.jsonl", b"x" * 3_000_000)
        form = {"file": large, "run_name": "BM25"}
        answer = shared.client("rob").post(f"{home}submit", form, headers={"referer": f"http://testserver{home}"})
        assert answer.status_code == 302 and answer["Location"].endswith(home)
        assert [str(message) for message in get_messages(answer.wsgi_request)] == [str(SPACE_NEEDED)]
        filler.unlink()
        assert shared.send("Reds").state == "accepted"


def test_a_campaign_goes_on_when_its_release_is_public_no_longer(shared: Shared) -> None:
    Membership.objects.filter(pk=shared.people["ada"].pk).update(role="owner")
    owner = Membership.objects.get(pk=shared.people["ada"].pk)
    ReleasePage.objects.create(release=shared.release, public_since=database_now())
    withdraw_page(member=owner, release=shared.release)
    run = shared.send("Reds")
    assert run.state == "accepted" and run.score.values
    assert shared.client("rob").get(reverse("campaign-home", args=[shared.campaign.name])).status_code == 200
