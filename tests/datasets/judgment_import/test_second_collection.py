"""An import beside a collection as large: every statement over its rows takes work that grows with the file alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from corpus.description_import.import_descriptions import import_descriptions
from datasets.judgment_import.import_judgments import import_judgments
from foundation.collections.members import get_or_create_collection
from foundation.models import Collection
from tests.datasets.judgment_files import write_raw
from tests.plans import Plan, recorded_plans

ROWS = 1200
VIDEOS = 240
AT_MOST = 40
"""Rows handled by a statement for each row of the file. Looping over them would handle a hundred times as many."""


def described(number: int) -> dict[str, Any]:
    return {
        "vid_name": f"video {number % VIDEOS}",
        "duration": 60.0,
        "ts": [number % 50, number % 50 + 1.5 + number % 7],
        "desc": f"Ada opens door {number}.",
        "type": "v",
        "desc_id": number,
    }


def corrected(number: int) -> dict[str, Any]:
    """Another text, time, kind, video or duration, each in some of the rows."""
    row = described(number)
    if number % 5 == 0:
        row["desc"] = f"Bo shuts door {number}."
    if number % 7 == 0:
        row["ts"] = [row["ts"][0], row["ts"][1] + 0.25]
    if number % 11 == 0:
        row["vid_name"] = f"video {number % VIDEOS} of later"
    return row | ({"duration": 60.4} if number % VIDEOS < 20 else {})


def descriptions(path: Path, row: Callable[[int], dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row(number)) + "\n" for number in range(ROWS)))
    return path


def unnumbered(path: Path, text: Callable[[int], str]) -> Path:
    """Rows without ids: those that are there already are known by what they say."""
    rows = (f"clip {number % VIDEOS}".replace(" ", "") + f" {number % 50} {number % 50 + 3}" for number in range(ROWS))
    path.write_text("".join(f"{row}##{text(number)}\n" for number, row in enumerate(rows)))
    return path


def judgments(path: Path, *, workers: int = 2) -> Path:
    """20 moments a query, two judgments each, and two more of every fourth pair, where they disagree."""
    rows = []
    for number in range(ROWS // 2):
        query = number // 20
        about = {
            "pair_id": str(number),
            "query_id": f"q{query}",
            "query": f"A woman opens door {query}.",
            "video_name": f"video {number % VIDEOS}",
            "timestamp": json.dumps([number % 50, number % 50 + 2.5]),
            "duration": 60,
            "caption": f"A woman opens door {query}." if number % 20 == 0 else f"A man shuts door {number}.",
            "similarity": round(1 - number % 20 / 40, 3),
        }
        grades = (3, 4) if number % 4 else (0, 3, 1, 1)
        rows += [about | {"worker": f"x{place}", "relevance": grade} for place, grade in enumerate(grades[:workers])]
    return write_raw(path, rows)


def looping(plans: list[Plan], rows: int) -> list[str]:
    """What is wrong with plans, in words."""
    return [
        f"{plan.rows_handled:,} rows handled for {rows:,}: {' '.join(plan.statement.split())[:200]}"
        for plan in plans
        if plan.rows_handled > AT_MOST * rows or any(map(is_loop_over_rows, plan.nodes()))
    ]


def is_loop_over_rows(node: dict[str, Any]) -> bool:
    """A batch's number from generate_series can't be had otherwise, and reads no table."""
    return node["Node Type"] == "Nested Loop" and "Function Scan" not in json.dumps(node["Plans"][1])


def expected_rows(source: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) SELECT FROM {source}")
        ((explained,),) = cursor.fetchall()
    return int(explained[0]["Plan"]["Plan Rows"])


def over_staged_rows(plans: list[Plan]) -> list[Plan]:
    """Without what the rooms to the right are asked about some descriptions at a time."""
    return [plan for plan in plans if any(name in plan.statement for name in STAGED)]


STAGED = ("incoming", "numbered", "file_query", "file_moment", "file_pair", "fresh", "sequence", "new_caption", "depth")


@pytest.fixture
def large_neighbour(transactional_db: None, tmp_path: Path) -> Collection:
    """A collection with descriptions and judgments, as autovacuum knows it: every row of the tables is its own."""
    there = get_or_create_collection(name="there", has_clips=False)
    import_descriptions(collection=there, path=descriptions(tmp_path / "there.jsonl", described))
    import_judgments(collection=there, path=judgments(tmp_path / "there.csv", workers=4))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return there


def test_no_statement_of_an_import_loops_over_its_rows(large_neighbour: Collection, tmp_path: Path) -> None:
    second = get_or_create_collection(name="second", has_clips=False)
    with recorded_plans() as plans:
        report = import_descriptions(collection=second, path=descriptions(tmp_path / "one.jsonl", described))
        assert report.added == ROWS
        # Whoever reads them next finds them in the statistics.
        assert ROWS / 2 < expected_rows(f"corpus_description WHERE collection_id = {second.pk}") < ROWS * 2
        report = import_descriptions(collection=second, path=descriptions(tmp_path / "two.jsonl", corrected))
        assert report.changed > ROWS / 4
        assert report.retimed == 20

        derived = get_or_create_collection(name="derived", has_clips=False)
        for text in ("Ada sings {}.", "Ada sings {} twice."):
            path = unnumbered(tmp_path / "rows.txt", lambda number, text=text: text.format(number // 2 * 2))  # type: ignore[misc]
            report = import_descriptions(collection=derived, path=path, format_name="charades-sta")
        assert report.changed + report.unchanged + report.added == ROWS

        judged = get_or_create_collection(name="judged", has_clips=False)
        assert import_judgments(collection=judged, path=judgments(tmp_path / "one.csv")).added == ROWS
        more = import_judgments(collection=judged, path=judgments(tmp_path / "two.csv", workers=4))
        assert more.unchanged == ROWS and more.added == ROWS / 4

        beside = get_or_create_collection(name="second", has_clips=False)
        assert import_judgments(collection=beside, path=judgments(tmp_path / "one.csv")).added == ROWS
    assert len(over_staged_rows(plans)) > 100
    assert looping(over_staged_rows(plans), ROWS) == []


def test_what_the_check_is_for_would_be_seen(db: None) -> None:
    with recorded_plans() as plans, connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE sequence AS SELECT n FROM generate_series(1, 200) AS n")
        cursor.execute("SELECT count(*) FROM sequence s JOIN sequence o ON o.n < s.n")
    assert len(looping(over_staged_rows(plans), 200)) == 1
