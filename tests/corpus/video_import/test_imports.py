"""Imports of videos by a worker: what was uploaded, names that are settled, moments that end after their files."""

import json
from pathlib import Path

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.test import Client
from django.urls import reverse

from corpus.description_formats import FileChoices
from corpus.description_import.jobs import keep_upload, run_import
from corpus.models import Description, Moment, Video, VideoImport, VideoUpload
from corpus.video_import.jobs import ask_for_import, run_video_import
from foundation.models import Collection
from tests.api.callers import read
from tests.corpus.conftest import row
from tests.corpus.video_import.conftest import begin, facts, import_all, logged_in, paths, put, send_all
from tests.workers import Waiting

NAMES = "collections/paper/video-names"


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
            upload = begin(ada, name, content)
            assert (upload["state"], upload["offset"]) == (state, len(content))
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


def test_names_that_differ_a_little_are_proposed_and_settled(
    ada: Client, collection: Collection, server_folder: Path, films: tuple[bytes, bytes]
) -> None:
    for name in ("ONE", "show/Two", "s01e01", "elsewhere"):
        Video.objects.create(collection=collection, name=name)
    put(server_folder / "s01e02.mp4", films[0])
    import_all(ada, source=str(server_folder))
    matches = read(ada, NAMES)
    proposed = {proposal["name"]: (proposal["file"], proposal["sure"]) for proposal in matches["proposals"]}
    assert proposed == {"ONE": ("one.mp4", True), "show/Two": ("more/Two.MP4", True)}
    assert (matches["without_file_count"], matches["strays_count"], matches["with_file"]) == (4, 3, 0)
    page = ada.get(reverse("videos-add", args=["paper"])).content.decode()
    assert "4 described videos without a file" in page
    pairs = [f"{proposal['video']}:{proposal['file']}" for proposal in matches["proposals"]]
    strange = ["0:one.mp4", "x", f"{'9' * 30}:one.mp4", f"{Video.objects.get(name='elsewhere').pk}:/etc/passwd"]
    ada.post(reverse("video-names-settle", args=["paper"]), {"pair": [*pairs, *strange]})
    job = VideoImport.objects.latest("pk")
    run_video_import(job.pk)
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
    run_import(import_id=keep_upload(member=member, upload=file, choices=FileChoices("tvr")).pk)
    job = VideoImport.objects.latest("pk")
    assert (sent, job.member, Description.objects.count()) == ([job.pk], None, 1)
    run_video_import(job.pk)
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
