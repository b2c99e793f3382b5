"""A folder sent to a server that takes pieces as the site does, and loses some of its answers."""

import base64
import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest
from qreels_client import Invalid, NotReached, Qreels, QreelsError
from qreels_client.uploads import PIECE, mark_of

from foundation.models import SentFile
from foundation.uploads.pieces import LONGEST_PIECE, mark_of_file
from tests.client.conftest import AT_ONCE, Enter
from tests.client.faulty_server import Asked, FaultyServer, Reply
from tests.conftest import World

UPLOADS = "/api/v1/collections/a/video-uploads"
FILM = os.urandom(PIECE + 1000)


class Site:
    """Takes videos in pieces. `faults`: what becomes of the next pieces instead of a good answer."""

    def __init__(self, server: FaultyServer) -> None:
        self.server = server
        self.films: dict[str, bytearray] = {}
        self.sizes: dict[str, int] = {}
        self.faults: list[str] = []
        self.refused: dict[str, str] = {}
        server.script = self.answer

    def told(self, name: str) -> dict[str, Any]:
        whole = len(self.films[name]) == self.sizes[name]
        return {
            "upload": name,
            "name": name,
            "size": self.sizes[name],
            "offset": len(self.films[name]),
            "state": "arrived" if whole else "arriving",
            "problem": "",
        }

    def answer(self, asked: Asked) -> Reply:
        if asked.method == "POST":
            files = json.loads(asked.body)["files"]
            return Reply(200, [self.announced(file) for file in files])
        return self.piece(asked.path.removeprefix(f"{UPLOADS}/"), asked)

    def announced(self, file: dict[str, Any]) -> dict[str, Any]:
        name = file["name"]
        if name in self.refused:
            return {**file, "upload": None, "offset": 0, "state": "", "problem": self.refused[name]}
        self.sizes[name] = file["size"]
        self.films.setdefault(name, bytearray())
        return self.told(name)

    def piece(self, name: str, asked: Asked) -> Reply:
        at, checksum = int(asked.headers["Upload-Offset"]), base64.b64encode(zlib.crc32(asked.body).to_bytes(4, "big"))
        assert asked.headers["Upload-Checksum"] == f"crc32 {checksum.decode()}" and len(asked.body) <= LONGEST_PIECE
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "lost":
            return Reply(cut=-1)
        here = {"Upload-Offset": str(len(self.films[name])), "Retry-After": "0"}
        if fault in ("header.Upload-Checksum", "body"):
            return Reply(422, {"detail": "No.", "errors": [{"field": fault, "reason": "No."}]}, here)
        if at != len(self.films[name]) or fault == "busy":
            field = "" if fault else "header.Upload-Offset"
            return Reply(409, {"detail": "Elsewhere.", "errors": [{"field": field, "reason": "Elsewhere."}]}, here)
        self.films[name] += asked.body
        return Reply(cut=-1) if fault == "unheard" else Reply(200, self.told(name))

    def pieces(self) -> list[tuple[str, int]]:
        return [
            (request.path.rpartition("/")[2], int(request.headers["Upload-Offset"]))
            for request in self.server.asked
            if request.method == "PATCH"
        ]


@pytest.fixture
def site(faulty: FaultyServer) -> Site:
    return Site(faulty)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "films" / "act one").mkdir(parents=True)
    (tmp_path / "films" / ".cache").mkdir()
    for name in ("b.mp4", "notes.odt", ".hidden.mp4", ".cache/c.mp4"):
        (tmp_path / "films" / name).write_bytes(name.encode())
    (tmp_path / "films" / "a.mp4").write_bytes(FILM)
    return tmp_path / "films"


def test_a_folder_arrives_and_the_next_call_sends_nothing(client: Qreels, site: Site, folder: Path) -> None:
    site.refused = {"notes.odt": "It is no video."}
    told: list[tuple[int, int]] = []
    done = client.collection("a").upload_folder(folder, progress=lambda *bytes: told.append(bytes))
    assert site.films == {"a.mp4": FILM, "b.mp4": b"b.mp4"}
    assert {file["name"]: file["state"] for file in done.files} == {"a.mp4": "arrived", "b.mp4": "arrived"}
    assert done.not_taken == {"notes.odt": "It is no video."}
    assert told[-1] == (len(FILM) + 5, len(FILM) + 5) and len(told) == 3
    site.server.asked.clear()
    again = client.collection("a").upload_folder(folder)
    assert site.pieces() == [] and len(again.files) == 2


def test_answers_that_were_lost_do_no_harm(client: Qreels, site: Site, folder: Path) -> None:
    (folder / "b.mp4").unlink()
    (folder / "notes.odt").unlink()
    # The first piece never comes, then comes damaged, while another arrives, and unheard; the last is unheard too.
    site.faults = ["lost", "header.Upload-Checksum", "busy", "unheard", "", "unheard"]
    done = client.collection("a").upload_folder(folder, at_once=1)
    assert site.films == {"a.mp4": FILM} and [file["state"] for file in done.files] == ["arrived"]
    assert site.pieces() == [("a.mp4", 0)] * 5 + [("a.mp4", PIECE)] * 2


def test_after_a_break_only_what_is_missing_is_sent(client: Qreels, site: Site, folder: Path) -> None:
    (folder / "notes.odt").unlink()
    (folder / "b.mp4").unlink()
    site.faults = ["", *["lost"] * AT_ONCE.tries]
    with pytest.raises(NotReached):
        client.collection("a").upload_folder(folder)
    site.server.asked.clear()
    client.collection("a").upload_folder(folder)
    assert site.pieces() == [("a.mp4", PIECE)] and site.films == {"a.mp4": FILM}


def test_a_refusal_of_the_site_ends_it(client: Qreels, site: Site, folder: Path) -> None:
    site.faults = ["body"]
    with pytest.raises(Invalid, match="No"):
        client.collection("a").upload_folder(folder)
    site.faults = ["header.Upload-Checksum"] * 100
    with pytest.raises(Invalid):
        client.collection("a").upload_folder(folder, at_once=1)
    assert len(site.pieces()) < 20
    with pytest.raises(NotADirectoryError, match="found no folder"):
        client.collection("a").upload_folder(folder / "nowhere")


def test_a_file_that_shrinks_meanwhile_is_said(client: Qreels, site: Site, folder: Path) -> None:
    def shrink(arrived: int, size: int) -> None:
        (folder / "a.mp4").write_bytes(b"")

    for name in ("b.mp4", "notes.odt"):
        (folder / name).unlink()
    with pytest.raises(QreelsError, match="has become shorter"):
        client.collection("a").upload_folder(folder, progress=shrink)


@pytest.mark.django_db
def test_a_file_for_another_request_is_sent_once(enter: Enter, world: World, tmp_path: Path, settings: Any) -> None:
    settings.VIDEO_FOLDER = tmp_path / "videos"
    (tmp_path / "run.jsonl").write_bytes(FILM)
    paper = enter(world["ada"]).collection("paper")
    key = paper.send_file(tmp_path / "run.jsonl")
    assert paper.send_file(tmp_path / "run.jsonl") == key
    assert SentFile.objects.get().part.read_bytes() == FILM
    assert [file["whole"] for file in paper.list_files()] == [True]
    paper.delete_a_file(key)
    assert mark_of(tmp_path / "run.jsonl") == mark_of_file(tmp_path / "run.jsonl")
