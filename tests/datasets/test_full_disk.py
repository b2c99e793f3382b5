"""A disk without space left: releases, imports and uploads end with that reason, and nothing half done stays."""

import io
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from corpus.description_import.jobs import run_import
from corpus.models import Import
from datasets.leaderboard.runs import open_board
from datasets.models import Release, ReleaseJob, Run
from datasets.releases.jobs import ask_for_release, make_asked_release
from datasets.releases.make_release import create_release
from foundation.infra.jobs import DISK_FULL
from foundation.infra.storage import SPACE_NEEDED
from tests.datasets.conftest import World


@pytest.fixture
def small_disk(tmp_path: Path, settings: Any) -> Iterator[Path]:
    """A real file system of one megabyte that is full: it has room for names, and for nothing in them."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "qreels-test", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a file system can't be mounted here: {mounted.stderr.decode().strip()}")
    try:
        with (folder / "full").open("wb") as full:
            full.write(bytes(1 << 20))
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def files_of(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file()]


def test_a_release_a_run_and_an_import_end_with_the_reason_on_their_page(
    judged: World, small_disk: Path, settings: Any
) -> None:
    release = create_release(collection=judged.collection, name="v1")
    open_board(release=release, split="test")
    ada = Client()
    ada.force_login(judged.members["ada"].account)  # type: ignore[arg-type]
    large = io.BytesIO(b"x" * 100_000).getvalue()
    job = ask_for_release(
        member=judged.members["ada"], name="v2", formats=["tvr-ranking", "trec", "parquet"], without_undecided=True
    )
    settings.SCRATCH = small_disk / "scratch"
    make_asked_release(job.pk)
    job.refresh_from_db()
    assert (job.state, job.problem) == ("refused", DISK_FULL)
    assert DISK_FULL.replace("'", "&#x27;") in ada.get(reverse("releases", args=["tiny"])).content.decode()
    assert files_of(small_disk) == ["full"]
    # Where it is written fits, and where it is to be kept doesn't.
    settings.SCRATCH = small_disk.parent / "scratch"
    (small_disk / "media").mkdir()
    (small_disk / "media" / "candidates").symlink_to(settings.MEDIA_ROOT / "candidates")
    settings.MEDIA_ROOT = small_disk / "media"
    job = ask_for_release(
        member=judged.members["ada"], name="v3", formats=["tvr-ranking", "trec", "parquet"], without_undecided=True
    )
    make_asked_release(job.pk)
    job.refresh_from_db()
    assert (job.state, "disk is full" in job.problem) == ("refused", True)
    assert list(Release.objects.values_list("name", flat=True)) == ["v1"]
    assert ReleaseJob.to_do().count() == 0
    # An upload that fits into memory and not on the disk, and one that Django writes to the disk first.
    for content, temporary in ((large, settings.FILE_UPLOAD_TEMP_DIR), (large * 30, str(small_disk))):
        settings.FILE_UPLOAD_TEMP_DIR = temporary
        for address, arguments in (("import-upload", ["tiny"]), ("run-upload", ["tiny", release.pk, "test"])):
            answer = ada.post(
                reverse(address, args=arguments), {"file": SimpleUploadedFile("f.jsonl", content)}, follow=True
            )
            assert answer.status_code in (200, 400), "the page, with what is wrong beside the file or above"
            assert str(SPACE_NEEDED) in answer.content.decode().replace("&#x27;", "'"), (address, len(content))
    assert not Import.objects.exists() and not Run.objects.exists()
    assert files_of(small_disk) == ["full"]


def test_an_import_whose_disk_fills_up_half_way_says_so(judged: World, small_disk: Path, settings: Any) -> None:
    ada = Client()
    ada.force_login(judged.members["ada"].account)  # type: ignore[arg-type]
    bad = b'{"video": 1, "text": "' + b"x" * 900 + b'"}\n'
    form = {"file": SimpleUploadedFile("f.jsonl", bad * 400), "skip_bad": "on", "format": "jsonl"}
    ada.post(reverse("import-upload", args=["tiny"]), form)
    job = Import.objects.get()
    import tempfile

    before, tempfile.tempdir = tempfile.tempdir, str(small_disk)
    try:
        run_import(import_id=job.pk)
    finally:
        tempfile.tempdir = before
    job.refresh_from_db()
    assert (job.state, job.problem) == ("refused", DISK_FULL)
    assert DISK_FULL.replace("'", "&#x27;") in ada.get(reverse("import-report", args=["tiny", job.pk])).content.decode()
