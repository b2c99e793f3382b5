"""A browser, a production web server on the test database, and a judged-from-real-video collection."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import urlopen

import pytest
from django.conf import settings
from django.db import connection

from annotation.batches import open_annotation
from config.demo.parts import stop
from config.embedded import free_port
from config.run import environment, server_command
from corpus.clips import cut_clips_of_video
from corpus.models import Account, Collection
from corpus.services import add_member, get_or_create_collection, import_descriptions
from corpus.text import normalise
from corpus.theatre import build_theatre
from corpus.videos import import_videos
from queries.models import Attempt, Candidate, Caption, Query

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PASSWORD = "a-paper-moon"


@pytest.fixture(scope="session")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("theatre")
    build_theatre(folder, videos=1)
    return folder


@pytest.fixture
def collection(transactional_db: None, theatre: Path) -> Collection:
    """One drawn video, its clips cut, one query over its first moments, open for judging."""
    collection = get_or_create_collection(name="stage", title="One act")
    import_descriptions(collection=collection, path=theatre / "descriptions.jsonl", format_name="tvr")
    import_videos(collection=collection, folder=theatre / "videos")
    for video in collection.videos.all():
        cut_clips_of_video(video_id=video.pk)
    captions = {}
    for description in collection.descriptions.order_by("pk"):
        text = f"Somebody does something, number {description.source_id}."
        attempt = Attempt.objects.create(
            description=description, number=1, text=text, rewriter="rules", similarity_passed=True, names_passed=True
        )
        captions.setdefault(
            description.moment_id,
            Caption.objects.create(
                description=description, attempt=attempt, text=text, normalised=normalise(text), status="accepted"
            ),
        )
    first = next(iter(captions.values()))
    query = Query.objects.create(
        collection=collection,
        description=first.description,
        split="test",
        text=first.text,
        normalised=first.normalised,
        position=1,
    )
    for rank, (moment, caption) in enumerate(captions.items(), start=1):
        Candidate.objects.create(
            query=query,
            moment_id=moment,
            caption=caption,
            caption_text=caption.text,
            rank=rank,
            similarity=1 - rank / 100,
        )
    open_annotation(collection=collection)
    for name, role in (("ada", "lead"), ("bo", "annotator"), ("cy", "annotator")):
        account = Account.objects.create_user(name, password=PASSWORD)
        add_member(collection=collection, account=account, role=role)
    return collection


@pytest.fixture
def site(collection: Collection) -> Iterator[str]:
    """The address of gunicorn as script/server starts it, on the test database."""
    parts = urlsplit(os.environ["DATABASE_URL"])
    database = urlunsplit(parts._replace(path="/" + str(connection.settings_dict["NAME"])))
    port = free_port()
    process = subprocess.Popen(
        server_command(["--bind", f"127.0.0.1:{port}"]),
        env={**environment("server"), "DATABASE_URL": database, "QREELS_VAR": str(settings.VAR)},
        cwd=settings.BASE_DIR,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/login/", process)
        yield address
    finally:
        stop(process)


def _wait_for(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"the web server did not answer at {address}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=os.environ.get("QREELS_CHROMIUM") or "/usr/bin/chromium", args=FLAGS
        )
        yield chromium
        chromium.close()


@pytest.fixture
def log_in(browser: Any, site: str) -> Iterator[Any]:
    """`log_in("bo")`: a page of a browser of its own, with bo logged in by the form."""
    contexts = []

    def open_page(username: str, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1280, "height": 720}, **options)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{site}/login/")
        page.fill("[name=username]", username)
        page.fill("[name=password]", PASSWORD)
        page.press("[name=password]", "Enter")
        page.wait_for_url(lambda url: "/login/" not in url)
        return page

    yield open_page
    for context in contexts:
        context.close()
