"""The cast and a small world, made without any model: what most tests of the later rooms stand on."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.batches.opening import open_annotation
from annotation.models import Batch
from corpus.collections.members import add_member
from corpus.models import Account, Clip, Collection, Description, Membership, Moment, Video
from corpus.text import normalise
from queries.models import Attempt, Candidate, Caption, Query
from tests.s3 import s3, s3_server  # noqa: F401 - fixtures

PASSWORD = "a-paper-moon"


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


def build_world(*, queries: int = 1, candidates: int = 3, name: str = "paper", clips: bool = False) -> World:
    """Make it: `candidates` a query, batches of at most 20, people ada (lead), bo, cy, di, ed, flo."""
    collection = Collection.objects.create(name=name, title="Paper", has_clips=clips)
    world = World(collection)
    for person in ("ada", "bo", "cy", "di", "ed", "flo"):
        account, _ = Account.objects.get_or_create(username=person)
        role = Membership.Role.LEAD if person == "ada" else Membership.Role.ANNOTATOR
        world.people[person] = add_member(collection=collection, account=account, role=role)
    video = Video.objects.create(collection=collection, name="secret_video_name", duration=1000)
    captions = []
    for number in range(max(candidates, queries)):
        moment = Moment.objects.create(video=video, start=number, end=number + 1)
        text = f"Rosa does secret thing {number}."
        description = Description.objects.create(
            collection=collection, moment=moment, source_id=str(number), text=text, normalised=normalise(text)
        )
        caption = f"A woman does thing {number}."
        attempt = Attempt.objects.create(
            description=description,
            number=1,
            text=caption,
            rewriter="rules",
            similarity_passed=True,
            names_passed=True,
        )
        captions.append(
            Caption.objects.create(
                description=description,
                attempt=attempt,
                text=caption,
                normalised=normalise(caption),
                status="accepted",
            )
        )
        if clips:
            Clip.objects.create(moment=moment, video_file=f"clips/{number}.mp4", poster_file=f"clips/{number}.jpg")
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests come first: they take the longest, and one of two processes has them all."""
    items.sort(key=lambda item: item.get_closest_marker("e2e") is None)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `-n 2` a file's tests stay together, and so do those of the browser: two at once would be too slow."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return "browser" if file.startswith("tests/e2e/") else file

    return ByFile(config, log)


@pytest.fixture(scope="session", autouse=True)
def collected_static_files(request: pytest.FixtureRequest) -> None:
    """Pages name their static files by content, as in production: collected once, when a test needs the database."""
    if request.config.pluginmanager.hasplugin("django"):
        call_command("collectstatic", verbosity=0, interactive=False)


@pytest.fixture
def world(db: None) -> World:
    """One query with three pairs, all in the first batch."""
    return build_world()


@pytest.fixture
def mal(db: None) -> Account:
    """A stranger: an account that belongs to no collection."""
    return Account.objects.create_user("mal", password=PASSWORD)


@pytest.fixture
def client_of() -> object:
    """`client_of(account)`: a test client logged in as that account."""

    def log_in(account: Account) -> Client:
        client = Client()
        client.force_login(account)
        return client

    return log_in
