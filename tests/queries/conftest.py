"""Shared by the tests of the LLM pipeline: a collection of many descriptions, an environment that names a server."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from corpus.models import Description, Moment, Video
from foundation.models import Collection
from foundation.text import normalise
from tests.queries.chat_server import Behaviour, ChatServer, serving

Begin = Callable[..., AbstractContextManager[ChatServer]]


def make_collection(texts: list[str], name: str = "friends") -> Collection:
    """A collection without clips, of these descriptions."""
    collection = Collection.objects.create(name=name, title="Friends", has_clips=False)
    video = Video.objects.create(collection=collection, name="v", duration=1e6)
    moments = Moment.objects.bulk_create(Moment(video=video, start=place, end=place + 1) for place in range(len(texts)))
    Description.objects.bulk_create(
        Description(
            collection=collection, moment=moment, source_id=str(place), text=text, normalised=normalise(text), kind="v"
        )
        for place, (moment, text) in enumerate(zip(moments, texts, strict=True))
    )
    return collection


def doors(count: int) -> list[str]:
    """Different descriptions of Rachel."""
    colours = "red blue green white black brown yellow grey pink golden".split()
    rooms = "kitchen hall office garden bedroom cellar".split()
    return [
        f"Rachel opens the {colours[n % 10]} door of the {rooms[n // 10 % 6]} number {n} and walks in."
        for n in range(count)
    ]


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Begin:
    """`with llm(behave) as server`: a server that the environment names, and quick settings."""

    @contextmanager
    def begin(behave: Behaviour, *, ends: list[str] | None = None, **settings: object) -> Iterator[ChatServer]:
        with serving(behave, ends=ends) as server, monkeypatch.context() as patched:
            for name, value in (environment(server) | settings).items():
                patched.setenv(name, str(value))
            yield server

    return begin


def environment(server: ChatServer) -> dict[str, object]:
    """What names the server, with prices."""
    return {
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": server.url,
        "REWRITER_MODEL": "m",
        "REWRITER_FIRST_PAUSE": 0.01,
        "REWRITER_POLL": 0.02,
        "REWRITER_TIMEOUT": 30,
        "REWRITER_PRICE_IN": "0.15",
        "REWRITER_PRICE_OUT": "0.60",
    }
