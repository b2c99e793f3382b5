"""Finding each video's file: by name, in sub-folders, as folders of pictures; and everything that doesn't fit."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from PIL import Image

from corpus.clips.import_videos import VideoReport, import_videos
from corpus.clips.probe import probe
from corpus.clips.video_reader import FilmError, list_frames
from corpus.models import Video
from foundation.models import Collection
from foundation.refused import Refused
from tests.corpus import films
from tests.corpus.conftest import make_film


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_film(tmp_path_factory.mktemp("film") / "film.mp4")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "films"
    folder.mkdir()
    return folder


def add(collection: Collection, **durations: float | None) -> None:
    for name, duration in durations.items():
        Video.objects.create(collection=collection, name=name, duration=duration)


def put(film: Path, *places: Path) -> None:
    for place in places:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(film.read_bytes())


def frames(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        Image.fromarray(films.draw(number, 32, 24)).save(folder / name)
    return folder


def test_the_report_says_what_does_not_fit(collection: Collection, film: Path, folder: Path) -> None:
    put(film, *(folder / name for name in ("exact.mp4", "unknown.MP4", "longer.mp4", "stray.mp4")))
    (folder / "broken.mkv").write_bytes(b"no film")
    (folder / "exact.txt").write_text("subtitles")
    stated = {"exact": 4.2, "unknown": None, "longer": 9.0, "broken": 5.0, "absent": 5.0}
    add(collection, **stated)
    report = import_videos(collection=collection, folder=folder)
    assert report.unreadable.pop().startswith("broken.mkv can't be decoded: ")
    assert report == VideoReport(
        matched=3,
        without_file=["absent"],
        without_video=["stray.mp4"],
        other_duration=[("longer", 9.0, pytest.approx(4.0, abs=0.05))],
    )
    durations = dict(collection.videos.values_list("name", "duration"))
    assert durations == {**stated, "unknown": pytest.approx(4.0, abs=0.05)}
    paths = dict(collection.videos.values_list("name", "path"))
    assert paths["unknown"] == str(folder / "unknown.MP4")
    assert (paths["broken"], paths["absent"]) == ("", "")


def test_doing_it_again_changes_nothing(collection: Collection, film: Path, folder: Path) -> None:
    put(film, folder / "film.mp4")
    add(collection, film=None)
    first = import_videos(collection=collection, folder=folder)
    rows = list(collection.videos.values())
    assert import_videos(collection=collection, folder=folder) == first
    assert list(collection.videos.values()) == rows


def test_a_file_that_moved_has_not_changed(collection: Collection, film: Path, folder: Path, tmp_path: Path) -> None:
    put(film, folder / "film.mp4", tmp_path / "elsewhere" / "film.mp4")
    add(collection, film=None)
    import_videos(collection=collection, folder=folder)
    report = import_videos(collection=collection, folder=tmp_path / "elsewhere")
    assert (report.matched, report.changed) == (1, [])
    assert collection.videos.get().path == str(tmp_path / "elsewhere" / "film.mp4")


def test_files_in_folders_of_shows_are_found(collection: Collection, film: Path, folder: Path) -> None:
    put(film, folder / "friends" / "season 1" / "friends_s01e01.mp4", folder / "house" / "house_s01e01.mkv")
    add(collection, friends_s01e01=None, house_s01e01=None)
    report = import_videos(collection=collection, folder=folder)
    assert (report.matched, report.without_file, report.without_video) == (2, [], [])


def test_a_video_s_name_may_have_dots_or_be_the_whole_file_name(
    collection: Collection, film: Path, folder: Path
) -> None:
    names = ["j7rJstUseKg_360.0_510.0", "12345@N00_1.mov", "no-suffix"]
    put(film, folder / f"{names[0]}.mp4", folder / names[1], folder / names[2])
    for name in names:
        Video.objects.create(collection=collection, name=name)
    assert import_videos(collection=collection, folder=folder).matched == 3


def test_two_files_of_one_name_are_reported_and_neither_is_taken(
    collection: Collection, film: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(film, folder / "a" / "film.mp4")
    add(collection, film=None)
    import_videos(collection=collection, folder=folder)
    before = collection.videos.get()
    put(film, folder / "b" / "film.mkv")
    call_command("import_videos", "paper", str(folder))
    printed = capsys.readouterr().out
    assert "0 videos have their file." in printed
    assert "1 video with more than one file, none of which was used: film (a/film.mp4, b/film.mkv)." in printed
    assert collection.videos.get().path == before.path


def test_a_file_and_a_folder_of_pictures_of_one_name_are_two_files(
    collection: Collection, film: Path, folder: Path
) -> None:
    put(film, folder / "film.mp4")
    frames(folder / "film", "1.jpg", "2.jpg")
    add(collection, film=None)
    report = import_videos(collection=collection, folder=folder, frame_rate=3)
    assert report.ambiguous == ["film (film, film.mp4)"]


def test_a_folder_of_pictures_needs_a_rate(collection: Collection, folder: Path) -> None:
    frames(folder / "film", "00001.jpg", "00002.jpg")
    add(collection, film=None)
    with pytest.raises(CommandError, match=r"^1 video is a folder of pictures, e\.g\. film: say how many .* --fps 3$"):
        call_command("import_videos", "paper", str(folder))
    assert collection.videos.get().path == ""


@pytest.mark.parametrize("rate", [0.0, -3.0, float("nan"), float("inf"), 1001.0])
def test_a_rate_that_is_none_is_refused(collection: Collection, folder: Path, rate: float) -> None:
    with pytest.raises(Refused, match="expected more than 0 and at most 1000"):
        import_videos(collection=collection, folder=folder, frame_rate=rate)


def test_a_folder_of_pictures_knows_its_rate_and_length(collection: Collection, folder: Path) -> None:
    frames(folder / "show_frames" / "film", *(f"{number:05d}.jpg" for number in range(1, 31)))
    frames(folder / "show_frames" / "other", "1.png", "2.png")
    add(collection, film=10.3)
    report = import_videos(collection=collection, folder=folder, frame_rate=3)
    assert report == VideoReport(matched=1, without_video=["show_frames/other"])
    video = collection.videos.get()
    assert (video.path, video.frame_rate) == (str(folder / "show_frames" / "film"), 3.0)
    Video.objects.update(duration=None)
    import_videos(collection=collection, folder=folder, frame_rate=3)
    assert collection.videos.get().duration == 10.0
    assert import_videos(collection=collection, folder=folder, frame_rate=6).changed == ["film"]


def test_pictures_are_in_their_natural_order(tmp_path: Path) -> None:
    folder = frames(tmp_path / "film", "img10.jpg", "img9.jpg", "img11.PNG", "img8.jpeg", "._img1.jpg")
    (folder / "notes.txt").write_text("10 pictures")
    assert [file.name for file in list_frames(folder)] == ["img8.jpeg", "img9.jpg", "img10.jpg", "img11.PNG"]
    assert [file.name for file in list_frames(frames(tmp_path / "b", "000.jpg", "010.jpg", "020.jpg"))][1] == "010.jpg"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("1.jpg", "2.jpg", "4.jpg"), r"film/4\.jpg follows 2\.jpg: expected numbers in equal steps"),
        (("1.jpg", "1.png", "2.jpg"), r"film/1\.png follows 1\.jpg: expected numbers in equal steps"),
    ],
    ids=["a gap", "a number twice"],
)
def test_pictures_with_a_gap_are_refused(tmp_path: Path, names: tuple[str, ...], said: str) -> None:
    with pytest.raises(FilmError, match=said):
        list_frames(frames(tmp_path / "film", *names))


def test_a_folder_with_a_gap_or_a_broken_picture_is_unreadable(collection: Collection, folder: Path) -> None:
    frames(folder / "gap", "1.jpg", "3.jpg", "4.jpg")
    (frames(folder / "torn", "1.jpg", "2.jpg") / "1.jpg").write_bytes(b"\xff\xd8\xff")
    add(collection, gap=None, torn=None)
    report = import_videos(collection=collection, folder=folder, frame_rate=3)
    assert report.matched == 0
    assert [text.split(":")[0] for text in report.unreadable] == [
        "gap/3.jpg follows 1.jpg",
        "torn/1.jpg can't be decoded",
    ]


def test_a_film_cut_off_while_it_was_written_leaves_the_duration_open(collection: Collection, folder: Path) -> None:
    # A transport stream whose writer was killed after its first pictures states no length worth the name.
    whole = make_film(folder / "film.mkv", seconds=2)
    content = whole.read_bytes()
    whole.write_bytes(content[: len(content) * 2 // 3])
    add(collection, film=None)
    assert import_videos(collection=collection, folder=folder).matched == 1
    duration = collection.videos.get().duration
    assert duration is None or duration > 0


def test_a_link_that_leads_in_a_circle_ends(collection: Collection, film: Path, folder: Path) -> None:
    put(film, folder / "deep" / "film.mp4")
    (folder / "deep" / "round").symlink_to(folder)
    add(collection, film=None)
    report = import_videos(collection=collection, folder=folder)
    assert (report.matched, report.ambiguous) == (1, [])


def test_a_changed_file_is_told_by_its_bytes(film: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.mp4"
    copy.write_bytes(film.read_bytes())
    assert probe(copy) == probe(film)
    content = bytearray(film.read_bytes())
    content[-1] ^= 1
    copy.write_bytes(content)
    assert probe(copy).fingerprint != probe(film).fingerprint


def test_the_command_refuses_what_is_no_folder(collection: Collection, film: Path) -> None:
    with pytest.raises(CommandError, match=r"film\.mp4 is not a folder$"):
        call_command("import_videos", "paper", str(film))
    with pytest.raises(CommandError, match=r"There is no collection 'nope'\. Collections: paper\."):
        call_command("import_videos", "nope", str(film.parent))


def test_the_four_real_files_are_imported(collection: Collection) -> None:
    add(collection, bigbuckbunny=5.28, bikes=None, carphone_distorted=4.0, carphone_pristine=4.0)
    report = import_videos(collection=collection, folder=films.real_film("bikes.mp4").parent)
    assert report == VideoReport(matched=4)
    assert collection.videos.get(name="bikes").duration == 10.0
