"""What each format's files become: ids, times, texts; how a format is told; real files with their counts."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from corpus.description_formats import FORMATS, BadFile, BadRow, DescriptionRow, FilePiece, guess_format
from corpus.description_formats.didemo import agreed
from corpus.description_formats.json_stream import LONGEST_ENTRY
from corpus.description_import.import_descriptions import ImportReport, import_descriptions
from corpus.models import Description, Moment, Video
from evaluation.reading.json_text import BLOCK
from foundation.models import Collection
from tests.corpus.conftest import row
from tests.paths import DATA, NO_DATA, ROOT

real_data = pytest.mark.skipif(not DATA.is_dir(), reason=NO_DATA)

CHARADES = (
    b"3MSZA 24.3 30.4##person turn a light on.\n3MSZA 24.3 30.4##person flips the switch.\r\n\nAMT7R 4 12##a##b \n"
)
ACTIVITYNET = {
    "v_one": {
        "duration": 82.73,
        "timestamps": [[0.83, 19.86], [17.37, 60.81]],
        "sentences": ["Ada waits.", " Ada ends."],
    },
    "v_two": {"duration": 10, "timestamps": [], "sentences": []},
    "v_three": {"duration": 55.15, "timestamps": [[0, 55.15]], "sentences": ["Bo sings."]},
}
DIDEMO = [
    {"annotation_id": 7, "description": "ada waits", "video": "a.avi", "times": [[0, 0], [1, 2], [1, 2], [5, 5]]},
    {"annotation_id": 8, "description": "bo sings", "video": "a.avi", "times": [[4, 4]], "num_segments": 5},
    {"annotation_id": 7, "description": "cy waits", "video": "b.avi", "times": [[5, 5]], "num_segments": 6},
]
QVHIGHLIGHTS = {
    "qid": 2579,
    "query": "Ada cooks.",
    "duration": 150,
    "vid": "x_210.0_360.0",
    "saliency_scores": [[1, 1, 2]],
}
OWN = {"video": "film", "start": 1, "end": 2.5, "text": "Ada waits."}
FULL = OWN | {"id": 5, "kind": "t", "duration": 60, "language": "pt-BR", "note": "passed over"}
CSV = (
    "Text,video ,start,end,id,kind,duration,language,note\n"
    '"Ada, who\nwaits.",film,1,2.5,,,,,x\n'
    "Bo.,film,3,4e0,b-1,vt,60,en,y\n"
)


def read(format_name: str, content: bytes) -> list[DescriptionRow]:
    def refuse(piece: FilePiece, fault: BadRow) -> None:
        raise fault

    read = FORMATS[format_name].read(io.BytesIO(content), end_slack=1.0, refuse=refuse)
    return [made for _, made in read]


def take(collection: Collection, path: Path, format_name: str | None = None) -> ImportReport:
    return import_descriptions(collection=collection, path=path, format_name=format_name)


def test_charades_sta_has_no_ids_and_no_durations() -> None:
    rows = read("charades-sta", CHARADES)
    assert [(row.line, row.video_name, row.start, row.end, row.text, row.duration) for row in rows] == [
        (1, "3MSZA", 24.3, 30.4, "person turn a light on.", None),
        (2, "3MSZA", 24.3, 30.4, "person flips the switch.", None),
        (4, "AMT7R", 4.0, 12.0, "a##b ", None),
    ]


def test_an_id_made_of_a_row_is_the_same_wherever_the_row_stands() -> None:
    rows = read("charades-sta", CHARADES)
    turned = read("charades-sta", b"\n".join(reversed(CHARADES.splitlines())))
    assert len({row.source_id for row in rows}) == 3
    assert [one.source_id for one in turned] == [one.source_id for one in reversed(rows)]
    assert all(row.derived and row.source_id.startswith("auto-") and len(row.source_id) == 25 for row in rows)
    # The same row in another format is the same row.
    assert (
        read("jsonl", json.dumps(OWN).encode())[0].source_id
        == read("charades-sta", b"film 1.0 2.5##Ada waits.")[0].source_id
    )


@pytest.mark.parametrize("indent", [None, 2], ids=["on one line", "pretty"])
def test_activitynet_becomes_a_row_a_sentence(indent: int | None) -> None:
    content = json.dumps(ACTIVITYNET, indent=indent)
    rows = read("activitynet", content.encode())
    assert [(row.video_name, row.start, row.end, row.text, row.duration) for row in rows] == [
        ("v_one", 0.83, 19.86, "Ada waits.", 82.73),
        ("v_one", 17.37, 60.81, " Ada ends.", 82.73),
        ("v_three", 0.0, 55.15, "Bo sings.", 55.15),
    ]
    assert [row.entry for row in rows] == [
        "video 'v_one', sentence 1",
        "video 'v_one', sentence 2",
        "video 'v_three', sentence 1",
    ]
    third = content[: content.index('"v_three"')].count("\n") + 1
    assert [row.line for row in rows] == ([1, 1, 1] if indent is None else [2, 2, third])


def test_didemo_takes_the_segments_that_most_people_marked_as_seconds() -> None:
    rows = read("didemo", json.dumps(DIDEMO).encode())
    assert [(row.video_name, row.start, row.end, row.text, row.duration) for row in rows] == [
        ("a.avi", 5.0, 15.0, "ada waits", None),
        ("a.avi", 20.0, 25.0, "bo sings", None),
        ("b.avi", 25.0, 30.0, "cy waits", None),
    ]
    ids = [row.source_id for row in rows]
    assert [source_id.split("-")[0] for source_id in ids] == ["7", "8", "7"]
    assert len(set(ids)) == 3, "annotation ids of the train and test files overlap"


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([(0, 0)], (0, 0)),
        ([(3, 3), (1, 2), (1, 2)], (1, 2)),
        ([(0, 0), (0, 1), (0, 2)], (0, 1)),
        ([(0, 0), (4, 4)], (0, 0)),
        ([(2, 3), (2, 3), (0, 0), (0, 0), (0, 1)], (0, 0)),
    ],
    ids=[
        "one person",
        "most votes",
        "the middle of three",
        "nothing in common: the earlier",
        "two each: the better overlap",
    ],
)
def test_people_who_differ_about_segments_are_reconciled(
    marks: list[tuple[int, int]], expected: tuple[int, int]
) -> None:
    assert agreed(marks) == agreed(marks[::-1]) == expected


def test_qvhighlights_becomes_a_row_a_window() -> None:
    rows = read("qvhighlights", json.dumps(QVHIGHLIGHTS | {"relevant_windows": [[82, 150], [0, 4]]}).encode())
    assert [(row.source_id, row.start, row.end, row.text, row.duration) for row in rows] == [
        ("2579-1", 82.0, 150.0, "Ada cooks.", 150.0),
        ("2579-2", 0.0, 4.0, "Ada cooks.", 150.0),
    ]


def test_our_own_columns_as_json_lines() -> None:
    bare, full = read("jsonl", json.dumps(OWN).encode() + b"\n" + json.dumps(FULL).encode())
    assert (bare.kind, bare.duration, bare.language, bare.derived) == (None, None, None, True)
    assert (full.source_id, full.kind, full.duration, full.language, full.derived) == ("5", "t", 60.0, "pt-BR", False)


def test_our_own_columns_as_csv_in_any_order() -> None:
    first, second = read("csv", b"\xef\xbb\xbf" + CSV.encode())
    assert (first.line, first.text, first.start, first.end, first.derived) == (2, "Ada, who\nwaits.", 1.0, 2.5, True)
    assert (first.kind, first.duration, first.language) == (None, None, None)
    assert (second.line, second.source_id, second.kind, second.duration, second.language, second.end) == (
        *(4, "b-1", "vt", 60.0, "en", 4.0),
    )


def test_a_language_and_a_kind_that_are_not_stated_have_their_defaults(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(CSV)
    assert take(collection, path).added == 2
    stored = Description.objects.order_by("pk").values_list("kind", "language")
    assert list(stored) == [("v", ""), ("vt", "en")]


TACOS = {
    "s13-d21.avi": {
        "timestamps": [[201, 487], [501, 954]],
        "sentences": ["He gets out a knife.", "He peels an orange."],
        "fps": 29.4,
        "num_frames": 11800,
    },
    "s13-d25.avi": {"timestamps": [[0, 294]], "sentences": ["She waits."], "fps": 29.4, "num_frames": 5880},
}
MAD = {
    "7": {
        "movie": "10142",
        "movie_duration": 6000.5,
        "timestamps": [63.2, 65.0],
        "ext_timestamps": [62.2, 66.0],
        "sentence": "She opens the door.",
    },
    "8": {"movie": "10142", "movie_duration": 6000.5, "timestamps": [70, 72.5], "sentence": "He looks up."},
}
MEDVIDQA = [
    {
        "sample_id": 18,
        "question": "How do I stretch my wrist?",
        "answer_start": "01:10",
        "answer_end": "02:10",
        "answer_start_second": 70,
        "answer_end_second": 130,
        "video_length": 303,
        "video_id": "x7RX",
        "video_url": "https://example.org/x7RX",
    }
]
EGO4D: dict[str, Any] = {
    "version": "1",
    "date": "230114",
    "videos": [
        {
            "video_uid": "film",
            "clips": [
                {
                    "clip_uid": "clip-1",
                    "video_start_sec": 30.5,
                    "video_end_sec": 510.5,
                    "annotations": [
                        {
                            "annotation_uid": "ann-1",
                            "language_queries": [
                                {
                                    "clip_start_sec": 4,
                                    "clip_end_sec": 9.5,
                                    "video_start_sec": 34.5,
                                    "video_end_sec": 40,
                                    "query": "Where is my cup?",
                                },
                                {"clip_start_sec": 12, "clip_end_sec": 13, "query": "What did I pour?"},
                            ],
                        }
                    ],
                }
            ],
            "split": "train",
        },
    ],
}


BEGINNINGS = {
    "tvr": json.dumps(row()).encode(),
    "charades-sta": CHARADES,
    "activitynet": json.dumps(ACTIVITYNET).encode(),
    "didemo": json.dumps(DIDEMO, indent=1).encode(),
    "qvhighlights": json.dumps(QVHIGHLIGHTS).encode(),
    "tacos": json.dumps(TACOS).encode(),
    "mad": json.dumps(MAD).encode(),
    "medvidqa": json.dumps(MEDVIDQA).encode(),
    "ego4d-nlq": json.dumps(EGO4D, indent=4).encode(),
    "jsonl": json.dumps(OWN).encode(),
    "csv": CSV.encode(),
}


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\n \n"], ids=["bare", "byte order mark", "empty lines"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_told_by_how_a_file_begins(name: str, before: bytes) -> None:
    file = io.BytesIO(before + BEGINNINGS[name])
    assert guess_format(file) == name
    assert file.tell() == 0


@pytest.mark.parametrize("name", ["tvr", "qvhighlights", "jsonl", "charades-sta"])
def test_a_format_is_told_though_the_first_line_is_broken(name: str) -> None:
    assert guess_format(io.BytesIO(b"{ broken\n" + BEGINNINGS[name])) == name


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "file, line 1, file: found nothing, expected descriptions"),
        (b"\n \n", "file, line 1, file: found nothing, expected descriptions"),
        (
            b"once upon a time",
            "found 'once upon a time', expected a format that can be detected",
        ),
        (b'[{"query_id": 1}]', "found '[{\"query_id\": 1}]', expected a format that can be detected"),
        (b'{"a": {"b": 1}}', 'found \'{"a": {"b": 1}}\', expected a format that can be detected'),
        (b"\xff\xfe\x00\x01", "found '\u0100', expected a format that can be detected"),
        (b"\x00\xff\x01\xfd", "found '\\x00\ufffd\\x01\ufffd', expected a format that can be detected"),
        (b"name,start,end,text\n", "found 'name,start,end,text', expected a format that can be detected"),
    ],
    ids=["nothing", "empty lines", "prose", "a ground truth", "another object", "UTF-16", "bytes", "other columns"],
)
def test_a_format_that_cannot_be_told_is_asked_for(
    collection: Collection, tmp_path: Path, content: bytes, found: str
) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(BadFile) as refusal:
        take(collection, path)
    assert found in str(refusal.value)


def test_a_told_format_is_said_aloud(db: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "test.txt"
    path.write_bytes(CHARADES)
    call_command("import_descriptions", "charades", str(path))
    assert capsys.readouterr().out == (
        "Detected format: charades-sta (--format overrides it).\n"
        "3 descriptions added, 0 changed, 0 unchanged; 2 new moments in 2 new videos.\n"
    )


def test_whole_file_json_larger_than_what_is_read_at_once_keeps_its_lines() -> None:
    entries = [{**DIDEMO[1], "annotation_id": number, "filler": "x" * 700} for number in range(400)]
    content = json.dumps(entries, indent=1).encode()
    assert len(content) > 4 * BLOCK
    rows = read("didemo", content)
    assert [row.entry for row in rows] == [f"entry {number}" for number in range(1, 401)]
    lines = content.split(b"\n")
    assert all(lines[row.line - 1] == b" {" for row in rows)


def test_an_entry_that_never_ends_is_refused_before_it_fills_the_memory(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b'{"v_a": "' + b"x" * (LONGEST_ENTRY * 3))
    with pytest.raises(BadFile, match="expected entries of at most 4,194,304 characters, in JSON"):
        take(collection, path, "activitynet")


@real_data
def test_the_real_qvhighlights_file_is_imported_whole(collection: Collection) -> None:
    path = DATA / "qvhighlights" / "highlight_val_release.jsonl"
    report = take(collection, path)
    assert (report.format, report.guessed) == ("qvhighlights", True)
    assert (report.added, report.moments, report.videos) == (2_803, 2_795, 1_519)
    assert Description.objects.filter(source_id__endswith="-1").count() == 1_550
    assert Description.objects.count() == 2_803
    assert take(collection, path).unchanged == 2_803


@real_data
def test_the_real_charades_sta_sentences_are_imported_whole(collection: Collection, tmp_path: Path) -> None:
    path = tmp_path / "charades_sta_test.txt"
    path.write_text("".join(charades_lines()))
    report = take(collection, path)
    assert (report.format, report.added, report.moments, report.videos) == ("charades-sta", 3_720, 2_578, 1_334)
    assert (Moment.objects.count(), Video.objects.filter(duration=None).count()) == (2_578, 1_334)
    again = take(collection, path)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 3_720)


def charades_lines() -> list[str]:
    """The shared queries in Charades-STA's own form."""
    queries: list[dict[str, Any]] = json.loads((DATA / "charades_sta" / "test.json").read_text())
    return [
        f"{moment['video_name']} {moment['timestamp'][0]} {moment['timestamp'][1]}##{query['query']}\n"
        for query in queries
        for moment in query["relevant_moment"]
    ]


def test_the_command_refuses_a_file_for_rejected_rows_without_skip_bad(db: None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(CHARADES)
    with pytest.raises(CommandError, match="--rejected needs --skip-bad"):
        call_command("import_descriptions", "charades", str(path), "--rejected", str(tmp_path / "r"))


def documented() -> dict[str, bytes]:
    """The first example of each format in docs/importing.md."""
    text = (ROOT / "docs" / "importing.md").read_text()
    section = text.split("## The formats")[1].split("## What is refused")[0]
    blocks = [block for block in section.split("\n\n") if block.startswith("    ")]
    names = [*(name for name in FORMATS if name not in ("jsonl", "csv")), "jsonl", "csv"]
    return {
        name: "\n".join(line.removeprefix("    ") for line in block.splitlines()).encode()
        for name, block in zip(names, blocks, strict=True)
    }


@pytest.mark.parametrize("name", FORMATS)
def test_the_documented_example_of_a_format_is_one(name: str) -> None:
    example = documented()[name]
    assert guess_format(io.BytesIO(example)) == name
    assert read(name, example)
