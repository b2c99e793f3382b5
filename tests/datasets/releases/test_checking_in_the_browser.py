"""A lead has a release checked from its page: by the command's check, and the result stays with the release."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils.html import escape

from datasets.models import Release, ReleaseCheck
from datasets.releases.check_jobs import check_release
from datasets.releases.make_release import create_release, write_release
from tests.api.callers import read
from tests.datasets.conftest import World
from tests.datasets.corruptions import edit


@pytest.fixture
def ada(judged: World) -> Client:
    client = Client()
    client.force_login(next(one for one in judged.members.values() if one.leads).account)
    return client


def test_the_page_says_what_the_check_found(ada: Client, judged: World) -> None:
    release = create_release(collection=judged.collection, name="v1")
    page = f"/c/{judged.collection.name}/releases/{release.pk}/"
    before = ada.get(page).content.decode()
    assert "This release isn't checked yet." in before and "DatabaseDefault" not in before
    for _ in range(2):
        assert ada.post(f"{page}check")["Location"] == page
    job = ReleaseCheck.objects.get()
    check_release(job.pk)
    here = f"collections/{judged.collection.name}"
    found = read(ada, f"{here}/releases/{release.pk}/check")
    assert (found["problems"], found["progress"]["words"]) == (
        [],
        "Release v1 is consistent: all files, grades, splits and formats.",
    )
    held = {one["claim"]: one["holds"] for one in found["claims"]}
    assert held["grades"] is held["digest"] is True and held["table 3"] is None
    shown = ada.get(page).content.decode()
    assert '<details class="claims"><summary>What was checked' in shown
    assert all(f'<th scope="row">{name}</th>' in shown for name in held) and "each grade is what the declared" in shown
    log = read(ada, f"{here}/jobs/release-check/{job.pk}")["log"]
    assert [one["text"] for one in log][:2] == ["Begun.", "Unpacking."] and log[-1]["text"] == found["progress"][
        "words"
    ]


def test_a_claim_that_does_not_hold_is_unfolded_with_what_was_found(
    ada: Client, judged: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*, release: Release, folder: Path, **more: Any) -> bool:
        wrote = write_release(release=release, folder=folder, **more)
        edit(folder, "val.json", lambda queries: queries[0]["relevant_moment"][0].update(relevance=9))
        return wrote

    release = create_release(collection=judged.collection, name="v1")
    page = f"/c/{judged.collection.name}/releases/{release.pk}/"
    ada.post(f"{page}check")
    monkeypatch.setattr("datasets.releases.check_jobs.write_release", damaged)
    check_release(ReleaseCheck.objects.get().pk)
    claims = {one["claim"]: one for one in read(ada, f"collections/tiny/releases/{release.pk}/check")["claims"]}
    (grade,) = claims["grades"]["problems"]
    assert (claims["grades"]["holds"], grade["file"]) == (False, "val.json") and "has relevance 9, expected" in grade[
        "found"
    ]
    assert claims["files"]["holds"] is False and claims["splits"]["holds"] is True
    shown = ada.get(page).content.decode()
    assert '<details class="claims" open>' in shown and escape(grade["found"]) in shown and "doesn’t hold" in shown


def test_a_damaged_archive_is_told(ada: Client, judged: World) -> None:
    release = create_release(collection=judged.collection, name="v1")
    with default_storage.open(release.archive, "rb") as file:
        content = file.read()
    default_storage.delete(release.archive)
    with default_storage.open(release.archive, "wb") as file:
        file.write(content[: len(content) // 2])
    page = f"/c/{judged.collection.name}/releases/{release.pk}/"
    ada.post(f"{page}check")
    check_release(ReleaseCheck.objects.get().pk)
    assert "can&#x27;t be exported" in ada.get(page).content.decode()
