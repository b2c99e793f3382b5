"""A lead has a release checked from its page: by the command's check, and the result stays with the release."""

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from datasets.models import ReleaseCheck
from datasets.releases.check_jobs import check_release
from datasets.releases.make_release import create_release
from tests.api.callers import read
from tests.datasets.conftest import World


@pytest.fixture
def ada(judged: World) -> Client:
    client = Client()
    client.force_login(next(one for one in judged.members.values() if one.leads).account)
    return client


def test_the_page_says_what_the_check_found(ada: Client, judged: World) -> None:
    release = create_release(collection=judged.collection, name="v1")
    page = f"/c/{judged.collection.name}/releases/{release.pk}/"
    assert "This release isn't checked yet." in ada.get(page).content.decode()
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
    log = read(ada, f"{here}/jobs/release-check/{job.pk}")["log"]
    assert [one["text"] for one in log][:2] == ["Begun.", "Unpacking."] and log[-1]["text"] == found["progress"][
        "words"
    ]


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
