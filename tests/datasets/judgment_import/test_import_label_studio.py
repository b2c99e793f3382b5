"""`import_judgments`: Label Studio's exports become judgments, or are reported by task and record."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from annotation.models import Judgment
from foundation.models import Membership
from queries.models import Query
from tests.datasets.importing import refusal, run
from tests.datasets.judgment_files import CAPTIONS, MOMENTS, QUERIES, choice, stars, task

pytestmark = pytest.mark.django_db


LABELLED = {
    "stars by number": ([stars(3, 4), stars(4, 5)], [], [("ls-3", 3), ("ls-4", 4)]),
    "a person's record": ([stars({"id": 3, "email": "bo@example.org"}, 1)], [], [("ls-3", 0)]),
    "ratings from 0": ([stars(3, 0), stars(4, 4)], ["--ratings", "0-4"], [("ls-3", 0), ("ls-4", 4)]),
    "choices": ([choice(3, "0"), choice(4, "1")], [], [("ls-3", 0), ("ls-4", 1)]),
    "cancelled ones": ([stars(3, 4), {"completed_by": 4, "was_cancelled": True, "result": []}], [], [("ls-3", 3)]),
}


@pytest.mark.parametrize(("annotations", "options", "expected"), LABELLED.values(), ids=LABELLED)
def test_label_studios_export_is_told_by_its_content(
    tmp_path: Path, annotations: list[dict[str, object]], options: list[str], expected: list[tuple[str, int]]
) -> None:
    (tmp_path / "export.json").write_text(json.dumps([task(*annotations)]))
    run("studio", tmp_path / "export.json", *options)
    assert list(Judgment.objects.order_by("pk").values_list("annotator__worker", "grade")) == expected
    assert Query.objects.get().description.source_id == "11"
    assert not Membership.objects.filter(worker__contains="@").exists()


def test_a_label_studio_export_without_ids_and_captions_meets_the_pairs_that_are_there(
    raw: Path, tmp_path: Path
) -> None:
    run("fresh", raw)
    video = {"query": " a MAN pours coffee.", "video_name": "beta", "timestamp": None, "start": 0, "end": 3.5}
    bare = task(stars(5, 3), query_id=None, caption=None, similarity=None, **video)
    (tmp_path / "export.json").write_text(json.dumps([bare], indent=1))
    assert "1 judgment added, 0 unchanged; 0 new queries, 0 new pairs, 1 new worker." in run(
        "fresh", tmp_path / "export.json"
    )
    said = refusal("other", tmp_path / "export.json")
    assert "export.json, task 7, record 1, similarity: found nothing, expected a pair that is new" in said


STUDIO_FAULTS = {
    "a rating outside": (task(stars(3, 6)), "rating: found 6, expected a whole number from 1 to 5"),
    "no star": (task(stars(3, 0)), "rating: found 0, expected a whole number from 1 to 5 (see --ratings)"),
    "an id that is no id": (task(stars(10**60, 3)), "worker: found 'ls-1000000000"),
    "half a surrogate pair": (task(stars(3, 3), caption="\ud83d"), "caption: found '\\ud83d', expected a sentence"),
    "start and end as words": (
        task(stars(3, 3), timestamp=None, start="a", end="b"),
        "start: found 'a', expected a number",
    ),
    "no rating": (task({"completed_by": 3, "result": []}), "result: found 0 ratings and choices, expected one"),
    "two choices": (task(choice(3, "1", "2")), "choices: found ['1', '2'], expected one of"),
    "a mail address as person": (
        task(stars("bo@example.org", 3)),
        "completed_by: found a mail address, expected a person's id",
    ),
    "nobody": (task({"result": []}), "completed_by: found nothing, expected a person's id"),
    "no data": (
        {"id": 7, "annotations": []},
        "data: found {'id': 7, 'annotations': []}, expected a task with its data",
    ),
    "no annotations": ({"id": 7, "data": {}}, "annotations: found nothing, expected a list"),
    "no query": (task(stars(3, 3), query=""), "query: found nothing, expected a sentence"),
    "a person twice": (task(stars(3, 3), stars(3, 3)), "worker: found 'ls-3' a second time"),
}


@pytest.mark.parametrize(("bad", "sentence"), STUDIO_FAULTS.values(), ids=STUDIO_FAULTS)
def test_a_fault_of_a_task_is_reported_with_its_id_and_record_though_all_stands_on_one_line(
    tmp_path: Path, bad: dict[str, object], sentence: str
) -> None:
    (tmp_path / "export.json").write_text(
        "[" + json.dumps(task(stars(9, 3), query_id=None)) + ", " + json.dumps(bad) + "]"
    )
    said = refusal("studio", tmp_path / "export.json")
    assert said.startswith("Nothing was imported: 1 problem.\n"), said
    assert f"export.json, task 7, record 2, {sentence}" in said
    assert "bo@" not in said


@pytest.mark.parametrize("text", ["[{", '{"data": {}}', "[1, 2] 3", "[" * 5000, "[\udcff"], ids=lambda text: text[:9])
def test_malformed_json_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "export.json").write_bytes(text.encode("utf-8", errors="surrogateescape"))
    assert "Nothing was imported: " in refusal("studio", tmp_path / "export.json")


ABOUT = {
    "query": QUERIES["11"],
    "query_id": "11",
    "video_name": MOMENTS[0][0],
    "timestamp": json.dumps(MOMENTS[0][1:]),
    "caption": CAPTIONS[0],
    "similarity": "1.0",
    "duration": "",
}
"""A task's data as Label Studio has it from a CSV: everything is text, and what isn't stated is empty."""
MADE = {"annotation_id": 3, "created_at": "2026-01-02", "updated_at": "2026-01-02", "lead_time": 4.2}


def rows(*graded: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of JSON-MIN or CSV, one an annotation."""
    return [{"id": 7, **ABOUT, **MADE, **one} for one in graded]


def write_csv(path: Path, told: list[dict[str, Any]], delimiter: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, sorted({name for row in told for name in row}), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(told)
    return path


def grades() -> list[tuple[str, int]]:
    return list(Judgment.objects.order_by("pk").values_list("annotator__worker", "grade"))


def test_empty_texts_of_a_task_are_not_stated_and_numbers_may_be_text(tmp_path: Path) -> None:
    one = {"id": 7, "data": {**ABOUT, "start": "", "end": ""}, "annotations": [stars(3, 4)]}
    (tmp_path / "export.json").write_text(json.dumps([one]))
    run("studio", tmp_path / "export.json")
    assert grades() == [("ls-3", 3)]


def test_several_annotators_and_predictions_of_a_task_are_told_apart(tmp_path: Path) -> None:
    guess = {"model_version": "m1", "score": 0.9, "result": stars(0, 1)["result"]}
    note = {"type": "textarea", "value": {"text": ["blurred"]}}
    flag = {"type": "choices", "value": {"choices": ["too dark"]}}
    second = stars(4, 5)
    second["result"] += [note, flag]
    many = task(stars(3, 4, prediction=guess, parent_prediction=1), second) | {"predictions": [guess, guess]}
    only = task(timestamp=[5.0, 9.0]) | {"predictions": [guess]}
    (tmp_path / "export.json").write_text(json.dumps([many, only]))
    run("studio", tmp_path / "export.json")
    assert grades() == [("ls-3", 3), ("ls-4", 4)]


def test_the_short_json_is_read_a_row_an_annotation(tmp_path: Path) -> None:
    told = rows({"annotator": 3, "stars": [{"rating": 4}]}, {"annotator": 4, "relevance": "4", "remark": "5"})
    told.append({"id": 8, **ABOUT, "annotator": None, "annotation_id": None})
    (tmp_path / "min.json").write_text(json.dumps(told))
    run("studio", tmp_path / "min.json")
    assert grades() == [("ls-3", 3), ("ls-4", 4)]


@pytest.mark.parametrize(("name", "delimiter"), [("export.csv", ","), ("export.tsv", "\t")])
def test_the_csv_export_is_read(tmp_path: Path, name: str, delimiter: str) -> None:
    told = rows({"annotator": "3", "stars": '[{"rating": 4}]'}, {"annotator": "4", "stars": '[{"rating": 5}]'})
    told.append({**told[0], "id": 8, "annotator": "", "annotation_id": "", "stars": ""})
    run("studio", write_csv(tmp_path / name, told, delimiter))
    assert grades() == [("ls-3", 3), ("ls-4", 4)]


def test_a_fault_in_csv_is_reported_with_line_and_task_and_no_mail_address_is_repeated(tmp_path: Path) -> None:
    told = rows({"annotator": "bo@example.org", "stars": '[{"rating": 4}]'}, {"annotator": "4", "stars": ""})
    said = refusal("studio", write_csv(tmp_path / "export.csv", told))
    assert "line 2, task 7, completed_by: found a mail address, expected a person's id" in said
    assert "line 3, task 7, result: found 0 ratings and choices, expected one" in said
    assert "bo@" not in said


def test_of_59_faults_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    empty = {"completed_by": 1, "result": []}
    told = [task(empty, timestamp=[n, n + 1]) | {"id": 100 + n} for n in range(59)]
    (tmp_path / "export.json").write_text(json.dumps(told))
    said = refusal("studio", tmp_path / "export.json")
    assert said.startswith("Nothing was imported: 59 problems.") and "... and 49 more" in said
    assert "task 109, record 10, result" in said and "task 110" not in said
