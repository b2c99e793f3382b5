"""Resumable uploads: announced, sent in pieces, broken off and gone on with, each fault with its sentence."""

import base64
import json
import os
import shutil
import subprocess
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from corpus.description_import.previews import run_preview
from corpus.models import Import, ImportPreview, Video, VideoUpload
from corpus.video_import.uploads import KEPT_FOR, remove_strays
from foundation.collections.members import add_member, get_or_create_collection
from foundation.infra.advisory_lock import alone_at
from foundation.models import Account, Collection
from foundation.uploads.pieces import mark_of_file
from tests.corpus.conftest import row
from tests.corpus.video_import.conftest import CONTENT, PIECE, announce, begin, logged_in, send, send_all


def begin_address() -> str:
    """Of the only upload."""
    return reverse("video-upload", args=["paper", VideoUpload.objects.get().public_name])


def offset_of(client: Client, address: str) -> int:
    response = client.head(address)
    assert response.status_code == 200
    return int(response["Upload-Offset"])


def arrived() -> bytes:
    """What has arrived of the only upload."""
    upload = VideoUpload.objects.get(state="arrived")
    assert mark_of_file(upload.part) == upload.mark
    return upload.part.read_bytes()


def test_a_file_arrives_in_pieces(ada: Client, folder: Path) -> None:
    file = begin(ada)
    assert (file["state"], file["offset"], file["problem"]) == ("arriving", 0, "")
    last = send_all(ada, file)
    assert (last["Upload-Offset"], last["Upload-State"]) == (str(len(CONTENT)), "arrived")
    assert arrived() == CONTENT


def test_after_a_break_the_same_file_goes_on_where_it_stopped(ada: Client, folder: Path) -> None:
    file = begin(ada)
    send(ada, file["address"], 0, CONTENT[:PIECE])
    # Another tab, or the page loaded anew, announces it again.
    again = begin(logged_in("ada"))
    assert (again["address"], again["offset"]) == (file["address"], PIECE)
    assert offset_of(ada, again["address"]) == PIECE
    send_all(ada, again)
    assert arrived() == CONTENT


def test_a_piece_sent_twice_or_elsewhere_changes_nothing(ada: Client, folder: Path) -> None:
    file = begin(ada)
    send(ada, file["address"], 0, CONTENT[:PIECE])
    for offset in (0, PIECE - 1, PIECE + 1, len(CONTENT)):
        wrong = send(ada, file["address"], offset, CONTENT[:PIECE])
        assert (wrong.status_code, wrong["Upload-Offset"]) == (409, str(PIECE))
    send_all(ada, {**file, "offset": PIECE})
    assert arrived() == CONTENT
    late = send(ada, file["address"], 0, CONTENT[:PIECE])
    assert (late.status_code, late["Upload-State"]) == (409, "arrived")


def test_a_piece_that_a_killed_process_wrote_and_did_not_record_is_written_again(ada: Client, folder: Path) -> None:
    file = begin(ada)
    send(ada, file["address"], 0, CONTENT[:PIECE])
    part = VideoUpload.objects.get().part
    part.write_bytes(CONTENT[:PIECE] + b"half a piece that nobody has acknowledged")
    send_all(ada, {**file, "offset": offset_of(ada, file["address"])})
    assert arrived() == CONTENT


def test_a_last_piece_whose_end_was_missed_is_finished_when_the_file_is_announced_again(ada: Client) -> None:
    begin(ada)
    upload = VideoUpload.objects.get()
    upload.part.parent.mkdir(parents=True, exist_ok=True)
    upload.part.write_bytes(CONTENT)
    VideoUpload.objects.update(received=len(CONTENT))
    # A page that is still open sends nothing more, which finishes it, and so does announcing it again.
    empty = send(ada, begin_address(), len(CONTENT), b"")
    assert (empty.status_code, empty["Upload-State"]) == (204, "arrived")
    VideoUpload.objects.update(state="arriving")
    assert begin(ada)["state"] == "arrived"
    assert arrived() == CONTENT


def test_a_damaged_piece_is_refused_and_sent_again(ada: Client) -> None:
    file = begin(ada)
    code = base64.b64encode(zlib.crc32(CONTENT[:PIECE]).to_bytes(4, "big")).decode()
    damaged = send(ada, file["address"], 0, b"x" + CONTENT[1:PIECE], **{"Upload-Checksum": f"crc32 {code}"})
    assert (damaged.status_code, damaged["Upload-Offset"]) == (460, "0")
    whole = send(ada, file["address"], 0, CONTENT[:PIECE], **{"Upload-Checksum": f"crc32 {code}"})
    assert (whole.status_code, whole["Upload-Offset"]) == (204, str(PIECE))


def test_a_file_that_changed_while_it_was_sent_is_not_kept(ada: Client, folder: Path) -> None:
    file = begin(ada)
    send(ada, file["address"], 0, CONTENT[:PIECE])
    other = bytes(len(CONTENT) - PIECE)
    refused = send(ada, file["address"], PIECE, other)
    assert (refused.status_code, refused["Upload-Offset"]) == (400, "0")
    assert "isn't the file that was chosen" in refused.content.decode()
    assert list((folder / ".parts").iterdir()) == []


def test_two_pages_do_not_write_one_file_at_once(ada: Client, transactional_db: None) -> None:
    file = begin(ada)
    upload = VideoUpload.objects.get()

    def from_elsewhere() -> int:
        try:
            return int(send(logged_in("ada"), file["address"], 0, CONTENT[:PIECE]).status_code)
        finally:
            connection.close()

    with alone_at("corpus.video_upload", upload.pk, wait=True), ThreadPoolExecutor(1) as pool:
        assert pool.submit(from_elsewhere).result() == 423
    assert offset_of(ada, file["address"]) == 0


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({"Upload-Offset": "-1"}, 400, "Found Upload-Offset: -1"),
        ({"Upload-Offset": ""}, 400, "Found Upload-Offset: nothing"),
        ({"Upload-Offset": "9" * 40}, 400, "expected a number of bytes"),
        ({"Upload-Checksum": "md5 AAAA"}, 400, "expected crc32"),
        ({"Upload-Checksum": "crc32 ?"}, 400, "expected crc32"),
        ({"Content-Type": "video/mp4"}, 415, "expected application/offset+octet-stream"),
        ({"Content-Length": str(9 << 20)}, 413, "larger than the 8 MB that are taken here"),
    ],
)
def test_a_piece_that_says_nonsense_is_told_what_was_expected(
    ada: Client, headers: dict[str, str], status: int, said: str
) -> None:
    file = begin(ada)
    kind = headers.pop("Content-Type", "application/offset+octet-stream")
    response = ada.patch(file["address"], CONTENT[:PIECE], content_type=kind, headers={"Upload-Offset": "0", **headers})
    assert (response.status_code, said in response.content.decode()) == (status, True)
    assert offset_of(ada, file["address"]) == 0


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'{"files": 3}',
        b'{"files": [{}]}',
        b'{"files": [{"name": "a.mp4", "size": -1, "mark": ""}]}',
        b'{"files": [{"name": "a.mp4", "size": 1e99, "mark": ""}]}',
    ],
)
def test_an_announcement_that_is_none_is_a_400(ada: Client, body: bytes) -> None:
    response = ada.post(reverse("video-uploads", args=["paper"]), body, content_type="application/json")
    assert response.status_code == 400


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("../film.mp4", CONTENT, "Its name can't be kept"),
        ("/etc/film.mp4", CONTENT, "Its name can't be kept"),
        ("a//film.mp4", CONTENT, "Its name can't be kept"),
        ("a\0.mp4", CONTENT, "Its name can't be kept"),
        ("\ud800.mp4", CONTENT, "Its name can't be kept"),
        ("x" * 252 + ".mp4", CONTENT, "Its name is too long"),
        ("films/.DS_Store", CONTENT, "Hidden files"),
        ("film.mp4", b"", "The file is empty."),
        ("letter.docx", CONTENT, "found a file .docx, expected .mp4"),
        ("film/00001.jpg", CONTENT, "Pictures aren't taken one by one."),
    ],
)
def test_what_is_not_taken_has_its_reason_beside_it(ada: Client, name: str, content: bytes, said: str) -> None:
    bad, good = announce(ada, (name, content), ("good.mp4", CONTENT))
    assert (bad["state"], bad["address"], said in bad["problem"]) == ("", "", True)
    assert good["state"] == "arriving"


def test_a_file_with_a_video_s_name_is_one_whatever_its_suffix(ada: Client, collection: Collection) -> None:
    Video.objects.create(collection=collection, name="scene.7")
    assert begin(ada, "scene.7")["state"] == "arriving"
    assert begin(ada, "scene.7.dat")["state"] == "arriving"


def test_a_file_too_large_and_a_full_disk_are_said_before_anything_is_sent(ada: Client, settings: Any) -> None:
    settings.LONGEST_VIDEO = 200_000
    assert begin(ada)["problem"] == ("It is too large: found 256.0 KB, expected at most 200.0 KB (QREELS_VIDEO_MB).")
    settings.LONGEST_VIDEO, settings.FREE_SPACE = 1 << 40, 1 << 60
    assert begin(ada)["problem"].startswith("There isn't enough space on the server's disk: 256.0 KB are needed and 0")


def test_what_others_are_sending_is_counted_before_there_is_room(ada: Client, settings: Any, folder: Path) -> None:
    folder.mkdir()
    settings.FREE_SPACE = shutil.disk_usage(folder).free - 10**9
    first, second = ("a.mp4", 600_000_000), ("b.mp4", 600_000_000)
    announced = [{"name": name, "size": size, "mark": "0"} for name, size in (first, second)]
    address = reverse("video-uploads", args=["paper"])
    files = ada.post(address, json.dumps({"files": announced}), content_type="application/json").json()["files"]
    assert [file["state"] for file in files] == ["arriving", ""]


def test_what_other_collections_announced_and_never_send_leaves_half_of_the_disk(
    ada: Client, settings: Any, folder: Path
) -> None:
    folder.mkdir()
    settings.FREE_SPACE = shutil.disk_usage(folder).free - 10**9
    other = get_or_create_collection(name="other", title="Other")
    VideoUpload.objects.create(collection=other, name="never.mp4", size=10**12, mark="0")
    files = [("a.mp4", 300_000_000), ("b.mp4", 300_000_000)]
    announced = [{"name": name, "size": size, "mark": "0"} for name, size in files]
    address = reverse("video-uploads", args=["paper"])
    answered = ada.post(address, json.dumps({"files": announced}), content_type="application/json").json()["files"]
    assert [file["state"] for file in answered] == ["arriving", ""], "of the other half what we announced is taken"


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """The folder of videos on a disk of half a megabyte."""
    folder.mkdir(parents=True)
    line = ["mount", "-t", "tmpfs", "-o", "size=512k", "qreels-test", str(folder)]
    if os.geteuid() or subprocess.run(line, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can be mounted by root alone")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_fills_up_loses_nothing_and_the_file_goes_on_later(
    ada: Client, small_disk: Path, settings: Any
) -> None:
    file = begin(ada)
    send(ada, file["address"], 0, CONTENT[:PIECE])
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(300_000))
    # Past what is known to be free: the disk itself says so.
    settings.FREE_SPACE = -(10**9)
    full = send(ada, file["address"], PIECE, CONTENT[PIECE:])
    assert (full.status_code, full["Upload-Offset"]) == (507, str(PIECE))
    assert full.content.decode().startswith("There isn't enough space on the server's disk: 156.0 KB are needed")
    ballast.unlink()
    send_all(ada, {**file, "offset": offset_of(ada, file["address"])})
    assert arrived() == CONTENT


def test_uploads_are_for_the_collection_s_leads(ada: Client, collection: Collection) -> None:
    other = get_or_create_collection(name="other", title="Other")
    add_member(collection=other, account=Account.objects.get(username="mal"), role="lead")
    address = begin(ada)["address"]
    key = address.rpartition("/")[2]
    for who, status in (("bo", 403), ("mal", 404)):
        client = logged_in(who)
        assert client.head(address).status_code == status
        assert send(client, address, 0, CONTENT[:PIECE]).status_code == status
        assert client.delete(address).status_code == status
        answer = client.post(reverse("video-uploads", args=["paper"]), b"{}", content_type="application/json")
        assert answer.status_code == status
    # Of another collection, which mal leads.
    elsewhere = reverse("video-upload", args=["other", key])
    assert logged_in("mal").head(elsewhere).status_code == 404
    assert Client().head(address).status_code == 401
    # A second lead of the same collection goes on with it.
    add_member(collection=collection, account=Account.objects.create_user("olga"), role="owner")
    assert begin(logged_in("olga"))["address"] == address
    Collection.objects.update(archived_at=timezone.now())
    assert send(ada, address, 0, CONTENT[:PIECE]).status_code == 403


def test_a_part_can_be_removed_and_is_removed_after_days(
    ada: Client, folder: Path, clock_off: Callable[[timedelta], None]
) -> None:
    for name in ("a.mp4", "b.mp4"):
        send(ada, begin(ada, name)["address"], 0, CONTENT[:PIECE])
    first, second = VideoUpload.objects.order_by("name")
    assert ada.delete(reverse("video-upload", args=["paper", first.public_name])).status_code == 204
    assert not first.part.exists()
    orphan = folder / ".parts" / "of-a-deleted-collection"
    orphan.write_bytes(b"half a film")
    remove_strays()
    assert second.part.exists()
    assert orphan.exists()
    clock_off(KEPT_FOR + timedelta(hours=1))
    remove_strays()
    assert second.part.exists(), "the worker's clock is wrong, not the database's"
    clock_off(timedelta())
    late = timezone.now() - KEPT_FOR - timedelta(hours=1)
    VideoUpload.objects.update(touched_at=late)
    os.utime(orphan, (late.timestamp(), late.timestamp()))
    remove_strays()
    assert not VideoUpload.objects.exists()
    assert list((folder / ".parts").iterdir()) == []


def test_a_file_of_descriptions_waits_in_a_preview_before_it_is_imported(ada: Client) -> None:
    content = b"".join(json.dumps(row(number)).encode() + b"\n" for number in (1, 2))
    file = begin(ada, "films/rows.jsonl", content)
    last = send_all(ada, file, content)
    preview = ImportPreview.objects.get()
    assert (preview.file_name, preview.size, Import.objects.exists()) == ("rows.jsonl", len(content), False)
    assert last["Upload-Report"] == reverse("import-preview", args=["paper", preview.pk])
    assert last["Upload-Report"] in ada.get(reverse("videos-add", args=["paper"])).content.decode()
    assert (begin(ada, "rows.jsonl", content)["report"], ImportPreview.objects.count()) == (last["Upload-Report"], 1)
    run_preview(preview.pk)
    assert ImportPreview.objects.get().found["counts"]["added"] == 2
    ada.post(reverse("import-preview-decide", args=["paper", preview.pk]), {"do": "import"})
    job = Import.objects.get()
    assert begin(ada, "rows.jsonl", content)["report"] == reverse("import-report", args=["paper", job.pk])
    assert not ImportPreview.objects.exists()
