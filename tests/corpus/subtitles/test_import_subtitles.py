"""Subtitles come from files called as their videos, from TVR's JSON Lines and from tracks; what is wrong is named."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from annotation.batches.opening import open_annotation
from annotation.models import Judgment, Pair
from corpus.models import Subtitles, Video, VideoUpload
from corpus.subtitles.embedded import embedded_subtitles
from corpus.subtitles.import_subtitles import import_subtitles, read_embedded, subtitle_files
from foundation.models import Collection
from tests.annotation.judging_steps import judge, sit
from tests.conftest import World, build_world
from tests.corpus.conftest import make_film
from tests.corpus.films import run_ffmpeg
from tests.corpus.video_import.conftest import ada, begin, films, folder, import_all, send_all, videos

__all__ = ["ada", "films", "folder", "videos"]

SRT = """1
00:00:00,500 --> 00:00:01,500
<i>Hello</i> & <script>alert(1)</script>, you

2
00:00:02,000 --> 00:00:03,000
{\\an8}Zoë said
it twice
"""
SAID = [[0.5, 1.5, "Hello & alert(1), you"], [2.0, 3.0, "Zoë said it twice"]]


def said_by(video: str) -> dict[str, list[Any]]:
    """Cues by language."""
    return dict(Subtitles.objects.filter(video__name=video).values_list("language", "cues"))


def take(collection: Collection, path: Path, **options: Any) -> Any:
    return import_subtitles(collection=collection, files=subtitle_files(path), **options)


def test_files_find_their_videos_by_name_and_language_in_any_charset(
    collection: Collection, videos: None, tmp_path: Path
) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "one.srt").write_bytes(SRT.replace("\n", "\r\n").encode("utf-16"))
    (tmp_path / "below" / "one.pt-BR.srt").write_bytes(SRT.encode("windows-1252"))
    (tmp_path / "two.vtt").write_text("WEBVTT\n\nNOTE none\n\n00:01.000 --> 00:02.000 line:0\n<v Ada>Tea &amp; cake\n")
    (tmp_path / "stray.srt").write_text(SRT)
    (tmp_path / "one.txt").write_text(SRT)
    report = take(collection, tmp_path, language="en")
    assert (report.videos, report.cues, report.without_video, report.problems) == (3, 5, ["stray.srt"], [])
    assert said_by("one") == {"en": SAID, "pt-BR": SAID}
    assert said_by("two") == {"en": [[1.0, 2.0, "Tea & cake"]]}


def test_a_second_import_replaces_what_a_video_has_of_a_language(
    collection: Collection, videos: None, tmp_path: Path
) -> None:
    (tmp_path / "one.srt").write_text(SRT)
    take(collection, tmp_path, language="en")
    (tmp_path / "one.srt").write_text("1\n00:01 --> 00:02\nAnother\n")
    take(collection, tmp_path, language="de")
    take(collection, tmp_path, language="en")
    assert said_by("one") == {tag: [[1.0, 2.0, "Another"]] for tag in ("en", "de")}


def tvr_line(video: str, *subtitles: Any) -> str:
    said = [{"text": text, "start": start, "end": end} for text, start, end in subtitles]
    return json.dumps({"vid_name": video, "sub": said}) + "\n"


def test_tvrs_json_lines_are_read_for_the_videos_that_are_here(
    collection: Collection, videos: None, tmp_path: Path
) -> None:
    path = tmp_path / "tvqa_preprocessed_subtitles.jsonl"
    path.write_text(
        tvr_line("one", ("Late.", 5, 6), ("(Door:) Hi!", -1, 2.5), ("♪", 3, 4), ("Gone.", 7, 7))
        + tvr_line("elsewhere", ("Hi", 0, 1))
        + tvr_line("two")
    )
    report = take(collection, path)
    assert said_by("one") == {"": [[0.0, 2.5, "(Door:) Hi!"], [3, 4, "♪"], [5, 6, "Late."]]}
    assert (said_by("two"), report.without_video) == ({"": []}, ["elsewhere"])
    assert dict(report.left_out) == {"having no length": 1}


BAD = {
    "times": ("one.srt", "1\n00:00:0x --> 00:01\nHi\n", "one.srt, line 2: found '00:0"),
    "no times": ("one.vtt", "WEBVTT\n\nHi\n", "one.vtt, line 3: found no times, expected times such as 00:00:01.000"),
    "an end too early": (
        "one.srt",
        "1\n00:05 --> 00:01\nHi\n",
        "one.srt, line 2, subtitle 1: found 5 s to 1 s, expected a beginning before the end",
    ),
    "nothing": ("one.srt", "", "one.srt: found nothing, expected subtitles (.srt or .vtt)"),
    "no subtitles": ("one.srt", "Dear Ada,\n", "one.srt: found no line with a time, expected SRT subtitles"),
    "no json": ("all.jsonl", '{"vid_name": "one", "sub": [}', "all.jsonl, line 1: found "),
    "no number": (
        "all.jsonl",
        tvr_line("two", ("Hi", 0, 1)) + tvr_line("one", ("Hi", 0, 1), ("Hi", "0", 1)),
        "all.jsonl, line 2, subtitle 2: found {'text': 'Hi', 'start': '0', 'end': 1}, expected {\"text\", \"start\",",
    ),
    "a video twice": (
        "all.jsonl",
        tvr_line("one", ("Hi", 0, 1)) * 2,
        "all.jsonl, line 2: found vid_name 'one' a second time, expected each video once",
    ),
}


@pytest.mark.parametrize(("name", "content", "problem"), BAD.values(), ids=BAD)
def test_of_a_bad_file_nothing_is_taken_and_file_line_found_and_expected_are_named(
    collection: Collection, videos: None, tmp_path: Path, name: str, content: str, problem: str
) -> None:
    (tmp_path / name).write_text(content)
    (tmp_path / "three.srt").write_text(SRT)
    report = take(collection, tmp_path)
    assert (len(report.problems), report.problems[0][: len(problem)]) == (1, problem)
    assert (report.videos, said_by("one"), said_by("two"), said_by("three")) == (1, {}, {}, {"": SAID})


def test_a_second_file_of_a_video_and_language_is_not_taken(
    collection: Collection, videos: None, tmp_path: Path
) -> None:
    (tmp_path / "one.srt").write_text(SRT)
    (tmp_path / "one.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:02.000\nAnother\n")
    report = take(collection, tmp_path)
    assert report.problems == [
        "one.vtt: found subtitles of one once more, after those of one.srt, expected one file a video and language"
    ]
    assert said_by("one") == {"": SAID}


def film_with_words(path: Path, codec: str, *languages: str) -> Path:
    """A film with a track of words a language, as another program has written it."""
    film, words = make_film(path.with_name("plain.mp4")), path.with_name("words.srt")
    words.write_text(SRT)
    inputs = [part for _ in languages for part in ("-i", words)]
    maps = [part for number in range(len(languages) + 1) for part in ("-map", str(number))]
    tags = [part for at, tag in enumerate(languages) for part in (f"-metadata:s:s:{at}", f"language={tag}")]
    run_ffmpeg("-i", film, *inputs, *maps, "-c:v", "copy", "-c:s", codec, *tags, path)
    words.unlink()
    return path


def test_what_judgments_were_given_by_stays_unless_it_is_said(db: None, tmp_path: Path) -> None:
    world = build_world(clips=True)
    Collection.objects.update(evidence=["picture", "subtitles"])
    collection = Collection.objects.get()
    name = Video.objects.get().name
    (tmp_path / f"{name}.srt").write_text(SRT)
    assert take(collection, tmp_path).videos == 1
    judged(world)
    (tmp_path / f"{name}.srt").write_text("1\n00:01 --> 00:02\nAnother\n")
    report = take(collection, tmp_path)
    assert (report.videos, report.kept, said_by(name)) == (0, [name], {"": SAID})
    take(collection, tmp_path, judged_too=True)
    assert said_by(name) == {"": [[1.0, 2.0, "Another"]]}


def judged(world: World) -> None:
    open_annotation(collection=world.collection)
    sit(world["bo"])
    judge(world["bo"], Pair.objects.order_by("pk")[0], 2, played=1.0)
    assert Judgment.objects.exists()


def test_the_command_takes_files_folders_and_charsets(
    collection: Collection, videos: None, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "one.srt").write_bytes(SRT.replace("Zoë", "Зоя").encode("windows-1251"))
    call_command("import_subtitles", "paper", tmp_path, "--charset", "windows-1251", "--language", "ru")
    assert said_by("one")["ru"][1][2] == "Зоя said it twice"
    assert capsys.readouterr().out.startswith("1 video has subtitles: 2 cues.\n")
    (tmp_path / "two.srt").write_text("1\n00:05 --> 00:01\nHi\n")
    with pytest.raises(CommandError, match=r"two\.srt, line 2"):
        call_command("import_subtitles", "paper", tmp_path / "two.srt")
    with pytest.raises(CommandError, match="expected either a file or folder"):
        call_command("import_subtitles", "paper")
    with pytest.raises(CommandError, match="found no subtitles"):
        call_command("import_subtitles", "paper", make_folder(tmp_path / "empty"))


def make_folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_subtitles_are_uploaded_beside_videos_and_bad_ones_are_refused_with_the_reason(
    ada: Client, collection: Collection, videos: None, films: tuple[bytes, bytes]
) -> None:
    tvr = tvr_line("three", ("Hi", 0, 1)).encode()
    for name, content in (
        ("show/one.mp4", films[0]),
        ("show/one.en.srt", SRT.encode()),
        ("two.vtt", b"WEBVTT\n\nHi\n"),
        ("subtitles.jsonl", tvr),
    ):
        send_all(ada, begin(ada, name, content), content)
    job = import_all(ada)
    assert said_by("one") == {"en": SAID} and said_by("three") == {"": [[0, 1, "Hi"]]}
    assert [name for name, _ in job.report["refused"]] == ["two.vtt"]
    assert "two.vtt, line 3: found no times" in ada.get(job.get_absolute_url()).content.decode()
    assert job.said.endswith("1 file is not taken; 2 videos have subtitles from here")
    assert VideoUpload.objects.get(name="subtitles.jsonl").preview is None
    assert begin(ada, "subtitles.jsonl", tvr)["state"] == "taken", "it isn't sent again"
    page = ada.get(f"/c/paper/videos/{Video.objects.get(name='one').pk}/").content.decode()
    assert "Subtitles: en, 2 (show/one.en.srt)" in page


def test_erasing_a_video_erases_what_is_said_in_it(collection: Collection, videos: None, tmp_path: Path) -> None:
    (tmp_path / "one.srt").write_text(SRT)
    take(collection, tmp_path)
    Video.objects.get(name="one").delete()
    assert not Subtitles.objects.exists()


@pytest.mark.parametrize(("suffix", "codec"), [("mkv", "srt"), ("mkv", "ass"), ("mp4", "mov_text"), ("mkv", "webvtt")])
def test_tracks_of_a_videos_file_are_read_as_plain_text(tmp_path: Path, suffix: str, codec: str) -> None:
    path = film_with_words(tmp_path / f"one.{suffix}", codec, "eng", "ger")
    said = {
        tag: [[line.start, line.end, line.text] for line in lines] for tag, lines in embedded_subtitles(path).items()
    }
    assert sorted(said) == ["de", "en"]
    for start, end, text in said["en"]:
        assert (start, end, text.replace("<script>", "").replace("</script>", "")) in [tuple(cue) for cue in SAID]


def test_tracks_are_read_once_and_give_way_to_files(collection: Collection, videos: None, tmp_path: Path) -> None:
    path = film_with_words(tmp_path / "film.mkv", "srt", "eng", "ger")
    Video.objects.filter(name="one").update(path=str(path), fingerprint="f1")
    (tmp_path / "one.de.srt").write_text("1\n00:01 --> 00:02\nTee\n")
    take(collection, tmp_path)
    report = read_embedded(collection=collection)
    assert (report.videos, said_by("one")) == (1, {"de": [[1.0, 2.0, "Tee"]], "en": SAID})
    path.unlink()
    assert read_embedded(collection=collection).problems == [], "read already"
    assert len(read_embedded(collection=collection, again=True).problems) == 1
