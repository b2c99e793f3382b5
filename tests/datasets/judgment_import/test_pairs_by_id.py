"""Judgments that name their pairs by an id alone: files of pairs say what they are about, or the collection does."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Judgment, Pair
from datasets.releases.make_release import create_release, write_release
from foundation.models import Collection
from tests.datasets.conftest import World, open_world
from tests.datasets.importing import refusal, run
from tests.datasets.judgment_files import JUDGED, row, stars, write_raw

ALONE = ("pair_id", "worker", "relevance")
PAIRS = ("pair_id", "query_id", "query", "video_name", "timestamp", "duration", "caption", "similarity")

Rows = list[dict[str, Any]]


def of_pairs(rows: Rows) -> Rows:
    return list({one["pair_id"]: one for one in rows}.values())


def states(name: str) -> list[tuple[Any, ...]]:
    pairs = Pair.objects.filter(batch__collection__name=name).order_by("candidate__query__text", "candidate__rank")
    return list(pairs.values_list("candidate__query__text", "candidate__rank", "status", "grade"))


def alone(tmp_path: Path, rows: Rows) -> Path:
    return write_raw(tmp_path / "alone.csv", rows, ALONE)


@pytest.mark.django_db
def test_three_columns_with_a_csv_of_pairs_are_as_all_ten(raw: Path, tmp_path: Path) -> None:
    run("ten", raw)
    pairs = write_raw(tmp_path / "pairs.csv", of_pairs(JUDGED), PAIRS)
    said = run("three", alone(tmp_path, JUDGED), "--pairs", pairs)
    assert "11 judgments added, 0 unchanged; 2 new queries, 4 new pairs, 4 new workers." in said
    assert "1 pair needs more judgments: 122." in said
    assert states("three") == states("ten")
    assert "0 judgments added, 11 unchanged" in run("three", alone(tmp_path, JUDGED), "--pairs", pairs)
    # Ten columns name their pairs, too.
    assert "0 judgments added, 11 unchanged" in run("three", raw, "--pairs", pairs)


@pytest.mark.django_db
def test_pairs_may_be_in_several_files_in_utf16_and_in_json(tmp_path: Path) -> None:
    first, *others = of_pairs(JUDGED)
    write_raw(tmp_path / "8.csv", [first], PAIRS)
    (tmp_path / "one.csv").write_text((tmp_path / "8.csv").read_text(), encoding="utf-16")
    records = [
        {
            "query_id": one["query_id"],
            "query": one["query"],
            "relevant_moment": [
                {
                    **{name: one[name] for name in ("video_name", "caption", "similarity", "duration")},
                    "pair_id": int(one["pair_id"]),
                    "timestamp": json.loads(one["timestamp"]),
                    "duration": one["duration"] or None,
                }
            ],
        }
        for one in others
    ]
    (tmp_path / "val.json").write_text(json.dumps(records))
    said = run("fresh", alone(tmp_path, JUDGED), "--pairs", tmp_path / "one.csv", tmp_path / "val.json")
    assert "11 judgments added" in said and "4 new pairs" in said


def test_a_releases_lists_say_what_its_graded_pairs_are_about(judged: World, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_release(release=create_release(collection=judged.collection, name="v1"), folder=folder)
    with (folder / "raw_annotations.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    discarded = list(Pair.objects.filter(status="discarded").order_by("pk").values_list("pk", flat=True))
    assert discarded
    Collection.objects.create(name="other", title="Other", has_clips=False, batch_size=3)
    said = run("other", alone(tmp_path, rows), "--pairs", folder / "val.json", folder / "test.json")
    named = ", ".join(map(str, discarded))
    assert f"without a grade by the rule, in none of the files of pairs, passed over: {named}." in said
    graded = {"batch__collection__name": "other", "status": "consensus"}
    assert (
        Pair.objects.filter(**graded).count()
        == Pair.objects.filter(batch__collection=judged.collection, status="consensus").count()
    )


def test_without_files_the_ids_are_the_collections_own(unjudged: World, tmp_path: Path) -> None:
    one, other = Pair.objects.order_by("pk")[:2]
    rows = [{"pair_id": id_, "worker": f"w{n}", "relevance": 3} for n in (1, 2) for id_ in (one.pk, other.public_id)]
    run("tiny", alone(tmp_path, rows))
    assert [(p.status, p.grade) for p in Pair.objects.order_by("pk")[:2]] == [("consensus", 3)] * 2
    foreign = open_world("foreign")
    assert foreign.collection.name == "foreign"
    said = refusal("foreign", alone(tmp_path, rows))
    assert f"line 2, pair_id: found '{one.pk}', expected a pair of this collection, or files that say what" in said


@pytest.mark.django_db
def test_a_task_of_label_studio_may_say_its_pairs_id_alone(tmp_path: Path) -> None:
    tasks = [{"id": 1, "data": {"pair_id": 110}, "annotations": [stars(3, 4), stars(4, 4)]}]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    pairs = write_raw(tmp_path / "pairs.csv", of_pairs(JUDGED), PAIRS)
    run("studio", tmp_path / "export.json", "--pairs", pairs)
    assert list(Judgment.objects.order_by("pk").values_list("annotator__worker", "grade")) == [("ls-3", 3), ("ls-4", 3)]


@pytest.mark.django_db
def test_a_pair_that_nothing_tells_of_is_passed_over_without_a_grade_and_refused_with_one(tmp_path: Path) -> None:
    rows = [row("w1", 3), row("w2", 3), row("w1", 3, pair_id="7"), row("w1", 0, pair_id="8"), row("w2", 4, pair_id="8")]
    pairs = write_raw(tmp_path / "pairs.csv", [row("", "")], PAIRS)
    said = run("fresh", alone(tmp_path, rows), "--pairs", pairs)
    assert "2 judgments added" in said
    assert "2 pairs without a grade by the rule, in none of the files of pairs, passed over: 7, 8." in said
    said = refusal("fresh", alone(tmp_path, [*rows, row("w2", 3, pair_id="7")]), "--pairs", str(pairs))
    assert "alone.csv, line 4, pair_id: found '7', which isn't in pairs.csv, and the rule gives it a grade" in said
    assert "expected every graded pair there" in said
    assert "What the pairs are about was read from pairs.csv." in run("fresh", alone(tmp_path, rows), "--pairs", pairs)


@pytest.mark.django_db
def test_faults_of_files_of_pairs_stand_alone_since_the_others_follow_from_them(tmp_path: Path) -> None:
    rows = [row(worker, 4, pair_id=str(pair)) for pair in range(20) for worker in ("w1", "w2")]
    (tmp_path / "bad.csv").write_text("pair_id\n1\n")
    (tmp_path / "nonsense.csv").write_text("once upon a time\n")
    files = [str(tmp_path / name) for name in ("bad.csv", "nonsense.csv")]
    said = refusal("fresh", alone(tmp_path, rows), "--pairs", *files)
    assert "Nothing was imported: 2 problems." in said and "alone.csv" not in said
    assert "bad.csv, line 1, header" in said and "nonsense.csv, line 1, header" in said


def written(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "pairs"
    path.write_bytes(content)
    return str(path)


HEADER = ",".join(PAIRS).encode() + b"\n"
GOOD = b'110,11,A woman opens the door.,alpha,"[0.5, 4.25]",60,A caption.,0.5\n'
FAULTS = {
    "no column": (b"pair_id,query_id\n", "pairs, line 1, header: found no column video_name, timestamp in 'pair_id"),
    "nothing": (b"", "pairs, line 1, header: found nothing, expected pair_id, query_id, video_name"),
    "no times": (
        HEADER + GOOD.replace(b"[0.5, 4.25]", b"[4, 4]"),
        "pairs, line 2, timestamp: found [4, 4], expected",
    ),
    "no query": (HEADER + GOOD.replace(b"A woman opens the door.", b""), "pairs, line 2, query: found nothing"),
    "two moments": (
        HEADER + GOOD + GOOD.replace(b"4.25", b"5"),
        "pairs, line 3, pair_id: found '110', expected the",
    ),
    "a short row": (HEADER + b"110,11\n", "pairs, line 2, columns: found 2, expected 8, as the header has"),
    "Latin-1": (HEADER + GOOD.replace(b"opens", b"\xe9"), "pairs, line 2, encoding: found b'\\xe9', expected UTF-8"),
    "packed": (gzip.compress(HEADER + GOOD), "pairs, line 1, file: found a gzip file, expected a text"),
    "broken JSON": (b'[{"query_id": 1, "relevant_moment": [', "pairs, line 1, JSON: found '{"),
    "no moments": (b'[{"query_id": 1}]', "pairs, line 1, record 1, query_id 1, JSON: found no relevant_moment"),
    "JSON that says nothing of the moment": (
        b'[{"query_id": 1, "query": "A man.", "relevant_moment": [{"pair_id": 110}]}]',
        "pairs, line 1, record 1, query_id 1, moment 1, video_name: found nothing, expected a name",
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize(("content", "sentence"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_file_of_pairs_is_told_by_its_line(tmp_path: Path, content: bytes, sentence: str) -> None:
    said = refusal("fresh", alone(tmp_path, [row("w1", 0), row("w2", 4)]), "--pairs", written(tmp_path, content))
    assert sentence in said


@pytest.mark.django_db
def test_a_missing_file_of_pairs_is_refused(tmp_path: Path) -> None:
    assert "nowhere.csv is not a file." in refusal(
        "fresh", alone(tmp_path, [row("w1", 0)]), "--pairs", str(tmp_path / "nowhere.csv")
    )
