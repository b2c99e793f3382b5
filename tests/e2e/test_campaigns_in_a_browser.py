"""A team sends runs and a lead opens results in a real browser: no fault for axe, narrow and dark, by keyboard."""

from pathlib import Path
from typing import Any

import pytest

from campaigns.comparison.compare import compare_campaign
from campaigns.models import Campaign, CampaignComparison, Submission
from campaigns.submissions.jobs import check_submission
from tests.campaigns.shared_task import campaign_over, close, judged_queries, noisy_run, released, send, teams_of
from tests.e2e.axe import found_by_axe

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]
NARROW = {"viewport": {"width": 360, "height": 720}, "color_scheme": "dark"}


def clean(page: Any) -> None:
    assert found_by_axe(page).response["violations"] == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url


def test_a_team_sends_runs_and_everybody_reads_the_results(
    log_in: Any, server: Any, transactional_db: None, tmp_path: Path
) -> None:
    truth = judged_queries(6)
    release = released(tmp_path / "made", truth)
    ada = release.collection.memberships.get(account__username="ada")
    campaign = campaign_over(release, lead=ada, audience=Campaign.Audience.PUBLIC)
    raft = teams_of(campaign, "kite", "raft")[1]
    send(raft, "slow", noisy_run(truth, skill=0.2, seed=3))
    whole = noisy_run(truth, skill=3, seed=1)
    (tmp_path / "cut.jsonl").write_bytes(whole[:-30])
    (tmp_path / "whole.jsonl").write_bytes(whole)

    # A cut file says its line; nothing of it counts.
    page = log_in("kite", **NARROW)
    page.goto(f"{server.address}/campaigns/boats/")
    clean(page)
    for name in ("cut", "whole"):
        page.set_input_files("[name=file]", str(tmp_path / f"{name}.jsonl"))
        page.fill("[name=run_name]", "best")
        page.press("[name=run_name]", "Enter")
        page.wait_for_url("**/runs/*/")
        check_submission(Submission.objects.latest("pk").pk)
        page.reload()
        clean(page)
        said = page.inner_text("main")
        assert ("line 6" in said) == (name == "cut")
        page.goto(f"{server.address}/campaigns/boats/")
    # What is wrong with a form stands beside its field, which has the focus.
    page.set_input_files("[name=file]", str(tmp_path / "whole.jsonl"))
    page.fill("[name=run_name]", "other")
    page.press("[name=run_name]", "Enter")
    page.wait_for_selector("#send-run .wrong")
    assert page.evaluate("document.activeElement.name") == "file"
    assert "the same file already, as best" in page.inner_text("#send-run .wrong")
    clean(page)

    # The lead closes, compares, opens; each page is clean.
    close(campaign)
    lead = log_in("ada", **NARROW)
    here = f"{server.address}/c/task/campaigns/{campaign.pk}/"
    for place in ("", "teams/", "standings/", "export/"):
        lead.goto(here + place)
        clean(lead)
    lead.goto(f"{here}standings/")
    lead.click("text=Compare the runs")
    lead.wait_for_load_state()
    compare_campaign(CampaignComparison.objects.get().pk)
    lead.goto(f"{here}standings/")
    clean(lead)
    lead.goto(here)
    lead.click("text=Open the results")
    lead.wait_for_load_state()
    clean(lead)

    # The team, and anybody.
    for address in ("/campaigns/boats/board/", "/campaigns/boats/topics/", "/campaigns/boats/standings/"):
        page.goto(server.address + address)
        clean(page)
    visitor = page.context.browser.new_page(viewport={"width": 1280, "height": 720}, bypass_csp=True)
    for address in ("/campaigns/boats/", "/campaigns/boats/standings/", "/campaigns/boats/board/"):
        visitor.goto(server.address + address)
        clean(visitor)
        assert "kite" in visitor.inner_text("main")
    visitor.close()
