"""From an empty site to a checked release, by a lead who has a browser and nothing else: her films and her CSV."""

import io
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from playwright.sync_api import Error

from annotation.models import Batch
from corpus.models.video_imports import folder_of_uploads
from demo.simulated_annotators import Visitor
from foundation.models import Account, Collection
from tests.corpus.conftest import make_film
from tests.e2e.axe import found_by_axe
from tests.e2e.conftest import PASSWORD
from tests.e2e.test_pages_of_becoming_an_annotator import look
from tests.workers import one_worker

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

PATIENCE = 60_000
"""Milliseconds that a worker may take for a step: the first that rewrites loads the models."""
LOOKED_AT = (
    "clips/",
    "draw/",
    "candidates/",
    "opening/",
    "releases/",
    "judgments/imports/",
    "jobs/",
    "delete/",
    "../../account/",
)
"""Pages that no other test shows to axe."""
ROWS = """video;start;end;text
kitchen;0:00;0:01;Rachel pours coffee into a cup.
kitchen;0:01;0:02;Rachel washes the dishes in the sink.
garden;0:00;0:01;Ross digs a hole in the garden.
garden;0:01;0:02;Ross waters the flowers by the wall.
street;0:00;0:01;Monica rides a bicycle down the street.
street;0:01;0:02;Monica waits for a bus in the rain.
"""


@pytest.fixture
def collection(transactional_db: None) -> Iterator[None]:
    """None: the site is empty."""
    yield
    shutil.rmtree(folder_of_uploads(Collection(name="home")), ignore_errors=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three films, and their descriptions as a spreadsheet saves them."""
    made = tmp_path / "my films"
    made.mkdir()
    for name in ("kitchen", "garden", "street"):
        make_film(made / f"{name}.mp4", seconds=2)
    (made / "descriptions.csv").write_text(ROWS)
    return made


def follow(page: Any, address: str, text: str) -> None:
    """Open a page until a worker has done what it waits for."""
    page.goto(address)
    for _ in range(PATIENCE // 250):
        if text in page.inner_text("main"):
            return
        page.wait_for_timeout(250)
        if not page.locator(".job[data-url]").count():
            with suppress(Error):  # the page is just loading itself anew
                page.reload()
    raise AssertionError(f"{address} never said {text!r}: {page.inner_text('main')}")


def judge_everything(site: str, username: str) -> int:
    """Join's account judges over HTTP until nothing is left. Returns how many judgments it gave."""
    visitor = Visitor(site, username, PASSWORD)
    path, given = "/c/home/judge", 0
    visitor.get(f"{path}/")
    answer = visitor.post(f"{path}/next").json()
    while answer["tasks"]:
        sent = {"pair": answer["tasks"][0]["pair"], "grade": 3, "key": str(uuid.uuid4()), "played": 1.0}
        answer = visitor.post(f"{path}/grade", json={**sent, "active_ms": 3000}).json()
        given += 1
    return given


def show_it_to_everybody_and_take_it_back(browser: Any, page: Any) -> None:
    """The owner makes the release's page public, somebody without an account reads it, and then nobody can any more."""
    own = page.url
    look(page, "release")
    page.click("a:text-is('Public page')")
    page.wait_for_selector("[name=agreed]", state="attached")
    look(page, "what becomes public")
    address = page.inner_text("span.hash")
    page.check("[name=pictures][value=clips]")
    page.check("[name=files][value=all]")
    page.check("[name=agreed]")
    page.click("button:text-is('Make it public')")
    page.wait_for_url(own)
    context = browser.new_context(viewport={"width": 360, "height": 740}, locale="de")
    visitor = context.new_page()
    visitor.goto(address)
    assert visitor.locator("h1").inner_text() == "Home films"
    assert "So ist es entstanden" in visitor.inner_text("main") and visitor.locator(".sample").count() == 1
    assert visitor.evaluate("document.documentElement.scrollWidth") == 360
    assert found_by_axe(visitor).response["violations"] == [] and context.cookies() == []
    with visitor.expect_download() as download:
        visitor.click("a:text('Alles herunterladen')")
    assert download.value.suggested_filename == "home-1.0.0.tar.gz"
    page.click("button:text-is('Make it private')")
    page.wait_for_selector("text=is no longer public")
    answer = visitor.reload()
    assert answer is not None and answer.status == 404
    context.close()


def test_a_lead_makes_a_release_of_her_own_films_without_a_shell(
    browser: Any, site: str, collection: None, folder: Path, tmp_path: Path
) -> None:
    said = io.StringIO()
    call_command("owner_link", stdout=said)  # what script/server prints on an empty site
    welcome = urlsplit(re.search(r"http\S+", said.getvalue())[0]).path
    context = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.goto(f"{site}{welcome}")
    page.fill("[name=username]", "ada")
    page.fill("[name=password1]", PASSWORD)
    page.fill("[name=password2]", PASSWORD)
    page.click("text=Own this site")
    page.click("a:text('New collection')")
    page.fill("[name=title]", "Home films")
    page.fill("[name=name]", "home")
    page.click("main form button.first")
    # These two need no exam, and six moments are two batches a query.
    page.fill("#set-batch_size", "3")
    page.select_option("#set-needs_exam", "no")
    page.fill("#set-pay_per_hour", "15")
    page.click("button:text('Save')")
    assert Collection.objects.get().needs_exam is False
    at = f"{site}/c/home"

    with one_worker(tmp_path / "worker.log"):
        page.goto(f"{at}/videos/add/")
        with page.expect_file_chooser() as chooser:
            page.click("text=Choose a folder")
        chooser.value.set_files(folder)
        # The descriptions are shown before they are imported; the films are imported meanwhile.
        page.click("text=See the preview")
        page.wait_for_url("**/imports/previews/*/")
        follow(page, page.url, "descriptions to add")
        page.click("button:text-is('Import')")
        page.wait_for_url(re.compile(r"/imports/\d+/$"))
        follow(page, f"{at}/videos/add/", "Videos that have their file: 3 of 3")
        page.goto(f"{at}/clips/")
        page.click("text=Cut 6 clips")
        follow(page, f"{at}/clips/", "6 of 6")

        page.goto(f"{at}/rewriting/")
        page.click("text=Rewrite all by rules")
        follow(page, f"{at}/rewriting/", "Descriptions that have a caption: 6 of 6")
        page.goto(f"{at}/captions/")
        while page.locator("[data-key=a]:enabled").count():
            page.press("body", "a")
            page.wait_for_timeout(50)
        page.goto(f"{at}/draw/")
        page.fill("[name=val]", "9")
        page.fill("[name=test]", "1")
        page.click("button:text('Draw queries')")
        assert "Found 10 queries in all, expected at most 6" in page.inner_text("#field-test-wrong")
        page.fill("[name=val]", "1")
        page.click("button:text('Draw queries')")
        follow(page, f"{at}/draw/", "1 val and 1 test query drawn from 6 distinct captions")

        page.goto(f"{at}/opening/")
        assert "2 queries have no candidates yet" in page.inner_text("main")
        page.click("text=Fetch candidates")
        follow(page, f"{at}/candidates/", "2 val and test queries got their first candidates")
        page.goto(f"{at}/opening/")
        assert "6 pairs: about 12 judgments" in page.inner_text("main")
        page.click("text=Open 2 queries")
        follow(page, f"{at}/opening/", "2 batches with 6 pairs opened")

        page.goto(f"{at}/invitations/")
        page.fill("[name=places]", "2")
        page.click("text=Make a link")
        link = page.inner_text("#new-link")
        for name in ("bo", "cy"):
            guest = browser.new_context(bypass_csp=True)
            door = guest.new_page()
            door.goto(link)
            door.fill("[name=username]", name)
            door.fill("[name=password1]", PASSWORD)
            door.fill("[name=password2]", PASSWORD)
            door.click("button:text('Join')")
            door.wait_for_url("**/c/home/**")
            guest.close()
            assert judge_everything(site, name) == 6

        page.goto(f"{at}/review/")
        for batch in Batch.objects.order_by("pk"):
            page.wait_for_selector(f"#sheet[data-batch='{batch.pk}'][data-ready]")
            page.press("body", "d")
        page.wait_for_function("document.getElementById('tally').textContent.startsWith('2 decided')")
        page.goto(f"{at}/releases/")
        page.fill("[name=name]", "1.0.0")
        page.click("main form button.first")
        follow(page, f"{at}/releases/", "1 release")
        page.click("table a:text('1.0.0')")
        page.click("button:text('Check')")
        follow(page, page.url, "Release 1.0.0 is consistent: all files, grades, splits and formats.")
        show_it_to_everybody_and_take_it_back(browser, page)
        for path in LOOKED_AT:
            page.goto(f"{at}/{path}")
            look(page, path)
        page.goto(f"{at}/jobs/")
        kinds = page.locator("table.jobs tbody tr td:first-child a").all_inner_texts()
    assert set(kinds) >= {
        "Release",
        "Opening of judging",
        "Fetching of candidates",
        "Draw of queries",
        "Cutting of clips",
    }
    assert "Check of a release" in kinds and Account.objects.count() == 3
    context.close()
