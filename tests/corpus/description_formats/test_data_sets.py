"""The layouts of TACoS, MAD, MedVidQA, Ego4D NLQ and UCA, in files as those give them away."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from corpus.description_formats import FORMATS, FileChoices, guess_format
from corpus.description_formats.json_stream import LONGEST_ENTRY
from corpus.description_import.import_descriptions import import_descriptions, import_stream
from corpus.models import Description, Video
from foundation.models import Collection
from tests.corpus.description_formats.test_formats import EGO4D, MAD, MEDVIDQA, TACOS, read


def test_tacos_says_frames_which_become_seconds_and_the_video_s_duration_too() -> None:
    rows = read("tacos", json.dumps(TACOS).encode())
    assert [(row.video_name, row.start, row.end, row.text, row.duration) for row in rows] == [
        ("s13-d21.avi", 201 / 29.4, 487 / 29.4, "He gets out a knife.", 11800 / 29.4),
        ("s13-d21.avi", 501 / 29.4, 954 / 29.4, "He peels an orange.", 11800 / 29.4),
        ("s13-d25.avi", 0.0, 294 / 29.4, "She waits.", 5880 / 29.4),
    ]
    assert all(row.derived for row in rows)
    assert [row.entry for row in rows][1] == "video 's13-d21.avi', sentence 2"


def test_a_sentence_that_two_annotators_wrote_for_one_stretch_is_one_description(collection: Collection) -> None:
    twice = {"a.avi": {**TACOS["s13-d25.avi"], "timestamps": [[0, 294]] * 2, "sentences": ["She waits."] * 2}}
    file = io.BytesIO(json.dumps(twice).encode())
    report = import_stream(collection=collection, file=file, name="tacos.json")
    assert (report.format, report.added, report.unchanged) == ("tacos", 1, 1)


def test_mad_has_the_stretch_that_its_baselines_take_cut_to_the_movie() -> None:
    edges = {
        "9": {**MAD["7"], "ext_timestamps": [-0.4, 2]},
        "10": {**MAD["7"], "ext_timestamps": [5999, 6003.25]},
    }
    rows = read("mad", json.dumps(MAD | edges).encode())
    assert [(row.source_id, row.derived, row.start, row.end) for row in rows] == [
        ("7", False, 62.2, 66.0),
        ("8", False, 70.0, 72.5),
        ("9", False, 0.0, 2.0),
        ("10", False, 5999.0, 6000.5),
    ]
    assert {(row.video_name, row.duration) for row in rows} == {("10142", 6000.5)}
    assert [row.text for row in rows[:2]] == ["She opens the door.", "He looks up."]


def test_mad_s_second_version_is_a_table_with_movies() -> None:
    table = b"movie,start,end,sentence,movie_duration\n10142,63.2,65,She opens the door.,6000.5\n"
    assert guess_format(io.BytesIO(table)) == "csv"
    (row,) = read("csv", table)
    assert (row.video_name, row.start, row.end, row.text, row.duration) == (
        *("10142", 63.2, 65.0, "She opens the door.", 6000.5),
    )


def test_medvidqa_has_seconds_beside_minutes() -> None:
    (row,) = read("medvidqa", json.dumps(MEDVIDQA, indent=4).encode())
    assert (row.video_name, row.start, row.end, row.duration) == ("x7RX", 70.0, 130.0, 303.0)
    assert (row.text, row.derived, row.source_id.split("-")[0]) == ("How do I stretch my wrist?", False, "18")
    other = read("medvidqa", json.dumps([MEDVIDQA[0] | {"video_id": "other"}]).encode())[0]
    assert other.source_id != row.source_id, "a sample_id may come in another file again"


def test_ego4d_s_clips_are_the_videos_and_a_query_is_numbered_in_its_annotation() -> None:
    rows = read("ego4d-nlq", json.dumps(EGO4D).encode())
    assert [(row.source_id, row.video_name, row.start, row.end, row.duration, row.text) for row in rows] == [
        ("ann-1_0", "clip-1", 4.0, 9.5, 480.0, "Where is my cup?"),
        ("ann-1_1", "clip-1", 12.0, 13.0, 480.0, "What did I pour?"),
    ]
    assert [row.entry for row in rows] == ["video 1, query 1", "video 1, query 2"]


def test_ego4d_s_videos_are_read_one_by_one_with_their_lines() -> None:
    videos = [EGO4D["videos"][0] | {"filler": "x" * 100_000} for _ in range(60)]
    content = json.dumps({"videos": videos, "after": [1]}, indent=1)
    assert len(content) > LONGEST_ENTRY
    rows = read("ego4d-nlq", content.encode())
    assert len(rows) == 120
    lines = content.split("\n")
    assert {lines[row.line - 1] for row in rows} == {"  {"}


def test_the_rest_of_an_ego4d_file_is_read_where_one_video_is_broken() -> None:
    broken: dict[str, Any] = {"video_uid": "film-2", "clips": [{"clip_uid": "clip-2"}]}
    content = json.dumps({"videos": [broken, EGO4D["videos"][0]]}).encode()
    refused = []
    format = FORMATS["ego4d-nlq"]
    rows = list(format.read(io.BytesIO(content), end_slack=1.0, refuse=lambda piece, bad: refused.append((piece, bad))))
    assert [row.source_id for _, row in rows] == ["ann-1_0", "ann-1_1"]
    assert [(piece.entry, bad.field) for piece, bad in refused] == [("video 1", "video_start_sec")]


UCA = {"Abuse001_x264": {"duration": 91.2, "timestamps": [[0.3, 5.3]], "sentences": ["Ada reads a book."]}}
UCA_LINES = b"""Abuse001_x264 00:00.3 00:05.3 ##Ada reads a book.
Assault009_x264 01:02:00.5 01:02:03.0 ##Bo waits.
"""


def test_uca_s_two_files_say_the_same_and_only_one_has_durations(collection: Collection, tmp_path: Path) -> None:
    lines, document = tmp_path / "UCFCrime_Test.txt", tmp_path / "UCFCrime_Test.json"
    lines.write_bytes(UCA_LINES)
    document.write_text(json.dumps(UCA, indent=4))
    first = import_descriptions(collection=collection, path=lines)
    assert (first.format, first.added) == ("charades-sta", 2)
    hours = Description.objects.get(moment__video__name="Assault009_x264").moment
    assert (hours.start, hours.end, hours.video.duration) == (3720.5, 3723.0, None)
    second = import_descriptions(collection=collection, path=document)
    assert (second.format, second.added, second.unchanged, second.retimed) == ("activitynet", 0, 1, 1)
    assert Video.objects.get(name="Abuse001_x264").duration == 91.2


@pytest.mark.parametrize("name", ["tacos", "charades"])
def test_lighthouse_s_lines_of_other_data_sets_are_qvhighlights(collection: Collection, name: str) -> None:
    line = {"qid": f"{name}_0", "query": "He waits.", "duration": 249.86, "vid": "s30", "relevant_windows": [[4.8, 12]]}
    report = import_stream(collection=collection, file=io.BytesIO(json.dumps(line).encode()), name="x.jsonl")
    assert (report.format, report.added) == ("qvhighlights", 1)
    assert Description.objects.get().source_id == f"{name}_0-1"


def test_tabs_between_cells_are_a_table_too(collection: Collection) -> None:
    table = b"video_id\tstart\tend\tquery\ns30\t4.8\t12\tHe waits.\n"
    choices = FileChoices("csv", columns={"text": "query"})
    report = import_stream(collection=collection, file=io.BytesIO(table), name="x.tsv", choices=choices)
    assert (report.added, Description.objects.get().text) == (1, "He waits.")
