"""A login ends while somebody types or judges: what was typed and graded is there again after the next one."""

from typing import Any

import pytest

from annotation.models import Notice
from foundation.models import Collection, Session
from tests.e2e.judging_steps import grades_of, wait_for_today, wait_until_open

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

NOTICE = "Tomorrow we begin at ten."


def test_what_was_typed_and_what_was_graded_outlive_a_login(
    log_in: Any, enter: Any, site: str, collection: Collection
) -> None:
    lead = log_in("ada")
    lead.goto(f"{site}/c/stage/notices/")
    lead.fill("textarea[name=text]", NOTICE)
    lead.select_option("select[name=to]", index=1)
    to = lead.input_value("select[name=to]")
    Session.objects.all().delete()
    lead.get_by_role("button", name="Send", exact=True).click()
    lead.wait_for_url("**/login/?next=/c/stage/notices/&why=form")
    assert "nothing was changed" in lead.inner_text(".callout")
    enter(lead, "ada")
    lead.wait_for_url("**/c/stage/notices/")
    assert "Nothing of it was saved yet" in lead.inner_text(".callout")
    assert (lead.input_value("textarea[name=text]"), lead.input_value("select[name=to]")) == (NOTICE, to)
    assert not Notice.objects.exists()
    # The page was open while its cookies went: its form is refused as forged, and comes back from there, too.
    lead.context.clear_cookies(name="csrftoken")
    lead.get_by_role("button", name="Send", exact=True).click()
    lead.click("text=Back to that page")
    lead.wait_for_selector(".callout")
    assert lead.input_value("textarea[name=text]") == NOTICE
    lead.get_by_role("button", name="Send", exact=True).click()
    lead.wait_for_selector("main table")
    assert Notice.objects.get().text == NOTICE
    # An answer forgets it.
    lead.goto(f"{site}/c/stage/notices/")
    assert lead.input_value("textarea[name=text]") == "" and not lead.query_selector(".callout")

    # Judging with all cookies gone: neither "the server can't take them" for ever nor a lost grade.
    page = log_in("bo")
    wait_until_open(page)
    page.context.clear_cookies()
    page.keyboard.press("3")
    page.wait_for_url("**/login/?next=/c/stage/judge/&why=judging")
    enter(page, "bo")
    wait_for_today(page, 1)
    assert grades_of("bo") == [3]
