"""A collection of two queries with real clips, and a judge on a server that misbehaves as told."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from annotation.machine_judges.jobs import judge_by_machine
from annotation.machine_judges.server.judging import begin_judging, declare_server_judge
from annotation.machine_judges.server.pairs import Scope
from annotation.models import MachineJudge, MachineJudging
from corpus.models import Clip
from tests.conftest import World, build_world
from tests.corpus.films import draw_film
from tests.queries.chat_server import Behaviour, ChatServer, serving
from tests.queries.conftest import environment

LENGTH = 2.0


def build_filmed(folder: Path, *, queries: int = 2, candidates: int = 4) -> World:
    """A world whose clips are films of two seconds, each another one."""
    world = build_world(queries=queries, candidates=candidates, clips=True)
    for number, clip in enumerate(Clip.objects.order_by("pk")):
        times = [Fraction(place, 10 + number) for place in range(2 * (10 + number))]
        film = draw_film(folder / f"{number}.mp4", times)
        clip.video_file = default_storage.save(f"clips/film-{number}.mp4", ContentFile(film.read_bytes()))
        clip.duration = LENGTH
        clip.save()
    return world


@pytest.fixture
def media(settings: Any, tmp_path: Path) -> Path:
    """A storage of the test's own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture
def filmed(db: None, media: Path, tmp_path: Path) -> World:
    return build_filmed(tmp_path)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`with asked(behave) as server`: the server that the environment names."""

    @contextmanager
    def begin(behave: Behaviour, **settings: object) -> Iterator[ChatServer]:
        with serving(behave) as server, monkeypatch.context() as patched:
            for name, value in (environment(server) | settings).items():
                patched.setenv(name, str(value))
            yield server

    return begin


def declare(world: World, name: str = "watcher", *, frames: int | None = 2, **parameters: Any) -> MachineJudge:
    return declare_server_judge(
        collection=world.collection,
        member=world["ada"],
        name=name,
        model="m",
        family="watchers",
        frames=frames,
        parameters=parameters,
    )


def judged(judge: MachineJudge, scope: Scope | None = None, **typed: str) -> MachineJudging:
    """A job of the judge, as a worker leaves it."""
    job = begin_judging(judge=judge, member=judge.member, scope=scope or Scope(), typed=typed)
    judge_by_machine(job.pk)
    job.refresh_from_db()
    return job


def word(judge: MachineJudge) -> list[tuple[int, int | None, list[float] | None, str]]:
    """All that a judge said, by candidate."""
    rows = judge.judgments.order_by("candidate")
    return list(rows.values_list("candidate", "grade", "distribution", "abstained"))
