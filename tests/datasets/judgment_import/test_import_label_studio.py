"""`import_judgments`: Label Studio's JSON export becomes judgments, or is reported by line."""

import json
from pathlib import Path

import pytest

from annotation.models import Judgment
from corpus.models import Membership
from queries.models import Query
from tests.datasets.importing import refusal, run
from tests.datasets.judgment_files import choice, stars, task

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
    assert "1 judgments added, 0 unchanged; 0 new queries, 0 new pairs, 1 new workers" in run(
        "fresh", tmp_path / "export.json"
    )
    said = refusal("other", tmp_path / "export.json")
    assert "line 2, similarity: found nothing, expected a pair that is new to the collection with both" in said


STUDIO_FAULTS = {
    "a rating outside": (task(stars(3, 6)), "rating: found 6, expected a whole number from 1 to 5"),
    "no star": (task(stars(3, 0)), "rating: found 0, expected a whole number from 1 to 5 (see --ratings)"),
    "an id that is no id": (task(stars(10**60, 3)), "worker: found 'ls-1000000000"),
    "half a surrogate pair": (task(stars(3, 3), caption="\ud83d"), "caption: found '\\ud83d', expected a sentence"),
    "start and end as words": (
        task(stars(3, 3), timestamp=None, start="a", end="b"),
        "timestamp: found ['a', 'b'], expected [start, end] in seconds",
    ),
    "no rating": (task({"completed_by": 3, "result": []}), "result: found '0 ratings and choices', expected one"),
    "two choices": (task(choice(3, "1", "2")), "choices: found ['1', '2'], expected one of"),
    "a mail address as person": (task(stars("bo@example.org", 3)), "completed_by: found 'str', expected a person's id"),
    "nobody": (task({"result": []}), "completed_by: found nothing, expected a person's id"),
    "no data": ({"annotations": []}, "data: found {'annotations': []}, expected a task with its data"),
    "no annotations": ({"data": {}}, "annotations: found nothing, expected a list"),
    "no query": (task(stars(3, 3), query=""), "query: found '', expected a sentence"),
    "a person twice": (task(stars(3, 3), stars(3, 3)), "worker: found 'ls-3' a second time"),
}


@pytest.mark.parametrize(("bad", "sentence"), STUDIO_FAULTS.values(), ids=STUDIO_FAULTS)
def test_a_fault_of_a_task_is_reported_with_the_line_where_it_begins(
    tmp_path: Path, bad: dict[str, object], sentence: str
) -> None:
    (tmp_path / "export.json").write_text(
        "[\n" + json.dumps(task(stars(9, 3), query_id=None)) + ",\n" + json.dumps(bad) + "]"
    )
    said = refusal("studio", tmp_path / "export.json")
    assert said.startswith("Nothing was imported: 1 problem.\n"), said
    assert f"line 3, {sentence}" in said
    assert "bo@" not in said


@pytest.mark.parametrize("text", ["[{", '{"data": {}}', "[1, 2] 3", "[" * 5000, "[\udcff"], ids=lambda text: text[:9])
def test_malformed_json_is_reported(tmp_path: Path, text: str) -> None:
    (tmp_path / "export.json").write_bytes(text.encode("utf-8", errors="surrogateescape"))
    assert "Nothing was imported: " in refusal("studio", tmp_path / "export.json")
