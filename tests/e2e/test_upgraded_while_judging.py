"""A new service worker takes over from an old one while grades wait, and nothing that waits or is kept is lost."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

import pytest
from django.conf import settings

from foundation.models import Collection
from tests.e2e.conftest import FLAGS, WebServer, session_of
from tests.e2e.judging_steps import WAITING, grades_of, judge, wait_for_strip, wait_for_waiting, wait_until_open
from tests.e2e.test_judging_survives import PAGE, wait_until_kept

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

SCRIPT = "() => fetch('/service-worker.js').then((answer) => answer.text())"
TAKEN_OVER = "() => navigator.serviceWorker.controller && performance.getEntriesByName('taken over').length > 0"


@contextmanager
def browser_of(chromium: Any, profile: Path, language: str, site: str) -> Iterator[Any]:
    """A page of bo's own browser, which keeps its profile on the disk; the site's scripts say its language's words."""
    context = chromium.launch_persistent_context(
        profile,
        executable_path=os.environ.get("QREELS_CHROMIUM") or which("chromium-headless-shell") or which("chromium"),
        args=[*FLAGS, f"--accept-lang={language}"],
        bypass_csp=True,
    )
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session_of("bo"), "url": site}])
    context.add_init_script("localStorage.setItem('qreels:speed', '2')")
    context.add_init_script(
        "navigator.serviceWorker?.addEventListener('controllerchange', () => performance.mark('taken over'))"
    )
    yield context.new_page()
    context.close()


def test_a_new_service_worker_takes_over_while_grades_wait(
    browser: Any, site: str, collection: Collection, server: WebServer, tmp_path: Path
) -> None:
    chromium = browser.browser_type
    # The worker's script has its offline page in the browser's language: another language is another script.
    with browser_of(chromium, tmp_path / "profile", "en", site) as page:
        page.goto(f"{site}{PAGE}")
        wait_until_open(page)
        wait_until_kept(page)
        old = page.evaluate(SCRIPT)
        page.route("**/judge/grade", lambda route: route.abort())
        judge(page, "3")
        judge(page, "2")
        wait_for_strip(page, "2 judgments wait")
    with browser_of(chromium, tmp_path / "profile", "de", site) as page:
        page.route("**/judge/grade", lambda route: route.abort())
        page.goto(f"{site}{PAGE}")
        page.wait_for_function(TAKEN_OVER)
        assert page.evaluate(SCRIPT) != old
        wait_until_open(page)
        assert page.evaluate(WAITING) == 2
        wait_until_kept(page)  # the page keeps itself anew as soon as it is open: meanwhile a list may lack it
        judge(page, "1")
        server.stop()
        try:
            page.reload()
            wait_until_open(page)
            assert page.evaluate(WAITING) == 3, "the new worker has the page, and the page its grades"
        finally:
            server.start()
        page.unroute_all(behavior="wait")
        wait_for_waiting(page, 0)
    assert grades_of("bo") == [3, 2, 1]
