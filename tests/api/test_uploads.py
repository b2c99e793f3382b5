"""Videos and files by a token: announced, sent in pieces, broken off and gone on with, each fault with its problem."""

import base64
import os
import subprocess
import zlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from config.web.limits import BodyRefused, longest_upload, refuse_stranger
from corpus.models import VideoImport, VideoUpload
from corpus.video_import.uploads import remove_strays
from foundation.models import ApiToken, AuditEntry, Collection, SentFile
from foundation.uploads.files import KEPT_FOR, MOST, MOST_OF_LEADS
from foundation.uploads.pieces import LONGEST_PIECE, add_piece
from tests.api.callers import API, Caller, mark_of
from tests.conftest import World

pytestmark = pytest.mark.django_db
HERE = "/collections/paper"
CONTENT = bytes(range(256)) * 1000
PIECE = 100_000


@pytest.fixture
def ada(world: World, folder: Path) -> Caller:
    return Caller(world["ada"])


def new(name: str = "film.mp4", content: bytes = CONTENT) -> dict[str, Any]:
    return {"name": name, "size": len(content), "mark": mark_of(content)}


def announce(caller: Caller, **more: Any) -> dict[str, Any]:
    """One video."""
    (told,) = caller.post(f"{HERE}/video-uploads", {"files": [new(**more)]}).json()
    return dict(told)


def crc(piece: bytes) -> dict[str, str]:
    return {"Upload-Checksum": f"crc32 {base64.b64encode(zlib.crc32(piece).to_bytes(4, 'big')).decode()}"}


def refusal_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["field"]


def test_a_video_arrives_in_pieces_goes_on_after_a_break_and_is_imported(ada: Caller) -> None:
    begun = announce(ada)
    path = f"{HERE}/video-uploads/{begun['upload']}"
    first = ada.piece(path, 0, CONTENT[:PIECE], **crc(CONTENT[:PIECE]))
    assert (first.status_code, first.json()["offset"], first.json()["state"]) == (200, PIECE, "arriving")
    # A piece that a killed server wrote and didn't record.
    part = VideoUpload.objects.get().part
    part.write_bytes(CONTENT[:PIECE] + b"half a piece that nobody has acknowledged")
    again = announce(ada)
    assert (again["upload"], again["offset"]) == (begun["upload"], PIECE)
    for offset in (0, PIECE + 1):
        wrong = ada.piece(path, offset, b"x")
        assert refusal_of(wrong) == (409, "header.Upload-Offset") and wrong["Upload-Offset"] == str(PIECE)
    damaged = ada.piece(path, PIECE, CONTENT[PIECE + 1 :] + b"x", **crc(CONTENT[PIECE:]))
    assert refusal_of(damaged) == (422, "header.Upload-Checksum")
    assert refusal_of(ada.piece(path, PIECE, CONTENT)) == (422, "body")
    assert refusal_of(ada.piece(path, PIECE, b"x", **{"Upload-Checksum": "md5 x"})) == (422, "header.Upload-Checksum")
    assert ada.ask("PATCH", path, "x", **{"Upload-Offset": str(PIECE)}).status_code == 415
    last = ada.piece(path, PIECE, CONTENT[PIECE:])
    assert last.json()["state"] == "arrived" and part.read_bytes() == CONTENT
    assert announce(ada, name="elsewhere/film.mp4")["upload"] == begun["upload"], "the same file twice"
    other = announce(ada, content=CONTENT[::-1])
    assert other["upload"] is None and other["problem"].startswith("Another file of this name is here.")
    job = ada.post(f"{HERE}/video-imports", {})
    assert (job.status_code, job.json()["state"]) == (202, "queued")
    assert AuditEntry.objects.filter(table="corpus_videoimport").latest("pk").token == ada.made.row.pk
    assert ada.get(f"{HERE}/jobs/video-import/{VideoImport.objects.get().pk}").status_code == 200
    refused = ada.post(f"{HERE}/video-imports", {"source": "/etc"})
    assert refused.status_code == 409 and "isn't in a place that this installation allows" in refused.json()["detail"]


def test_bad_videos_are_refused_before_anything_is_sent(ada: Caller, settings: Any) -> None:
    assert announce(ada, content=b"")["problem"] == "The file is empty."
    assert announce(ada, name="../film.mp4")["upload"] is None
    huge = {"files": [{**new(), "size": 1 << 50}]}
    assert "It is too large" in ada.post(f"{HERE}/video-uploads", huge).json()[0]["problem"]
    settings.FREE_SPACE = 1 << 60
    assert announce(ada)["problem"].startswith("There isn't enough space on the server's disk")
    assert ada.post(f"{HERE}/video-uploads", {"files": []}).status_code == 422
    assert not VideoUpload.objects.exists()


def test_a_file_is_sent_and_is_its_sender_s_alone(ada: Caller, world: World) -> None:
    key = ada.send(HERE, "words.csv", CONTENT, PIECE)
    told = ada.get(f"{HERE}/files/{key}").json()
    assert (told["whole"], told["offset"], told["name"]) == (True, len(CONTENT), "words.csv")
    assert SentFile.objects.get().part.read_bytes() == CONTENT
    assert ada.post(f"{HERE}/files", new("words.csv")).json()["file"] == key, "the same file twice"
    bo = Caller(world["bo"])
    path = f"{HERE}/files/{key}"
    assert [bo.get(path).status_code, bo.piece(path, 0, b"x").status_code, bo.delete(path).status_code] == [
        404,
        404,
        404,
    ]
    assert bo.get(f"{HERE}/files").json()["items"] == [] and SentFile.objects.count() == 1
    assert [ada.delete(path).status_code for _ in range(2)] == [204, 404]
    assert not SentFile.objects.exists()


def test_another_content_than_announced_is_not_kept(ada: Caller) -> None:
    key = ada.post(f"{HERE}/files", new("words.csv")).json()["file"]
    other = ada.piece(f"{HERE}/files/{key}", 0, CONTENT[::-1])
    assert refusal_of(other) == (422, "body") and other["Upload-Offset"] == "0"
    assert not SentFile.objects.get().part.exists()


def test_a_killed_server_that_missed_the_end_is_made_up_for(ada: Caller) -> None:
    key = ada.post(f"{HERE}/files", new("words.csv")).json()["file"]
    row = SentFile.objects.get()

    def killed(_: SentFile) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), Path(os.devnull).open("rb") as nothing:
        row.part.parent.mkdir(parents=True)
        row.part.write_bytes(CONTENT)
        SentFile.objects.update(received=len(CONTENT))
        add_piece(upload=row, offset=len(CONTENT), piece=nothing, length=0, checksum=None, finish=killed)
    assert ada.get(f"{HERE}/files/{key}").json()["whole"] is False
    assert ada.piece(f"{HERE}/files/{key}", len(CONTENT), b"").json()["whole"] is True
    SentFile.objects.update(whole=False)
    assert ada.post(f"{HERE}/files", new("words.csv")).json()["whole"] is True


def test_files_are_bounded_in_size_number_and_time(ada: Caller, world: World, settings: Any) -> None:
    settings.LONGEST_UPLOAD = len(CONTENT)
    too_large = ada.post(f"{HERE}/files", new("a", CONTENT + b"x"))
    assert too_large.status_code == 409 and "QREELS_UPLOAD_MB" in too_large.json()["detail"]
    for name in ("", "a/..", "\n"):
        assert ada.post(f"{HERE}/files", {**new(), "name": name}).status_code in (409, 422)
    bo = Caller(world["bo"])
    for caller, most in ((ada, MOST_OF_LEADS), (bo, MOST)):
        asked = [caller.post(f"{HERE}/files", new(f"{number}.csv")).status_code for number in range(most + 1)]
        assert asked == [200] * most + [409]
    settings.FREE_SPACE = 1 << 60
    ada.delete(f"{HERE}/files/{ada.get(f'{HERE}/files').json()['items'][0]['file']}")
    assert refusal_of(ada.post(f"{HERE}/files", new("last.csv")))[0] == 507
    SentFile.objects.update(touched_at=timezone.now() - KEPT_FOR - timedelta(hours=1))
    remove_strays()
    assert not SentFile.objects.exists()


def test_an_archived_collection_takes_nothing(ada: Caller) -> None:
    key = ada.post(f"{HERE}/files", new("words.csv")).json()["file"]
    Collection.objects.update(archived_at=timezone.now())
    assert ada.piece(f"{HERE}/files/{key}", 0, CONTENT).status_code == 403
    assert ada.post(f"{HERE}/files", new("more.csv")).status_code == 403


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """The folder of videos on a disk of half a megabyte."""
    folder.mkdir(parents=True)
    line = ["mount", "-t", "tmpfs", "-o", "size=512k", "qreels-test", str(folder)]
    if os.geteuid() or subprocess.run(line, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be mounted by root alone")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_fills_up_loses_nothing(ada: Caller, small_disk: Path, settings: Any) -> None:
    key = ada.post(f"{HERE}/files", new("words.csv")).json()["file"]
    path = f"{HERE}/files/{key}"
    ada.piece(path, 0, CONTENT[:PIECE])
    (small_disk / "ballast").write_bytes(bytes(300_000))
    settings.FREE_SPACE = -(10**9)  # past what is known to be free: the disk itself says so
    assert ada.piece(path, PIECE, CONTENT[PIECE:]).status_code == 507
    (small_disk / "ballast").unlink()
    assert ada.piece(path, PIECE, CONTENT[PIECE:]).json()["whole"] is True


def test_who_may_not_send_is_refused_before_the_body_comes(ada: Caller, world: World, settings: Any) -> None:
    def admitted(path: str, token: str, length: int = 4 << 20) -> int:
        """What the web server says of a request's head: 0 where its body may come."""
        try:
            if length > longest_upload("PATCH", f"{API}{path}"):
                return 413
            refuse_stranger(f"{API}{path}", {}, f"Bearer {token}")
        except BodyRefused as refusal:
            return refusal.status
        return 0

    films, files = f"{HERE}/video-uploads/x", f"{HERE}/files/x"
    bo, reader = Caller(world["bo"]).made.token, Caller(world["ada"], ("read",)).made.token
    bound = Caller(world["ada"])
    ApiToken.objects.filter(pk=bound.made.row.pk).update(
        collection=Collection.objects.create(name="elsewhere", title="Elsewhere")
    )
    assert [admitted(films, ada.made.token), admitted(files, bo)] == [0, 0]
    assert [admitted(films, bo), admitted(films, reader), admitted(files, reader)] == [403, 403, 403]
    assert [admitted(films, "of-nobody"), admitted(films, ""), admitted(films, bound.made.token)] == [401, 401, 404]
    assert admitted(films, ada.made.token, LONGEST_PIECE + 1) == 413
    assert longest_upload("POST", f"{API}{HERE}/files") == 0
    # Under another server the middleware says the same.
    stranger = Caller(world["bo"], ("read",)).piece(files, 0, bytes(2 << 20))
    assert stranger.status_code == 403 and stranger["Content-Type"] == "application/problem+json"
    assert Caller(world["ada"]).piece(films, 0, bytes(LONGEST_PIECE + 1)).status_code == 413
