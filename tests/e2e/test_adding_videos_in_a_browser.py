"""A lead adds a folder of videos with their descriptions: the server dies in the middle, the page is loaded anew, and
it goes on; then names, clips, and everything by keyboard."""

import json
import os
import shutil
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from corpus.clips.cutting_jobs import run_cutting
from corpus.description_import.jobs import run_import
from corpus.description_import.previews import run_preview
from corpus.models import Clip, ClipCutting, Import, ImportPreview, Video, VideoImport, VideoUpload, clip_ready
from corpus.models.video_imports import folder_of_uploads
from corpus.video_import.jobs import run_video_import
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection
from tests.corpus.conftest import make_film
from tests.e2e.axe import found_by_axe
from tests.e2e.conftest import WebServer

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def collection(transactional_db: None, password: str) -> Iterator[Collection]:
    """A collection without anything, which ada leads."""
    made = get_or_create_collection(name="reel", title="One reel")
    add_member(collection=made, account=Account.objects.create(username="ada", password=password), role="lead")
    yield made
    shutil.rmtree(folder_of_uploads(made), ignore_errors=True)


@pytest.fixture
def reel(tmp_path: Path) -> Path:
    """Two films, the first of 6 MB, a text that is none, and descriptions, which name the second in capitals."""
    folder = tmp_path / "reel"
    (folder / "act one").mkdir(parents=True)
    large = make_film(folder / "act one" / "long.mp4", seconds=2)
    with large.open("ab") as film:
        film.write(struct.pack(">I4s", 6_000_008, b"free") + os.urandom(6_000_000))  # a box that players skip
    make_film(folder / "short.mp4", seconds=1)
    (folder / "letter.docx").write_bytes(b"a letter")
    (folder / ".hidden").write_bytes(b"x")
    rows = [
        {"vid_name": name, "duration": seconds, "ts": [0, 0.8], "desc": f"Ada opens {name}.", "type": "v", "desc_id": n}
        for n, (name, seconds) in enumerate((("long", 2.0), ("SHORT", 1.0)), start=1)
    ]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def received() -> int:
    found = VideoUpload.objects.filter(name__endswith="long.mp4").first()
    return found.received if found else 0


def wait_in(page: Any, true: Callable[[], bool]) -> None:
    """Wait while the page goes on: its requests are answered by this very thread."""
    for _ in range(600):
        if true():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not happen in time")


def choose(page: Any, folder: Path) -> None:
    """By keyboard alone."""
    with page.expect_file_chooser() as chooser:
        page.press("[data-opens=folder]", "Enter")
    chooser.value.set_files(folder)


def test_a_folder_arrives_over_a_dead_server_and_a_reload(
    log_in: Any, site: str, server: WebServer, collection: Collection, reel: Path
) -> None:
    page = log_in("ada")
    page.goto(f"{site}{reverse('videos-add', args=['reel'])}")
    assert found_by_axe(page).response["violations"] == []
    page.on("dialog", lambda dialog: dialog.accept())
    later: list[int] = []

    def break_off(route: Any) -> None:
        """The server dies at the second piece of the large file; once it is back, the line does after one more."""
        if int(route.request.headers.get("upload-offset", "0")):
            later.append(received())
            if len(later) == 1:
                server.stop()
            elif len(later) > 2:
                route.abort()
                return
        route.continue_()

    page.route("**/videos/uploads/*", break_off)
    choose(page, reel)
    page.wait_for_selector("text=waits for the network")
    upload = VideoUpload.objects.get(name__endswith="long.mp4")
    assert 0 < received() == later[0] < upload.size
    server.start()
    wait_in(page, lambda: len(later) > 2)
    assert later[0] == later[1] < later[2] == received() < upload.size
    page.reload()
    assert "1 incomplete upload" in page.inner_text("main")
    page.unroute("**/videos/uploads/*")
    choose(page, reel)
    page.wait_for_selector("[data-imported]:not([hidden])")
    upload.refresh_from_db()
    assert (upload.state, upload.received) == ("arrived", upload.size)
    assert upload.part.read_bytes() == (reel / "act one" / "long.mp4").read_bytes()
    # What isn't taken says why beside it, and what is hidden isn't even tried.
    letter = page.locator("tr", has_text="letter.docx")
    assert "found a file .docx, expected .mp4" in letter.inner_text()
    assert page.locator("tr", has_text=".hidden").count() == 0
    assert page.locator("tr", has_text="rows.jsonl").locator("a").get_attribute("href") == reverse(
        "import-preview", args=["reel", ImportPreview.objects.get().pk]
    )
    assert found_by_axe(page).response["violations"] == []
    page.click("[data-previewed]")
    run_preview(ImportPreview.objects.get().pk)
    page.wait_for_selector("dt:text('descriptions to add')")
    assert found_by_axe(page).response["violations"] == []
    page.click("button[value=import]")
    page.wait_for_selector(".job[data-url]")
    run_import(import_id=Import.objects.get().pk)
    page.goto(f"{site}{VideoImport.objects.get().get_absolute_url()}")
    run_video_import(VideoImport.objects.get().pk)
    page.click("text=Match the names")
    assert page.is_checked("[name=pair]")
    page.press("text=Use the ticked files", "Enter")
    page.wait_for_selector("h1:text('Video import')")
    run_video_import(VideoImport.objects.latest("pk").pk)
    assert not Video.objects.filter(path="").exists()
    page.click("text=Continue to clips")
    page.press("text=Cut 2 clips", "Enter")
    page.wait_for_selector("h2:text('Cutting')")
    run_cutting(ClipCutting.objects.get().pk)
    page.wait_for_selector("text=2 clips are there.")
    assert Clip.objects.filter(clip_ready()).count() == 2
    assert found_by_axe(page).response["violations"] == []


def test_dropped_files_are_sent_and_the_page_goes_to_their_import(
    log_in: Any, site: str, collection: Collection, reel: Path
) -> None:
    page = log_in("ada")
    page.goto(f"{site}{reverse('videos-add', args=['reel'])}")
    content = list((reel / "short.mp4").read_bytes())
    page.evaluate(
        """(bytes) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([new Uint8Array(bytes)], "short.mp4"));
          document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
        }""",
        content,
    )
    page.wait_for_url("**/videos/imports/*/")
    run_video_import(VideoImport.objects.get().pk)
    page.wait_for_selector("text=1 file belongs to no video")
    assert (
        VideoUpload.objects.get(name__endswith="short.mp4", state="taken").path.read_bytes()
        == (reel / "short.mp4").read_bytes()
    )
