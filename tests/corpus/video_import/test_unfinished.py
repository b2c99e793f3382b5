"""How much one account may have begun to send and not finished, and how it is given up."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from corpus.models import VideoUpload
from corpus.video_import import unfinished
from foundation.collections.members import add_member, get_or_create_collection
from foundation.models import Account, Collection
from tests.corpus.video_import.conftest import CONTENT, PIECE, announce, begin, logged_in, send, send_all


def test_an_account_has_so_many_incomplete_uploads_in_all_its_collections_and_is_told_where(
    ada: Client, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unfinished, "MOST_FILES", 3)
    other = get_or_create_collection(name="other", title="Other")
    place = add_member(collection=other, account=Account.objects.get(username="ada"), role="lead")
    for name in ("a.mp4", "b.mp4"):
        VideoUpload.objects.create(collection=other, member=place, name=name, size=1000, mark="0")
    VideoUpload.objects.create(collection=other, name="of-somebody-else.mp4", size=10**14, mark="0")
    first, second = announce(ada, ("first.mp4", CONTENT), ("second.mp4", CONTENT))
    assert (first["state"], second["state"]) == ("arriving", "")
    assert second["problem"] == (
        "Too many of your uploads are incomplete: 3, with 258.0 KB still to come, expected at most 3 and 2.0 TB. Finish"
        " them, or remove them on the page Add videos. Collections that have them: other (2), paper (1)."
    )
    assert begin(ada, "first.mp4")["address"] == first["address"], "what was begun goes on"
    changed = begin(ada, "first.mp4", CONTENT[:-1])
    assert changed["state"] == "arriving", "in the place of another of its name"
    send_all(ada, changed, CONTENT[:-1])
    assert begin(ada, "second.mp4")["state"] == "arriving"
    add_member(collection=collection, account=Account.objects.create_user("olga"), role="lead")
    assert begin(logged_in("olga"), "third.mp4")["state"] == "arriving"


def test_an_account_announces_so_many_bytes_but_any_single_file(ada: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfinished, "MOST_UNSENT", 200_000)
    assert begin(ada, "a.mp4")["state"] == "arriving"
    assert begin(ada, "b.mp4")["problem"].startswith("Too many of your uploads are incomplete: 1, with 256.0 KB still")
    send(ada, begin(ada, "a.mp4")["address"], 0, CONTENT[:PIECE])
    assert begin(ada, "c.mp4", CONTENT[:50_000])["problem"], "156 KB are to come"
    assert begin(ada, "d.mp4", CONTENT[:40_000])["state"] == "arriving"


def test_two_announcements_at_once_keep_to_the_limit_together(
    ada: Client, transactional_db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unfinished, "MOST_FILES", 40)

    def say(half: str) -> int:
        try:
            files = announce(logged_in("ada"), *((f"{half}{number}.mp4", CONTENT) for number in range(30)))
            return sum(file["state"] == "arriving" for file in files)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        assert sum(threads.map(say, "ab")) == 40
    assert VideoUpload.objects.count() == 40


def test_incomplete_uploads_are_given_up_on_the_page(ada: Client, collection: Collection, folder: Path) -> None:
    page, address = (reverse(name, args=["paper"]) for name in ("videos-add", "video-uploads-give-up"))
    add_member(collection=collection, account=Account.objects.create_user("olga"), role="lead")
    theirs = begin(logged_in("olga"), "olga.mp4")
    for name in ("a.mp4", "b.mp4", "c.mp4"):
        send(ada, begin(ada, name)["address"], 0, CONTENT[:PIECE])
    send_all(ada, begin(ada, "whole.mp4", CONTENT[:-1]), CONTENT[:-1])
    whole, first = (VideoUpload.objects.get(name=name) for name in ("whole.mp4", "a.mp4"))
    shown = ada.get(page).content.decode()
    assert f'name="key" value="{first.public_name}"' in shown
    assert (
        "1 incomplete upload was removed."
        in ada.post(address, {"key": first.public_name}, follow=True).content.decode()
    )
    assert not first.part.exists()
    for key in ("", whole.public_name, "none"):
        ada.post(address, {"key": key})
    assert VideoUpload.objects.count() == 4
    assert "2 incomplete uploads were removed." in ada.post(address, follow=True).content.decode()
    assert {part.name for part in (folder / ".parts").iterdir()} == {whole.public_name}
    assert set(VideoUpload.objects.values_list("name", flat=True)) == {"whole.mp4", "olga.mp4"}
    assert logged_in("bo").post(address).status_code == 403
    ada.post(address, {"key": theirs["address"].rpartition("/")[2]})
    assert VideoUpload.objects.get() == whole, "a lead removes another's by its own button"
