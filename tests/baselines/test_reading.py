"""Videos are read as frames at a rate, subtitles as lines in clips."""

from __future__ import annotations

import json
import os
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from baselines.errors import BaselineError
from baselines.features.extract import pooled, said
from baselines.reading.subtitles import clip_lines
from baselines.reading.videos import frames, videos_in
from evaluation.errors import InputError
from evaluation.reading.subtitle_files import read_subtitles
from evaluation.reading.subtitles import SubtitleLine
from tests.baselines.worlds import COUNTED
from tests.corpus.films import draw_film, number_in, real_film, seen_by_ffmpeg, steady


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(3.0, [0, 4, 8, 12, 16, 20]), (5.0, [0, 2, 4, 7, 9, 12, 14, 16, 19, 21]), (1.0, [0, 12])],
)
def test_the_frames_are_those_shown_at_each_time(tmp_path: Path, rate: float, shown: list[int]) -> None:
    film = draw_film(tmp_path / "film.mp4", steady(12, 24))
    read = list(frames(film, rate=rate, size=(160, 96)))
    assert [round(shot.time * rate) for shot in read[:-1]] == list(range(len(shown)))
    assert [number_in(shot.picture) for shot in read if shot.picture is not None] == shown
    assert read[-1].picture is None
    assert read[-1].time == pytest.approx(2.0, abs=0.001)


def test_frames_that_come_at_odd_times_stay_until_the_next(tmp_path: Path) -> None:
    film = draw_film(tmp_path / "film.mp4", [Fraction(0), Fraction(2, 5), Fraction(19, 10), Fraction(11, 5)])
    read = [shot.picture for shot in frames(film, rate=2, size=(160, 96))]
    assert [number_in(picture) for picture in read[:5] if picture is not None] == [0, 1, 1, 1, 2]


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_film_that_lies_on_its_side_is_read_upright(tmp_path: Path, rotation: int) -> None:
    film = draw_film(tmp_path / "film.mp4", steady(12, 2), width=96, height=96, rotation=rotation)
    read = next(frames(film, rate=1, size=(96, 96))).picture
    assert read is not None
    assert np.abs(read.astype(int) - seen_by_ffmpeg(film)[0]).mean() < 8


def test_real_films_are_read_to_their_end() -> None:
    read = list(frames(real_film("bikes.mp4"), rate=2, size=(64, 64)))
    assert read[-1].time == pytest.approx(10.0, abs=0.2)
    assert all(shot.picture is not None and shot.picture.shape == (64, 64, 3) for shot in read[:-1])


def test_a_file_that_is_no_video_is_named(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_text("not a film")
    with pytest.raises(BaselineError, match=r"film\.mp4: can't be decoded"):
        list(frames(tmp_path / "film.mp4", rate=1, size=(64, 64)))


def test_a_list_of_other_files_is_no_video(tmp_path: Path) -> None:
    draw_film(tmp_path / "film.mp4", steady(12, 12))
    (tmp_path / "list.ffconcat").write_text("ffconcat version 1.0\nfile film.mp4\n")
    with pytest.raises(BaselineError, match="found no format of films"):
        list(frames(tmp_path / "list.ffconcat", rate=1, size=(64, 64)))


def test_videos_are_named_as_their_files_without_ending(tmp_path: Path) -> None:
    for name in ("night.clip_01.mp4", "noon.mkv", "noon.srt", ".hidden.mp4"):
        (tmp_path / name).write_text("")
    assert list(videos_in(tmp_path)) == ["night.clip_01", "noon"]
    (tmp_path / "noon.avi").write_text("")
    with pytest.raises(BaselineError, match=r"found noon\.avi and noon\.mkv, expected one file a video"):
        videos_in(tmp_path)


SRT = "1\n00:00:00,500 --> 00:00:02,000\nHello <i>there</i>,\nyou.\n\n2\n00:00:02,000 --> 00:00:03,500\nBye.\n"
VTT = "WEBVTT\n\n00:00.500 --> 00:02.000\nHello <i>there</i>,\nyou.\n\n00:02.000 --> 00:03.500\nBye.\n"
LINES = [SubtitleLine("Hello there, you.", 0.5, 2.0), SubtitleLine("Bye.", 2.0, 3.5)]


def test_srt_vtt_and_tvrs_lines_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "night.srt").write_text("\ufeff" + SRT)
    (tmp_path / "noon.vtt").write_text(VTT)
    assert read_subtitles(tmp_path) == {"night": LINES, "noon": LINES}
    sub = [{"text": " Hello there,\n you. ", "start": 0.5, "end": 2.0}, {"text": "Bye.", "start": 2, "end": 3.5}]
    empty = [{"text": "  ", "start": 4, "end": 5}, {"text": "Um", "start": 6, "end": 6}]
    path = tmp_path / "all.jsonl"
    path.write_text(json.dumps({"vid_name": "night", "sub": sub + empty}) + "\n")
    assert read_subtitles(path) == {"night": LINES}


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("night.srt", "no times at all", "no line with a time"),
        ("night.srt", SRT.replace("00:00:03,500", "00:00:01,000"), "subtitle 2: found 2 s to 1 s"),
        ("all.jsonl", '{"vid_name": "night"}\n', "line 1: found no sub"),
        ("all.jsonl", '{"vid_name": "night", "sub": [{"text": "A", "start": 3, "end": 2}]}\n', "line 1, subtitle 1"),
        ("all.jsonl", '{"vid_name": "n", "sub": []}\n{"vid_name": "n", "sub": []}\n', "line 2: found vid_name 'n'"),
        ("all.jsonl", "", "found no video"),
    ],
)
def test_broken_subtitles_are_named_with_their_place(tmp_path: Path, name: str, text: str, found: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=found):
        read_subtitles(tmp_path if name.endswith("srt") else tmp_path / name)


def test_subtitles_of_another_encoding_are_refused(tmp_path: Path) -> None:
    (tmp_path / "night.srt").write_bytes(SRT.replace("Bye", "Gr\xfc\xdf").encode("latin-1"))
    with pytest.raises(InputError, match=r"night\.srt, line 8: found encoding b'\\xfc', expected UTF-8"):
        read_subtitles(tmp_path)


def said_in(folder: Path, name: str, content: str) -> list[tuple[str, float, float]]:
    """What a file's lines say, as (text, start, end)."""
    (folder / name).write_bytes(content.encode())
    return [(line.text, line.start, line.end) for line in read_subtitles(folder)[Path(name).stem]]


AUTOMATIC = """WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.000 align:start position:0%
 
so<00:00:00.480><c> today</c><00:00:00.900><c> we</c>

00:00:02.000 --> 00:00:02.010 align:start position:0%
so today we
 

00:00:02.010 --> 00:00:04.000 align:start position:0%
so today we
make<00:00:02.480><c.colorE5E5E5> tea</c>

00:00:04.000 --> 00:00:04.010 align:start position:0%
make tea
 

00:00:04.010 --> 00:00:05.000 align:start position:0%
make tea
yeah

00:00:05.000 --> 00:00:06.000 align:start position:0%
yeah
yeah
"""
SAID = [("so today we", 0.16, 2.0), ("make tea", 2.01, 4.0), ("yeah", 4.01, 5.0), ("yeah", 5.0, 6.0)]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_rolling_captions_are_said_once(tmp_path: Path, line_end: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said_in(tmp_path, "auto.vtt", "\ufeff" + AUTOMATIC.replace("\n", line_end)) == SAID
    assert capsys.readouterr().err == (
        "Subtitles left out for only standing still, as rolling captions do between two lines: 2; "
        "the first: auto.vtt, line 9, subtitle 2.\n"
    )


def test_rolling_captions_made_srt_are_said_once(tmp_path: Path) -> None:
    without_times = re.sub("<[^>]*>", "", AUTOMATIC.split("\n\n", 1)[1]).replace(" align:start position:0%", "")
    numbered = "".join(f"{n}\n{block}\n\n" for n, block in enumerate(without_times.split("\n\n"), start=1))
    assert said_in(tmp_path, "auto.srt", numbered) == SAID


def test_who_says_the_same_twice_says_it_twice(tmp_path: Path) -> None:
    blocks = [f"{n}\n00:00:0{n},000 --> 00:00:0{n + 1},000\nNo.\n" for n in range(1, 6)]
    assert [text for text, _, _ in said_in(tmp_path, "no.srt", "\n".join(blocks))] == ["No."] * 5


def test_nothing_of_webvtt_but_what_is_said_is_read(tmp_path: Path) -> None:
    content = """WEBVTT - of Ada

STYLE
::cue(c.loud) { color: red }

REGION
id:below
width:40%

NOTE a comment

NOTE
another, with a time in it:
00:00:00.000 --> 00:00:01.000

intro
00:01.000 --> 00:02.000 region:below
<v Ada Byron>Tea &amp; <i.loud>cake</i>,
a &lt;3 b&nbsp;c

2
100:00:01.000 --> 100:00:02.500
{\\an8}&lt;i&gt;Late&lt;/i&gt;<00:00:01.500>, 5 < 6\\Nand 7 > 6
00:03.000 --> 00:04.000
No empty line before.
"""
    assert said_in(tmp_path, "ada.vtt", content) == [
        ("Tea & cake, a <3 b c", 1.0, 2.0),
        ("Late, 5 < 6 and 7 > 6", 360001.0, 360002.5),
        ("No empty line before.", 3.0, 4.0),
    ]
    assert said_in(tmp_path, "ada.vtt", "WEBVTT\n\nNOTE nobody speaks\n") == []


def test_what_can_not_be_read_is_counted_and_the_rest_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = """1
-00:00:02,000 --> 00:00:05,000
Hello.

2
00:00:06,000 --> 00:00:08,000
With an empty line,

and with more.

3
soon --> later
Lost.

And this.

4
-00:00:02,000 --> -00:00:01,000
Before.

5
00:00:08,000 --> 00:00:08,000
Short.
 
6
00:00:09,000 --> 00:00:10,000
<font color="#fff">\u200b</font>

7
0:00:10.5 --> 0:00:11 X1:1 X2:2
Do 5 --> 6.
"""
    assert said_in(tmp_path, "ada.srt", content) == [
        ("Hello.", 0.0, 5.0),
        ("With an empty line, and with more.", 6.0, 8.0),
        ("Do 5 --> 6.", 10.5, 11.0),
    ]
    assert capsys.readouterr().err.splitlines() == [
        "Subtitles left out for having no times that can be read: 1; the first: ada.srt, line 12 ('soon --> later').",
        "Subtitles left out for ending before the video begins: 1; the first: ada.srt, line 18, subtitle 4.",
        "Subtitles left out for having no length: 1; the first: ada.srt, line 22, subtitle 5.",
        "Subtitles left out for having no words: 1; the first: ada.srt, line 26, subtitle 6.",
    ]


def test_tvrs_lines_lose_their_markup_and_keep_what_begins_too_early(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sub = [
        {"text": "<i>Ada :</i> tea &amp; cake", "start": -1.5, "end": 2},
        {"text": "Before.", "start": -3, "end": -1},
        {"text": "Um", "start": 6, "end": 6},
    ]
    path = tmp_path / "all.jsonl"
    path.write_text(json.dumps({"vid_name": "cafe\u0301", "sub": sub}))
    assert read_subtitles(path) == {"café": [SubtitleLine("Ada : tea & cake", 0.0, 2.0)]}
    assert [line.split(";")[0] for line in capsys.readouterr().err.splitlines()] == [
        "Subtitles left out for ending before the video begins: 1",
        "Subtitles left out for having no length: 1",
    ]


def test_a_line_belongs_to_every_clip_that_it_touches() -> None:
    assert clip_lines(LINES, 4, 1.5) == [[0], [0, 1], [1], []]
    assert clip_lines([SubtitleLine("Late.", 5.0, 99.0)], 4, 1.5) == [[], [], [], [0]]


def test_what_is_said_in_a_clip_is_the_greatest_of_its_words() -> None:
    assert said(LINES, 4, 1.5, COUNTED).tolist() == [[6, 1], [6, 1], [4, 1], [0, 0]]
    assert said([], 2, 1.5, COUNTED).tolist() == [[0, 0], [0, 0]]


def test_a_clips_frames_are_joined_and_a_clip_without_one_takes_the_one_before() -> None:
    values = np.array([[1, 4], [3, 2], [5, 5]], dtype=np.float32)
    places = np.array([0, 0, 2])
    assert pooled(values, places, 4, "max").tolist() == [[3, 4], [3, 4], [5, 5], [5, 5]]
    assert pooled(values, places, 3, "mean").tolist() == [[2, 3], [2, 3], [5, 5]]


def test_the_shortest_film_has_a_frame(tmp_path: Path) -> None:
    film = draw_film(tmp_path / "film.mp4", [Fraction(0)])
    picture, end = frames(film, rate=1, size=(160, 96))
    assert picture.picture is not None
    assert number_in(picture.picture) == 0
    assert end.picture is None


@pytest.mark.parametrize("name", ["a:b.mp4", "concat:x.mp4"])
def test_a_film_may_have_any_name(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_film(tmp_path / "film.mp4", steady(12, 12)).rename(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert len(list(frames(Path(name), rate=1, size=(160, 96)))) == 2


def test_a_name_that_is_not_utf_8_is_written_legibly(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"stra\xdfe.mp4")).write_text("")
    assert list(videos_in(tmp_path)) == ["stra\\xdfe"]
