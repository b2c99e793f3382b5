"""Imports of videos by a worker: uploaded, from a folder of the server, from S3; and names that are settled."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.test import Client
from django.urls import reverse
from PIL import Image

from config.variables import Files
from corpus.description_import.jobs import keep_upload, run_import
from corpus.models import Description, Moment, Video, VideoImport, VideoUpload
from corpus.video_import import jobs
from corpus.video_import.jobs import ask_for_import, run_video_import
from corpus.video_import.sources import open_source
from foundation.models import Collection
from foundation.refused import Refused
from tests.api.callers import read
from tests.corpus.conftest import make_film, row
from tests.corpus.video_import.conftest import begin, import_all, logged_in, send_all
from tests.workers import Waiting

NAMES = "collections/paper/video-names"


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """Two different films, of 1 and 2 s."""
    folder = tmp_path_factory.mktemp("films")
    first, second = (make_film(folder / f"{seconds}.mp4", seconds=seconds) for seconds in (1, 2))
    return first.read_bytes(), second.read_bytes()


@pytest.fixture
def videos(collection: Collection) -> None:
    for name in ("one", "two", "three"):
        Video.objects.create(collection=collection, name=name)


@pytest.fixture
def server_folder(settings: Any, tmp_path: Path, films: tuple[bytes, bytes]) -> Path:
    """An allowed folder with one.mp4 and a folder below with Two.MP4; beside it one that isn't allowed."""
    root = tmp_path / "srv" / "films"
    put(root / "one.mp4", films[0])
    put(root / "more" / "Two.MP4", films[1])
    put(tmp_path / "srv" / "secret" / "three.mp4", films[0])
    settings.VIDEO_SOURCES = (str(root),)
    return root


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def facts(client: Client, place: str = "") -> Any:
    """What the page of adding videos shows."""
    return client.get(reverse("videos-add", args=["paper"]), {"place": place}).context


def place_of(client: Client, place: str) -> Any:
    return read(client, f"collections/paper/video-sources?place={place}")["place"]


def paths() -> dict[str, str]:
    return dict(Video.objects.values_list("name", "path"))


def test_what_was_uploaded_is_looked_into_and_given_to_its_videos(
    ada: Client, videos: None, folder: Path, films: tuple[bytes, bytes]
) -> None:
    for name, content in (("show/one.mp4", films[0]), ("two.mkv", b"no film " * 100), ("stray.mp4", films[1])):
        send_all(ada, begin(ada, name, content), content)
    assert facts(ada)["uploads"].waiting == 3
    job = import_all(ada)
    assert (job.state, job.report["matched"]) == ("done", 1)
    one, stray = (VideoUpload.objects.get(name=name) for name in ("show/one.mp4", "stray.mp4"))
    assert paths() == {"one": str(folder / "paper" / one.public_name), "two": "", "three": ""}
    ((name, reason),) = job.report["refused"]
    assert (name, reason[:54]) == ("two.mkv", "It isn't a video that can be read: two.mkv can't be de")
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == sorted(
        [one.public_name, stray.public_name]
    )
    page = ada.get(job.get_absolute_url()).content.decode()
    assert "two.mkv can&#x27;t be decoded" in page
    assert job.said == "1 video has its file; 2 have none; 1 file belongs to no video; 1 file is not taken"


def test_a_file_that_is_there_is_not_sent_again(ada: Client, folder: Path, films: tuple[bytes, bytes]) -> None:
    content = films[0]
    send_all(ada, begin(ada, "show/one.mp4", content), content)
    for state in ("arrived", "taken"):
        for name in ("show/one.mp4", "one.mp4", "elsewhere/one.mp4"):
            found = begin(ada, name, content)
            assert (found["state"], found["offset"]) == (state, len(content))
        import_all(ada)
    VideoUpload.objects.get().path.unlink()
    assert begin(ada, "show/one.mp4", content)["state"] == "arriving"


def test_another_file_of_the_same_name_replaces_it_only_if_asked_and_if_it_is_good(
    ada: Client, videos: None, folder: Path, films: tuple[bytes, bytes]
) -> None:
    send_all(ada, begin(ada, "one.mp4", films[0]), films[0])
    import_all(ada)
    refused = begin(ada, "one.mp4", films[1])
    assert (refused["state"], refused["problem"][:36]) == ("", "Another file of this name is here. T")
    bad = b"no film " * 100
    send_all(ada, begin(ada, "one.mp4", bad, replace=True), bad)
    assert import_all(ada).report["counts"]["refused"] == 1
    place = Path(paths()["one"])
    assert place.read_bytes() == films[0]
    assert begin(ada, "one.mp4", bad, replace=True)["problem"].startswith("It isn't a video that can be read")
    send_all(ada, begin(ada, "one.mp4", films[1], replace=True), films[1])
    assert (import_all(ada).report["changed"], place.read_bytes()) == (["one"], films[1])
    assert VideoUpload.objects.get().state == "taken"


def test_a_file_may_be_called_as_a_folder_of_another(
    ada: Client, collection: Collection, folder: Path, films: tuple[bytes, bytes]
) -> None:
    for name in ("one", "two"):
        Video.objects.create(collection=collection, name=name)
    for name, content in (("one.mp4", films[0]), ("one.mp4/two.mp4", films[1])):
        send_all(ada, begin(ada, name, content), content)
    job = import_all(ada)
    assert (job.state, job.report["matched"], job.report["refused"]) == ("done", 2, [])
    assert len({*paths().values()}) == 2 and all(Path(path).is_file() for path in paths().values())
    assert import_all(ada).report["matched"] == 2


def test_what_was_kept_under_its_own_name_stays_there(
    ada: Client, videos: None, folder: Path, films: tuple[bytes, bytes]
) -> None:
    send_all(ada, begin(ada, "show/one.mp4", films[0]), films[0])
    import_all(ada)
    upload = VideoUpload.objects.get()
    put(folder / "paper" / "show" / "one.mp4", upload.path.read_bytes())
    upload.path.unlink()
    VideoUpload.objects.update(stored_as=F("name"))
    assert import_all(ada).report["matched"] == 1
    assert paths()["one"] == str(folder / "paper" / "show" / "one.mp4")
    send_all(ada, begin(ada, "show/one.mp4", films[1], replace=True), films[1])
    assert import_all(ada).report["changed"] == ["one"]
    assert Path(paths()["one"]).read_bytes() == films[1]


def test_a_deletion_removes_or_is_a_404(ada: Client, videos: None, folder: Path, films: tuple[bytes, bytes]) -> None:
    whole = begin(ada, "one.mp4", films[0])
    send_all(ada, whole, films[0])
    part = VideoUpload.objects.get().part
    assert ada.delete(whole["address"]).status_code == 204
    assert not part.exists() and not VideoUpload.objects.exists()
    assert ada.delete(whole["address"]).status_code == 404
    send_all(ada, taken := begin(ada, "one.mp4", films[0]), films[0])
    import_all(ada)
    assert ada.delete(taken["address"]).status_code == 404
    assert Path(paths()["one"]).is_file()


def test_a_worker_that_was_killed_between_two_files_leaves_nothing_twice(
    ada: Client, videos: None, folder: Path, films: tuple[bytes, bytes]
) -> None:
    send_all(ada, begin(ada, "one.mp4", films[0]), films[0])
    upload = VideoUpload.objects.get()
    # Killed after the file was moved and before the row said so.
    upload.path.parent.mkdir(parents=True)
    upload.part.rename(upload.path)
    assert import_all(ada).report["matched"] == 1
    assert VideoUpload.objects.get().state == "taken"


def test_a_list_of_other_files_is_no_video(
    ada: Client, collection: Collection, folder: Path, films: tuple[bytes, bytes]
) -> None:
    # FFmpeg would read the file that is named here, which may be another collection's.
    put(folder / ".parts" / "secret.mp4", films[0])
    content = b"ffconcat version 1.0\nfile secret.mp4\n"
    send_all(ada, begin(ada, "one.mp4", content), content)
    ((_, reason),) = import_all(ada).report["refused"]
    assert reason.startswith("It isn't a video that can be read: one.mp4 can't be decoded: it is in no format of films")


def test_a_file_gone_from_the_disk_is_said(ada: Client, films: tuple[bytes, bytes]) -> None:
    send_all(ada, begin(ada, "one.mp4", films[0]), films[0])
    VideoUpload.objects.get().part.unlink()
    assert import_all(ada).report["refused"] == [
        ["one.mp4", "Its file is gone from the server's disk. Choose it again."]
    ]


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
    for said, expected in (("many", "expected a number such as 3"), ("0", "expected more than 0"), ("nan", "expected")):
        page = ada.post(start, {"source": str(server_folder), "fps": said}, follow=True).content.decode()
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
    run_video_import(import_id=job.pk)
    assert VideoUpload.objects.filter(state="arrived").count() == 2
    run_video_import(import_id=job.pk)
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


def test_names_that_differ_a_little_are_proposed_and_settled(
    ada: Client, collection: Collection, server_folder: Path, films: tuple[bytes, bytes]
) -> None:
    for name in ("ONE", "show/Two", "s01e01", "elsewhere"):
        Video.objects.create(collection=collection, name=name)
    put(server_folder / "s01e02.mp4", films[0])
    import_all(ada, source=str(server_folder))
    found = read(ada, NAMES)
    proposed = {one["name"]: (one["file"], one["sure"]) for one in found["proposals"]}
    assert proposed == {"ONE": ("one.mp4", True), "show/Two": ("more/Two.MP4", True)}
    assert (found["without_file_count"], found["strays_count"], found["with_file"]) == (4, 3, 0)
    page = ada.get(reverse("videos-add", args=["paper"])).content.decode()
    assert "4 described videos without a file" in page
    pairs = [f"{one['video']}:{one['file']}" for one in found["proposals"]]
    strange = ["0:one.mp4", "x", f"{'9' * 30}:one.mp4", f"{Video.objects.get(name='elsewhere').pk}:/etc/passwd"]
    ada.post(reverse("video-names-settle", args=["paper"]), {"pair": [*pairs, *strange]})
    job = VideoImport.objects.latest("pk")
    run_video_import(import_id=job.pk)
    assert paths() == {
        "ONE": str(server_folder / "one.mp4"),
        "show/Two": str(server_folder / "more" / "Two.MP4"),
        "s01e01": "",
        "elsewhere": "",
    }
    # What was settled stays when the folder is imported again.
    import_all(ada, source=str(server_folder))
    assert paths()["ONE"] == str(server_folder / "one.mp4")
    assert read(ada, NAMES)["strays"] == ["s01e02.mp4"]
    response = ada.post(reverse("video-names-settle", args=["paper"]), {"pair": strange}, follow=True)
    assert "Nothing was changed." in response.content.decode()


def test_files_that_came_before_their_descriptions_find_their_videos(
    ada: Client, collection: Collection, films: tuple[bytes, bytes]
) -> None:
    send_all(ada, begin(ada, "film.mp4", films[1]), films[1])
    assert import_all(ada).report["without_video"] == ["film.mp4"]
    sent = Waiting("corpus.tasks.import_video_files")
    file = SimpleUploadedFile("rows.jsonl", json.dumps(row(1, duration=2.0, ts=[0, 1])).encode())
    member = collection.memberships.get(account__username="ada")
    run_import(import_id=keep_upload(member=member, upload=file, format_name="tvr", skip_bad=False).pk)
    job = VideoImport.objects.latest("pk")
    assert (sent, job.member, Description.objects.count()) == ([job.pk], None, 1)
    run_video_import(import_id=job.pk)
    assert paths()["film"] == str(VideoUpload.objects.get().path)


def test_moments_after_the_end_of_their_file_are_shown_before_clips_are_cut(
    ada: Client, collection: Collection, server_folder: Path
) -> None:
    video = Video.objects.create(collection=collection, name="one", duration=30.0)
    Moment.objects.create(video=video, start=0.0, end=0.9)
    Moment.objects.create(video=video, start=20.0, end=25.0)
    import_all(ada, source=str(server_folder))
    past = read(ada, NAMES)
    assert (past["past_end"], past["worst_past_end"][0]["end"]) == (1, 25.0)
    assert "Moments after the end of the file" in ada.get(reverse("videos-add", args=["paper"])).content.decode()


def test_a_job_that_waits_for_the_same_is_found_again(ada: Client, collection: Collection, server_folder: Path) -> None:
    member = collection.memberships.get(account__username="ada")
    first = ask_for_import(collection=collection, member=member, source=str(server_folder))
    assert ask_for_import(collection=collection, member=None, source=f"{server_folder}/") == first
    assert ask_for_import(collection=collection, member=member) != first
    assert logged_in("bo").get(first.get_absolute_url()).status_code == 403


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
