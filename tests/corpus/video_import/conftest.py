"""A folder of videos of the test's own, and how a lead's page sends files."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from config.celery import app
from corpus.models import Video, VideoImport
from corpus.video_import.jobs import run_video_import
from foundation.models import Account, Collection
from tests.corpus.conftest import make_film

CONTENT = bytes(range(256)) * 1000
PIECE = 100_000


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """The installation's folder of videos."""
    settings.VIDEO_FOLDER = tmp_path / "videos"
    settings.FREE_SPACE = 0
    return tmp_path / "videos"


@pytest.fixture
def ada(collection: Collection, media: Path, folder: Path) -> Iterator[Client]:
    """The lead, and a queue that nobody has left anything in."""
    app.control.purge()
    yield logged_in("ada")
    app.control.purge()


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Two different films, of 1 and 2 s."""
    folder = tmp_path_factory.mktemp("films")
    first, second = (make_film(folder / f"{seconds}.mp4", seconds=seconds) for seconds in (1, 2))
    return first.read_bytes(), second.read_bytes()


@pytest.fixture
def videos(collection: Collection) -> None:
    for name in ("one", "two", "three"):
        Video.objects.create(collection=collection, name=name)


@pytest.fixture
def server_folder(settings: Any, tmp_path: Path, films: tuple[bytes, bytes]) -> Path:
    """An allowed folder with one.mp4 and a folder below with Two.MP4; beside it one that isn't allowed."""
    root = tmp_path / "srv" / "films"
    put(root / "one.mp4", films[0])
    put(root / "more" / "Two.MP4", films[1])
    put(tmp_path / "srv" / "secret" / "three.mp4", films[0])
    settings.VIDEO_SOURCES = (str(root),)
    return root


def logged_in(name: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=name))
    return client


def mark_of(content: bytes) -> str:
    """As static/js/uploading/marks.js computes it."""
    size, block = len(content), 64 * 1024
    places = (0, max(0, size // 2 - block // 2), max(0, size - block))
    return f"{zlib.crc32(b''.join(content[place : place + block] for place in places)):08x}"


def announce(client: Client, *files: tuple[str, bytes], replace: bool = False) -> Any:
    announced = [{"name": name, "size": len(content), "mark": mark_of(content)} for name, content in files]
    body = json.dumps({"files": announced, "replace": replace})
    response = client.post(reverse("video-uploads", args=["paper"]), body, content_type="application/json")
    assert response.status_code == 200, response.content
    return response.json()["files"]


def begin(client: Client, name: str = "films/film.mp4", content: bytes = CONTENT, **more: Any) -> Any:
    (file,) = announce(client, (name, content), **more)
    return file


def send(client: Client, address: str, offset: int, piece: bytes, **headers: Any) -> Any:
    kind = "application/offset+octet-stream"
    return client.patch(address, piece, content_type=kind, headers={"Upload-Offset": str(offset), **headers})


def send_all(client: Client, file: Any, content: bytes = CONTENT) -> Any:
    for offset in range(file["offset"], len(content), PIECE):
        response = send(client, file["address"], offset, content[offset : offset + PIECE])
        assert response.status_code == 204, response.content
    return response


def import_all(client: Client, **fields: Any) -> VideoImport:
    """What the page's button asks for, done by this process as a worker does it."""
    response = client.post(reverse("video-import-start", args=["paper"]), fields)
    job = VideoImport.objects.latest("pk")
    assert response["Location"] == job.get_absolute_url()
    run_video_import(job.pk)
    job.refresh_from_db()
    return job


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def facts(client: Client, place: str = "") -> Any:
    """What the page of adding videos shows."""
    return client.get(reverse("videos-add", args=["paper"]), {"place": place}).context


def paths() -> dict[str, str]:
    return dict(Video.objects.values_list("name", "path"))
