"""Imports of videos by a worker from the places that the installation allows: folders of the server, S3."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from PIL import Image

from config.variables import Files
from corpus.models import VideoImport, VideoUpload
from corpus.video_import import jobs
from corpus.video_import.jobs import run_video_import
from corpus.video_import.sources import open_source
from foundation.models import Collection
from foundation.refused import Refused
from tests.api.callers import read
from tests.corpus.video_import.conftest import facts, import_all, paths, put


def place_of(client: Client, place: str) -> Any:
    return read(client, f"collections/paper/video-sources?place={place}")["place"]


def test_an_allowed_folder_is_shown_and_imported_in_place(
    ada: Client, videos: None, server_folder: Path, films: tuple[bytes, bytes]
) -> None:
    place = place_of(ada, str(server_folder))
    assert (place["videos"], place["size"], place["above"]) == (2, len(films[0]) + len(films[1]), "")
    assert (place["names"], place["below"]) == (["more/Two.MP4", "one.mp4"], [str(server_folder / "more")])
    job = import_all(ada, source=str(server_folder))
    assert (job.report["matched"], job.report["without_video"]) == (1, ["more/Two.MP4"])
    assert paths()["one"] == str(server_folder / "one.mp4")


@pytest.mark.parametrize("below", ["../secret", "..", "more/../../secret", "nothing", "out", "one.mp4"])
def test_no_other_place_is_read_by_any_name_or_link(ada: Client, server_folder: Path, below: str) -> None:
    (server_folder / "out").symlink_to(server_folder.parent / "secret")
    address = f"{server_folder}/{below}"
    with pytest.raises(Refused, match="isn't in a place that this installation allows"):
        open_source(address)
    assert facts(ada, address)["place"] is None
    assert "place" in read(ada, f"collections/paper/video-sources?place={quote(address)}", 422)["errors"][0]["field"]
    response = ada.post(reverse("video-import-start", args=["paper"]), {"source": address}, follow=True)
    assert "isn&#x27;t in a place that this installation allows" in response.content.decode()
    assert not VideoImport.objects.exists()


def test_links_that_lead_out_of_an_allowed_folder_are_not_followed(
    ada: Client, videos: None, server_folder: Path
) -> None:
    secret = server_folder.parent / "secret"
    (server_folder / "out").symlink_to(secret)
    (server_folder / "three.mp4").symlink_to(secret / "three.mp4")
    (server_folder / "two.mp4").symlink_to(server_folder / "one.mp4")
    place = place_of(ada, str(server_folder))
    assert (place["videos"], place["below"]) == (3, [str(server_folder / "more")])
    assert import_all(ada, source=str(server_folder)).report["without_file"] == ["three"]
    assert paths()["two"] == str(server_folder / "one.mp4")


def test_folders_of_pictures_need_a_number_a_second(ada: Client, videos: None, server_folder: Path) -> None:
    for number in range(4):
        (server_folder / "two").mkdir(exist_ok=True)
        Image.new("RGB", (32, 24)).save(server_folder / "two" / f"{number}.jpg")
    assert place_of(ada, str(server_folder))["picture_folders"] == 1
    assert "say how many pictures make a second" in import_all(ada, source=str(server_folder)).problem
    start = reverse("video-import-start", args=["paper"])
    for typed, expected in (
        ("many", "expected a number such as 3"),
        ("0", "expected more than 0"),
        ("nan", "expected"),
    ):
        page = ada.post(start, {"source": str(server_folder), "fps": typed}, follow=True).content.decode()
        assert expected in page
    assert import_all(ada, source=str(server_folder), fps="3,0").report["matched"] == 2


def test_the_allowed_places_are_checked_when_the_site_starts() -> None:
    text = "/srv/films, s3://bucket/films ,s3://bucket,/srv/films"
    assert Files.read({"QREELS_VIDEO_SOURCES": text}).QREELS_VIDEO_SOURCES == (
        "/srv/films",
        "s3://bucket/films",
        "s3://bucket",
    )
    for bad in ("films", "/srv/../etc", "hf://lab/films", "s3://", "https://example.org/films"):
        with pytest.raises(ImproperlyConfigured, match="QREELS_VIDEO_SOURCES has"):
            Files.read({"QREELS_VIDEO_SOURCES": bad})


def test_a_prefix_of_s3_is_fetched_and_goes_on_where_it_broke_off(
    ada: Client, videos: None, s3: Any, settings: Any, folder: Path, films: tuple[bytes, bytes]
) -> None:
    settings.VIDEO_SOURCES = (f"s3://{s3.name}/films",)
    for key, content in (
        ("films/one.mp4", films[0]),
        ("films/more/two.mp4", films[1]),
        ("films/bad.mp4", b"no film"),
        ("films//three.mp4", films[0]),
        ("films/notes.txt", b"notes"),
        ("secret/three.mp4", films[0]),
    ):
        s3.put_object(Key=key, Body=content)
    place = place_of(ada, f"s3://{s3.name}/films")
    assert (place["videos"], place["above"]) == (4, "")
    assert f"s3://{s3.name}/films/more" in place["below"]
    for other in (f"s3://{s3.name}/secret", f"s3://{s3.name}", "s3://other/films"):
        assert facts(ada, other)["place"] is None
    # Half of it is here from a worker that was killed.
    etag = s3.Object("films/more/two.mp4").e_tag.strip('"')
    half = VideoUpload.objects.create(
        collection=Collection.objects.get(name="paper"),
        name=f"s3/{s3.name}/films/more/two.mp4",
        size=len(films[1]),
        mark=f"s3:{etag}",
        received=1000,
    )
    put(half.part, films[1][:1000])
    # And all of this one, but its end wasn't noted.
    etag = s3.Object("films/one.mp4").e_tag.strip('"')
    whole = VideoUpload.objects.create(
        collection=half.collection,
        name=f"s3/{s3.name}/films/one.mp4",
        size=len(films[0]),
        mark=f"s3:{etag}",
        received=len(films[0]),
    )
    put(whole.part, films[0])
    job = import_all(ada, source=f"s3://{s3.name}/films")
    assert (job.problem, job.report["matched"]) == ("", 2)
    assert [name for name, _ in job.report["refused"]] == ["/three.mp4", f"s3/{s3.name}/films/bad.mp4"]
    one, two = (VideoUpload.objects.get(pk=upload.pk).path for upload in (whole, half))
    assert (two.read_bytes(), paths()["one"]) == (films[1], str(one))
    # Asked for again it fetches nothing; an object that is another now is fetched.
    stamp = two.stat().st_mtime_ns
    s3.put_object(Key="films/one.mp4", Body=films[1])
    assert import_all(ada, source=f"s3://{s3.name}/films").report["changed"] == ["one"]
    assert two.stat().st_mtime_ns == stamp


def test_a_large_prefix_is_fetched_in_slices_between_which_others_have_the_worker(
    ada: Client, s3: Any, settings: Any, monkeypatch: pytest.MonkeyPatch, films: tuple[bytes, bytes]
) -> None:
    settings.VIDEO_SOURCES = (f"s3://{s3.name}",)
    s3.put_object(Key="one.mp4", Body=films[0])
    s3.put_object(Key="two.mp4", Body=films[1])
    monkeypatch.setattr(jobs, "SLICE", -1)
    job = import_all(ada, source=f"s3://{s3.name}")
    assert (job.state, VideoUpload.objects.count()) == ("running", 1)
    run_video_import(job.pk)
    assert VideoUpload.objects.filter(state="arrived").count() == 2
    run_video_import(job.pk)
    job.refresh_from_db()
    assert (job.state, job.report["counts"]["without_video"]) == ("done", 2)


def test_s3_that_needs_more_room_than_there_is_fetches_nothing(
    ada: Client, s3: Any, settings: Any, films: tuple[bytes, bytes]
) -> None:
    settings.VIDEO_SOURCES, settings.FREE_SPACE = (f"s3://{s3.name}",), 1 << 60
    s3.put_object(Key="one.mp4", Body=films[0])
    job = import_all(ada, source=f"s3://{s3.name}")
    assert (job.state, job.problem[:47]) == ("refused", "There isn't enough space on the server's disk: ")
    assert not VideoUpload.objects.exists()


def test_names_that_are_not_utf_8_are_shown_left_out_and_cost_no_other_file(
    ada: Client, videos: None, server_folder: Path, films: tuple[bytes, bytes]
) -> None:
    put(server_folder / os.fsdecode(b"stra\xdfe.mp4"), films[0])
    put(server_folder / os.fsdecode(b"Aufnahme \xe9") / "three.mp4", films[0])
    os.mkfifo(server_folder / "pipe.mp4")
    (server_folder / "gone.mp4").symlink_to(server_folder / "nowhere.mp4")
    place = place_of(ada, str(server_folder))
    assert (place["videos"], place["names"]) == (2, ["more/Two.MP4", "one.mp4"])
    assert place["left_out"] == ["Aufnahme \\xe9/three.mp4", "stra\\xdfe.mp4"]
    assert place["below"] == [str(server_folder / "more")]
    page = ada.get(reverse("videos-add", args=["paper"]), {"place": str(server_folder)}).content.decode()
    assert "Left out, because their names aren" in page
    job = import_all(ada, source=str(server_folder))
    assert (job.state, job.report["matched"]) == ("done", 1)
    assert sorted(job.report["unreadable"]) == [
        "Aufnahme \\xe9/three.mp4 is left out: its name isn't UTF-8, so rename it",
        "stra\\xdfe.mp4 is left out: its name isn't UTF-8, so rename it",
    ]
    assert "stra\\xdfe.mp4 is left out" in ada.get(job.get_absolute_url()).content.decode()
    with pytest.raises(Refused, match="isn't in a place that this installation allows"):
        open_source(str(server_folder / os.fsdecode(b"Aufnahme \xe9")))
