"""The cast and a small world, made without any model: what most tests of the later rooms stand on."""

import logging
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client

from annotation.batches.opening import open_annotation
from annotation.models import Batch
from corpus.models import Clip, Description, Moment, Video
from foundation.access import throttle
from foundation.models import Account, Collection, Membership
from foundation.text import normalise
from queries.models import Attempt, Candidate, Caption, Query
from tests.drawn import two_films  # noqa: F401 - a fixture
from tests.emptying import empty_by_delete, empty_database, end_other_sessions
from tests.mailbox import mailbox  # noqa: F401 - a fixture
from tests.middleware import load_once
from tests.paths import NO_DATA
from tests.s3 import s3, s3_server  # noqa: F401 - fixtures
from tests.services import STANDS_ALONE
from tests.static_files import find_once
from tests.tables import template_database

PASSWORD = "a-paper-moon"

# pytest writes each warning down with its traceback, in case a test fails: of a request that is refused, as thousands
# are meant to be, that takes as long as its answer.
logging.getLogger("django.request").setLevel(logging.ERROR)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A run without the data of development says once that it held less."""
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if NO_DATA in str(report.longrepr)]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests were left out: {NO_DATA}.", yellow=True)


@dataclass
class World:
    """A collection with one video, `pairs` moments, and queries over all of them, open for judging."""

    collection: Collection
    people: dict[str, Membership] = field(default_factory=dict)
    queries: list[Query] = field(default_factory=list)

    def __getitem__(self, name: str) -> Membership:
        return self.people[name]

    @property
    def batch(self) -> Batch:
        return Batch.objects.get(query=self.queries[0], number=1)


def make_people(collection: Collection, lead: str, *annotators: str) -> dict[str, Membership]:
    """A lead and annotators of a new collection, as `add_member` makes them of new accounts: that takes 18 statements
    each, these four for all."""
    names = [lead, *annotators]
    Account.objects.bulk_create((Account(username=name) for name in names), ignore_conflicts=True)
    accounts = Account.objects.in_bulk(names, field_name="username")
    members = Membership.objects.bulk_create(
        Membership(
            collection=collection,
            account=accounts[name],
            role=Membership.Role.LEAD if name == lead else Membership.Role.ANNOTATOR,
            has_led=name == lead,
            status=Membership.Status.ADMITTED,
            worker=f"w{number:02d}",
        )
        for number, name in enumerate(names, start=1)
    )
    return dict(zip(names, members, strict=True))


def find_world(name: str = "paper") -> World:
    """A world that was built before, as it is in the database now."""
    collection = Collection.objects.get(name=name)
    members = collection.memberships.select_related("collection", "account").order_by("pk")
    return World(
        collection, {member.account.username: member for member in members}, list(collection.queries.order_by("pk"))
    )


def build_world(*, queries: int = 1, candidates: int = 3, name: str = "paper", clips: bool = False) -> World:
    """Make it: `candidates` a query, batches of at most 20, people ada (lead), bo, cy, di, ed, flo."""
    collection = Collection.objects.create(name=name, title="Paper", has_clips=clips)
    world = World(collection)
    world.people = make_people(collection, "ada", "bo", "cy", "di", "ed", "flo")
    video = Video.objects.create(collection=collection, name="secret_video_name", duration=1000)
    numbers = range(max(candidates, queries))
    moments = Moment.objects.bulk_create(Moment(video=video, start=number, end=number + 1) for number in numbers)
    texts = [f"Rosa does secret thing {number}." for number in numbers]
    descriptions = Description.objects.bulk_create(
        Description(collection=collection, moment=moment, source_id=str(number), text=text, normalised=normalise(text))
        for number, moment, text in zip(numbers, moments, texts, strict=True)
    )
    captioned = [f"A woman does thing {number}." for number in numbers]
    attempts = Attempt.objects.bulk_create(
        Attempt(
            description=description,
            number=1,
            text=text,
            rewriter="rules",
            similarity_passed=True,
            names_passed=True,
        )
        for description, text in zip(descriptions, captioned, strict=True)
    )
    captions = Caption.objects.bulk_create(
        Caption(
            description=attempt.description,
            attempt=attempt,
            text=attempt.text,
            normalised=normalise(attempt.text),
            status="accepted",
        )
        for attempt in attempts
    )
    if clips:
        Clip.objects.bulk_create(
            Clip(moment=moment, video_file=f"clips/{number}.mp4", poster_file=f"clips/{number}.jpg")
            for number, moment in zip(numbers, moments, strict=True)
        )
    for position, caption in enumerate(captions[:queries], start=1):
        query = Query.objects.create(
            collection=collection,
            description=caption.description,
            split="test",
            text=caption.text,
            normalised=caption.normalised,
            position=position,
        )
        Candidate.objects.bulk_create(
            Candidate(
                query=query,
                moment_id=shown.description.moment_id,
                caption=shown,
                caption_text=shown.text,
                rank=rank,
                similarity=round(1 - rank / 100, 6),
            )
            for rank, shown in enumerate(captions[:candidates], start=1)
        )
        world.queries.append(query)
    open_annotation(collection=collection)
    return world


@pytest.fixture(scope="session", autouse=True)
def collected_static_files(request: pytest.FixtureRequest) -> None:
    """Pages name their static files by content, as in production: collected once, where a test asks for a server."""
    if not all(item.stash[STANDS_ALONE] for item in request.session.items):
        call_command("collectstatic", verbosity=0, interactive=False)
        find_once()
        load_once()


@pytest.fixture(scope="session")
def tables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database with all tables and no rows, to make copies of."""
    cache = getattr(request.config, "cache", None)
    with template_database(cache.mkdir("tables") if cache else tmp_path_factory.getbasetemp()) as name:
        yield name


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None, tables: str) -> None:
    """The tests' own database is such a copy."""
    connection.settings_dict["TEST"]["TEMPLATE"] = tables


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """A test that commits leaves the database empty by DELETE, not by Django's TRUNCATE. At the end nobody is left at
    it: whoever is would keep it from being dropped."""
    with django_db_blocker.unblock():
        empty_by_delete()
    yield
    with django_db_blocker.unblock():
        left = end_other_sessions()
    if left:
        warnings.warn(f"Tests left connections open, whose last statements were: {left}", stacklevel=1)


@pytest.fixture(scope="module")
def once_a_file(django_db_setup: None, django_db_blocker: Any) -> Iterator[Callable[[Callable[[], None]], None]]:
    """`once_a_file(build)`: rows that every test of the file finds there; what a test changes is rolled back as ever.

    For a file all of whose tests stand on the same world, without one that commits. A test takes the rows out of the
    database anew, since objects in memory aren't rolled back.
    """

    def make(build: Callable[[], None]) -> None:
        with django_db_blocker.unblock():
            build()

    yield make
    with django_db_blocker.unblock():
        empty_database()


@pytest.fixture(autouse=True)
def no_attempts_yet(request: pytest.FixtureRequest) -> None:
    """Attempts at logins, tokens and invitations are counted by address in Redis, and all tests come from one."""
    if not request.node.stash[STANDS_ALONE]:
        throttle._shared().storage.reset()
        throttle._own.storage.reset()


@pytest.fixture
def world(db: None) -> World:
    """One query with three pairs, all in the first batch."""
    return build_world()


@pytest.fixture
def mal(db: None) -> Account:
    """A stranger: an account that belongs to no collection."""
    return Account.objects.create(username="mal")


@pytest.fixture
def clock_off(monkeypatch: pytest.MonkeyPatch) -> Callable[[timedelta], None]:
    """Sets this process's clock wrong by so much; the database's stays right."""

    def set_wrong(by: timedelta) -> None:
        monkeypatch.setattr("django.utils.timezone.now", lambda: datetime.now(UTC) + by)

    return set_wrong


@pytest.fixture
def client_of() -> object:
    """`client_of(account)`: a test client logged in as that account."""

    def log_in(account: Account) -> Client:
        client = Client()
        client.force_login(account)
        return client

    return log_in
