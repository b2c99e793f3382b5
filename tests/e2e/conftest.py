"""A browser, a production web server on the test database, and a judged-from-real-video collection."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from urllib.request import urlopen

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import connection
from django.test import Client

from annotation.batches.opening import open_annotation
from config.embedded import free_port
from config.run import environment, server_command
from corpus.clips.cut_clips import cut_clips_of_video
from corpus.clips.import_videos import import_videos
from corpus.description_import.import_descriptions import import_descriptions
from corpus.models import Clip, Moment
from demo.processes import stop
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection
from queries.models import Candidate, Query
from tests.drawn import TwoFilms
from tests.e2e.captions import have_caption
from tests.forked import ForkedProcess

# Playwright's synchronous interface runs an event loop in this thread, where Django sees asynchronous code.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
PASSWORD = "a-paper-moon"
PEOPLE = (("ada", "lead"), ("bo", "annotator"), ("cy", "annotator"))
QUERIES = 2
PAIRS = 4
"""Of each query: the shortest moments of the film, so that nobody waits long for a clip to be seen."""


@pytest.fixture(scope="session")
def theatre(two_films: TwoFilms, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One drawn video."""
    folder = tmp_path_factory.mktemp("theatre")
    two_films.build(folder, videos=1)
    return folder


@pytest.fixture(scope="session")
def password() -> str:
    """The people's password as it is stored: hashed once, since the real hash is slow by design."""
    return make_password(PASSWORD)


@pytest.fixture(scope="session")
def cut() -> dict[tuple[float, float], dict[str, Any]]:
    """The clips' files, by start and end of their moment: cut by the first test, found by the others."""
    return {}


@pytest.fixture
def collection(
    transactional_db: None, theatre: Path, password: str, cut: dict[tuple[float, float], dict[str, Any]]
) -> Collection:
    """One drawn video, its clips cut, two queries over the shortest of them, open for judging."""
    collection = get_or_create_collection(name="stage", title="One act")
    import_descriptions(collection=collection, path=theatre / "descriptions.jsonl", format_name="tvr")
    import_videos(collection=collection, folder=theatre / "videos")
    moments = sorted(Moment.objects.filter(video__collection=collection), key=lambda moment: moment.end - moment.start)
    moments = moments[:PAIRS]
    _have_clips(collection, cut)
    captions = [have_caption(moment) for moment in moments]
    for position, caption in enumerate(captions[:QUERIES], start=1):
        query = Query.objects.create(
            collection=collection,
            description=caption.description,
            split="test",
            text=caption.text,
            normalised=caption.normalised,
            position=position,
        )
        for rank, shown in enumerate(captions, start=1):
            Candidate.objects.create(
                query=query,
                moment_id=shown.description.moment_id,
                caption=shown,
                caption_text=shown.text,
                rank=rank,
                similarity=1 - rank / 100,
            )
    open_annotation(collection=collection)
    for name, role in PEOPLE:
        add_member(collection=collection, account=Account.objects.create(username=name, password=password), role=role)
    return collection


def _have_clips(collection: Collection, cut: dict[tuple[float, float], dict[str, Any]]) -> None:
    if not cut:
        for video in collection.videos.all():
            cut_clips_of_video(video_id=video.pk)
        for clip in Clip.objects.select_related("moment"):
            found = {"video_file": clip.video_file, "poster_file": clip.poster_file, "duration": clip.duration}
            cut[(clip.moment.start, clip.moment.end)] = found
    else:
        for moment in Moment.objects.filter(video__collection=collection):
            Clip.objects.create(moment=moment, **cut[(moment.start, moment.end)])


class WebServer:
    """The web server as script/server starts it, on the test database; a test may stop it and start it again."""

    def __init__(self, **variables: str) -> None:
        self._variables = variables
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._process: ForkedProcess | None = None

    def start(self) -> None:
        parts = urlsplit(os.environ["DATABASE_URL"])
        database = urlunsplit(parts._replace(path="/" + str(connection.settings_dict["NAME"])))
        _, *line = server_command(["--bind", f"127.0.0.1:{self.port}"])
        own = {"DATABASE_URL": database, "QREELS_VAR": str(settings.VAR), **self._variables}
        self._process = ForkedProcess(line, env={**environment("server"), **own}, log=Path(os.devnull))
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                with urlopen(f"{self.address}/healthz", timeout=5):
                    return
            except OSError:
                time.sleep(0.05)
        pytest.fail(f"the web server did not answer at {self.address}")

    def stop(self) -> None:
        if self._process is not None:
            stop(self._process)
        self._process = None

    def kill(self) -> None:
        """All its processes at once, in the midst of what they do: it leads a session of its own."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(30)
        self._process = None


@pytest.fixture(scope="session")
def server(django_db_setup: None, collected_static_files: None) -> Iterator[WebServer]:
    started = WebServer()
    try:
        started.start()
        yield started
    finally:
        started.stop()


@pytest.fixture
def site(server: WebServer, collection: Collection) -> Iterator[str]:
    """The web server's address."""
    yield server.address
    # What a closed page had still asked for is answered before the tables are emptied.
    deadline = time.monotonic() + 30
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
            )
            if cursor.fetchone() == (0,):
                return
            time.sleep(0.02)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=os.environ.get("QREELS_CHROMIUM") or which("chromium-headless-shell") or which("chromium"),
            args=FLAGS,
        )
        yield chromium
        chromium.close()


@pytest.fixture
def enter() -> Callable[[Any, str], None]:
    """`enter(page, "bo")`: the login form, filled in and sent."""

    def fill_in(page: Any, username: str) -> None:
        page.fill("[name=username]", username)
        page.fill("[name=password]", PASSWORD)
        page.press("[name=password]", "Enter")
        page.wait_for_url(lambda url: "/login/" not in url)

    return fill_in


@pytest.fixture
def log_in(browser: Any, site: str) -> Iterator[Any]:
    """`log_in("bo")`: a page of a browser of its own, where bo stands after logging in. The form itself: `enter`."""
    contexts = []

    def open_page(username: str, *, speed: float = 2, **options: Any) -> Any:
        # Waiting for a function in the page is `eval`, which the site's policy forbids; one test goes without
        # (test_security_headers_in_a_browser.py).
        usual = {"viewport": {"width": 1280, "height": 720}, "bypass_csp": True}
        context = browser.new_context(**{**usual, **options})
        contexts.append(context)
        # As somebody in a hurry has set it.
        context.add_init_script(
            f"localStorage.getItem('qreels:speed') ?? localStorage.setItem('qreels:speed', '{speed}')"
        )
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session_of(username), "url": site}])
        page = context.new_page()
        page.goto(f"{site}/")
        return page

    yield open_page
    for context in contexts:
        context.close()


def session_of(username: str) -> str:
    """A login's cookie, without the form and the password's hash, which is slow by design."""
    client = Client()
    client.force_login(Account.objects.get(username=username))
    return client.cookies[settings.SESSION_COOKIE_NAME].value
