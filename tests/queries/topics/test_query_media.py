"""Pictures, clips and sounds as queries: brought, met by annotators alone, and in releases."""

import json
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from annotation.assignment.next_tasks import next_tasks
from annotation.models import Judgment
from foundation.infra.storage import SPACE_NEEDED, names_below
from foundation.models import Membership
from foundation.refused import Refused
from queries.models import Candidate, Query, QueryMedium, TopicImport
from queries.topics.edit_topics import change_topic, delete_topic
from queries.topics.jobs import import_asked_topics
from queries.topics.media_files import read_medium
from queries.topics.query_media import put_medium, remove_medium, store_media
from tests.conftest import World, build_world
from tests.operation.full_disks import fill, small_disk
from tests.queries.topics.media import clip, picture, sound, zipped
from tests.queries.topics.worlds import make_topic

PAGE = "/c/paper/topics/"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def paper(db: None) -> World:
    return build_world(queries=1, candidates=4)


def bring(world: World, files: dict[str, bytes], split: str = "test") -> tuple[int, int, int]:
    return store(world, zipped(files), split)


def store(world: World, file: bytes, split: str = "test") -> tuple[int, int, int]:
    with transaction.atomic():
        return store_media(
            collection=world.collection,
            file=BytesIO(file),
            name="media.zip",
            split=split,
            progress=lambda step: None,
        )


def shown(world: World) -> QueryMedium:
    """A medium beside the words of the world's only query, whose judging is open."""
    query = world.collection.queries.get()
    Query.objects.filter(pk=query.pk).update(description=None, topic_id="robot")
    name = default_storage.save("query-media/test.png", ContentFile(picture()))
    return QueryMedium.objects.create(
        query=query, kind="picture", suffix="png", media_file=name, size=len(picture()), sha256="0" * 64
    )


@pytest.mark.parametrize(
    ("content", "kind", "suffix"),
    [
        (picture(), "picture", "png"),
        (picture(kind="JPEG"), "picture", "jpg"),
        (picture(kind="WEBP"), "picture", "webp"),
        (clip(), "clip", "mp4"),
        (clip("libvpx-vp9", "webm"), "clip", "webm"),
        (sound(), "sound", "mp3"),
        (sound("aac", "mp4"), "sound", "m4a"),
        (sound("libopus", "ogg"), "sound", "ogg"),
    ],
)
def test_what_a_file_is_is_told_by_its_content(tmp_path: Path, content: bytes, kind: str, suffix: str) -> None:
    path = tmp_path / "named.txt"
    path.write_bytes(content)
    medium = read_medium(path)
    assert (medium.kind, medium.suffix, medium.size) == (kind, suffix, len(content))


def test_topics_get_media_beside_words_and_files_without_topic_become_topics_without_words(paper: World) -> None:
    robot = make_topic(paper.collection, "robot:1", "A robot falls.")
    files = {"deep/robot%3A1.png": picture(), "horn.mp3": sound(), "__MACOSX/horn.mp3": b"x", ".DS_Store": b"x"}
    assert bring(paper, files) == (1, 1, 0)
    assert bring(paper, files) == (0, 0, 2)
    horn = Query.objects.get(topic_id="horn")
    assert (horn.text, horn.words, horn.split, horn.medium.kind) == ("[sound] horn", "", "test", "sound")
    robot.refresh_from_db()
    assert (robot.words, robot.medium.kind, robot.medium.alone) == ("A robot falls.", "picture", False)
    former = robot.medium.media_file
    assert bring(paper, {"robot%3A1.mp4": clip()}) == (0, 1, 0)
    assert QueryMedium.objects.get(query=robot).kind == "clip" and QueryMedium.objects.count() == 2
    assert default_storage.exists(former), "until the transaction is over"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"a.png": picture(), "a.jpg": picture()}, "a.jpg"),
        ({"a.png": b"%PDF-1.4"}, "a file of another kind, or a damaged one"),
        ({"a.png": picture()[:60]}, "a picture that can't be decoded"),
        ({"a.png": b""}, "0 bytes"),
        ({"a.mp4": clip("mpeg4")}, "a clip in mpeg4"),
        ({"0.png": picture()}, "an id that no drawn query has"),
        ({}, "pictures, clips or sounds named by topic ids"),
        ({"a" * 65 + ".png": picture()}, "at most 64 characters"),
    ],
)
def test_a_zip_file_is_taken_whole_or_not_at_all(paper: World, files: dict[str, bytes], words: str) -> None:
    good = {"good.png": picture()} if files else {}
    with pytest.raises(Refused) as refusal:
        bring(paper, good | files)
    assert words in str(refusal.value) and "media.zip" in str(refusal.value)
    assert not QueryMedium.objects.exists() and Query.objects.count() == 1


def test_a_damaged_zip_file_is_refused(paper: World, tmp_path: Path) -> None:
    (tmp_path / "media.zip").write_bytes(zipped({"a.png": picture()})[:60])
    with pytest.raises(CommandError, match=r"media\.zip"):
        call_command("import_topics", "paper", str(tmp_path / "media.zip"))
    (tmp_path / "media.zip").write_bytes(zipped({"ä.png": picture()}).replace("ä".encode(), b"\xe4\xe4"))
    with pytest.raises(CommandError, match=r"media\.zip"):
        call_command("import_topics", "paper", str(tmp_path / "media.zip"))
    (tmp_path / "media.zip").write_bytes(zipped({"a.png": picture()}))
    call_command("import_topics", "paper", str(tmp_path / "media.zip"), "--split", "val")
    assert Query.objects.get(topic_id="a").split == "val"


@pytest.mark.parametrize("packed", [ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA])
def test_what_can_t_be_unpacked_is_named(paper: World, packed: int) -> None:
    damaged = bytearray(zipped({"a.png": picture(), f"b.{'x' * 300}": picture("blue")}, packed))
    damaged[60:90] = bytes(30)
    with pytest.raises(Refused, match="damaged or locked") as refusal:
        store(paper, bytes(damaged))
    assert "a.png" in str(refusal.value) and "1 problem" in str(refusal.value)


def test_what_is_judged_keeps_its_medium(paper: World) -> None:
    medium = shown(paper)
    with pytest.raises(Refused, match="judging of this topic is open"):
        bring(paper, {"robot.png": picture("blue")})
    for change in (lambda: remove_medium(topic=medium.query), lambda: put_medium(topic=medium.query, upload=png())):
        with pytest.raises(Refused, match="stays"):
            change()


def png(colour: str = "red") -> Any:
    return SimpleUploadedFile("x.png", picture(colour))


def test_words_come_and_go_apart_from_the_medium(paper: World) -> None:
    bring(paper, {"horn.mp3": sound()})
    horn = Query.objects.get(topic_id="horn")
    with pytest.raises(Refused, match="no words"):
        remove_medium(topic=horn)
    put_medium(topic=horn, upload=png())
    assert Query.objects.get(pk=horn.pk).words == ""
    change_topic(topic=horn, typed={"text": "A horn sounds.", "split": "test"})
    horn = Query.objects.get(pk=horn.pk)
    assert horn.words == "A horn sounds." and horn.medium.kind == "picture"
    remove_medium(topic=horn)
    remove_medium(topic=horn)
    assert not QueryMedium.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_no_file_stays_that_no_topic_has(paper: World, settings: Any) -> None:
    bring(paper, {"horn.mp3": sound(), "robot.png": picture()})
    for topic in Query.objects.filter(topic_id__in=["horn", "robot"]):
        put_medium(topic=topic, upload=png("green"))
    assert names_below("query-media") == set(QueryMedium.objects.values_list("media_file", flat=True))
    delete_topic(topic=Query.objects.get(topic_id="horn"))
    assert names_below("query-media") == {QueryMedium.objects.get().media_file}
    robot = QueryMedium.objects.get().query
    Candidate.objects.update(query=robot)
    with pytest.raises(Refused, match="stays"):
        put_medium(topic=robot, upload=png("blue"))
    assert names_below("query-media") == set(QueryMedium.objects.values_list("media_file", flat=True))


def test_a_lead_uploads_changes_and_removes_it_on_the_topic_s_page(paper: World, client_of: Any) -> None:
    ada = client_of(paper["ada"].account)
    file = SimpleUploadedFile("media.zip", zipped({"horn.mp3": sound()}))
    assert ada.post(f"{PAGE}import", {"file": file, "into": "test"}).status_code == 302
    import_asked_topics(TopicImport.objects.get().pk)
    assert "1 topic added." in ada.get(PAGE).content.decode()
    topic = make_topic(paper.collection, "robot", "A robot falls.")
    page = f"{PAGE}{topic.pk}/"
    assert b"Found 9 bytes" not in ada.get(page).content
    refused = ada.post(f"{page}medium", {"file": SimpleUploadedFile("x.png", b"no picture")})
    assert refused.status_code == 400 and "a file of another kind" in refused.content.decode()
    assert ada.post(f"{page}medium", {}).status_code == 400
    assert ada.post(f"{page}medium", {"file": png()}).status_code == 302
    medium = QueryMedium.objects.get(query=topic)
    address = f"/query-media/{medium.public_name}.png"
    assert address in ada.get(page).content.decode()
    assert ada.get(address)["Content-Type"] == "image/png"
    assert ada.post(f"{page}medium/remove").status_code == 302 and not QueryMedium.objects.filter(query=topic).exists()
    for method in ("medium", "medium/remove"):
        assert client_of(paper["bo"].account).post(f"{page}{method}", {"file": png()}).status_code in (403, 404)


def test_a_full_disk_is_told_and_the_medium_stays(paper: World, client_of: Any, tmp_path: Path, settings: Any) -> None:
    bring(paper, {"robot.png": picture()})
    medium = QueryMedium.objects.get()
    ada = client_of(paper["ada"].account)
    with small_disk(tmp_path / "disk", megabytes=1) as disk:
        fill(disk)
        settings.SCRATCH = disk / "scratch"
        answer = ada.post(f"{PAGE}{medium.query_id}/medium", {"file": png("blue")})
    assert answer.status_code == 400 and str(SPACE_NEEDED) in unescape(answer.content.decode())
    assert QueryMedium.objects.get() == medium and default_storage.exists(medium.media_file)


def test_only_members_see_it_and_annotators_learn_its_address_alone(paper: World, client_of: Any) -> None:
    medium = shown(paper)
    bo = client_of(paper["bo"].account)
    (task, *_) = bo.post("/c/paper/judge/next", {}, "application/json").json()["tasks"]
    address = f"/query-media/{medium.public_name}.png"
    assert task["medium"] == {"kind": "picture", "address": address} and task["query"]
    assert b"".join(bo.get(address).streaming_content) == picture()
    Membership.objects.filter(pk=paper["cy"].pk).update(status="barred")
    assert client_of(paper["cy"].account).get(address).status_code == 404
    assert Client().get(address).status_code == 404
    assert bo.get(address.replace(".png", ".jpg")).status_code == 404
    QueryMedium.objects.update(alone=True)
    (task, *_) = bo.post("/c/paper/judge/next", {}, "application/json").json()["tasks"]
    assert task["query"] == "" and "robot" not in json.dumps(task)
    (first, *_) = next_tasks(member=paper["bo"])
    bo.post(
        "/c/paper/judge/grade",
        {"pair": first.pair, "grade": 3, "key": "7e1d8a52-3f38-4d19-b0ad-0f7e4f9f0f11"},
        content_type="application/json",
    )
    assert Judgment.objects.count() == 1


def test_a_query_without_a_medium_is_told_as_before(paper: World, client_of: Any) -> None:
    (task, *_) = client_of(paper["bo"].account).post("/c/paper/judge/next", {}, "application/json").json()["tasks"]
    assert set(task) == {"pair", "query", "clip", "poster"}
