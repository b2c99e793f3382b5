"""An audit of judgments in a browser: sent, followed, read, stopped and deleted, for every eye and width."""

from pathlib import Path
from typing import Any

import pytest

from datasets.judgment_audits.jobs import audit_judgments
from datasets.models import JudgmentAudit
from tests.e2e.axe import found_by_axe
from tests.evaluation.judgments.test_audit import SMALL, write_judgments

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

WIDEST = "document.documentElement.scrollWidth <= innerWidth"


def look(page: Any) -> None:
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        found = found_by_axe(page)
        assert found.violations_count == 0, found.generate_report()
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate(WIDEST), "wider than a phone"
    page.set_viewport_size({"width": 1280, "height": 720})


def test_an_annotator_audits_a_file_by_the_keyboard(log_in: Any, site: str, tmp_path: Path) -> None:
    path = write_judgments(tmp_path / "raw_annotation.csv", SMALL)
    page = log_in("bo")
    page.goto(f"{site}/account/")
    page.get_by_role("link", name="Your audits").press("Enter")
    page.wait_for_url(f"{site}/judgment-audits/")
    look(page)
    page.set_input_files("[name=file]", path)
    page.get_by_role("button", name="Audit", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=progressbar]")
    look(page)
    page.get_by_role("button", name="Stop").press("Enter")
    page.get_by_role("button", name="Resume").press("Enter")
    page.wait_for_selector("[role=progressbar]")
    audit_judgments(JudgmentAudit.objects.get().pk)
    page.wait_for_selector("svg text")  # the page has loaded itself again
    assert page.locator("h2").count() == 6
    page.get_by_text("Each two workers").press("Enter")
    look(page)
    page.get_by_role("button", name="Delete the audit").press("Enter")
    page.wait_for_url(f"{site}/judgment-audits/")
    assert not JudgmentAudit.objects.exists()


def test_a_long_name_of_a_refused_file_fits_a_phone(log_in: Any, site: str, tmp_path: Path) -> None:
    path = tmp_path / f"{'raw_annotation' * 12}.csv"
    path.write_text("hello\n")
    page = log_in("bo")
    page.goto(f"{site}/judgment-audits/")
    page.set_input_files("[name=file]", path)
    page.get_by_role("button", name="Audit", exact=True).press("Enter")
    page.wait_for_selector("[role=progressbar]")
    audit_judgments(JudgmentAudit.objects.get().pk)
    page.wait_for_selector(".outcome.refused")
    look(page)
    page.goto(f"{site}/judgment-audits/")
    assert page.locator("td .pill").count() == 1
    look(page)
