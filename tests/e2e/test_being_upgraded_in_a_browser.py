"""While the site is being upgraded: grades wait in the browser and are sent, and a page opens by itself afterwards."""

from typing import Any

import pytest

from foundation.infra import upgrade_state
from foundation.infra.upgrade_state import Upgrade
from tests.e2e.axe import found_by_axe
from tests.e2e.judging_steps import FORGET, PATIENCE, grades_of, judge, wait_for_strip, wait_for_today, wait_until_open

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


def test_grades_are_kept_and_sent_and_what_was_asked_for_opens_by_itself(log_in: Any, server: Any) -> None:
    page = log_in("bo")
    wait_until_open(page)
    upgrade_state.say(Upgrade(version="0.9.0", tables=upgrade_state.KNOWN_TABLES, since="2026-11-22T10:00:00+00:00"))
    try:
        judge(page, "3")
        wait_for_strip(page, "1 judgment waits")
        other = page.context.new_page()
        other.goto(f"{server.address}/account/")
        other.wait_for_selector("h1:text('Qreels is being upgraded')")
        assert found_by_axe(other).response["violations"] == []
        # Also the judging page, where the browser has kept none.
        other.evaluate(FORGET)
        third = page.context.new_page()
        third.goto(page.url)
        third.wait_for_selector("h1:text('Qreels is being upgraded')")
        assert grades_of("bo") == []
    finally:
        upgrade_state.forget()
    other.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    other.wait_for_selector("h1:text('Account')", timeout=PATIENCE)
    wait_for_today(page, 1)
    assert grades_of("bo") == [3]
