"""Moments keep the ids that they have elsewhere: one a moment, changed by a later file, taken back with it."""

import io
import json
from typing import Any

import pytest

from corpus.description_formats import BadFile, FileChoices
from corpus.description_import.import_descriptions import ImportReport, import_stream
from corpus.models import Moment
from foundation.models import Collection
from tests.corpus.conftest import row as tvr_row
from tests.corpus.description_import.test_removing import imported, taken_back


def row(number: int, *, start: float, moment_id: Any = None, video: str = "film", **more: Any) -> dict[str, Any]:
    """A row of JSON Lines; a moment lasts a second."""
    named = {} if moment_id is None else {"moment_id": moment_id}
    return (
        {"id": number, "video": video, "start": start, "end": start + 1, "text": f"Ada waits {number}."} | named | more
    )


def take(collection: Collection, *rows: dict[str, Any]) -> ImportReport:
    content = "".join(f"{json.dumps(one)}\n" for one in rows)
    return import_stream(collection=collection, file=io.BytesIO(content.encode()), name="rows.jsonl")


def named(collection: Collection) -> dict[tuple[str, float], str]:
    moments = Moment.objects.filter(video__collection=collection).values_list("video__name", "start", "external_id")
    return {(video, start): own for video, start, own in moments}


def test_ids_come_with_descriptions_or_later_and_stay(collection: Collection) -> None:
    report = take(collection, row(1, start=0, moment_id="shot1_1"), row(2, start=0), row(3, start=5), row(4, start=9))
    assert named(collection) == {("film", 0): "shot1_1", ("film", 5): "", ("film", 9): ""}
    assert (report.added, report.named) == (4, 1) and "1 moment with an id from elsewhere" in report.in_words()
    again = take(collection, row(1, start=0, moment_id="shot1_1"), row(3, start=5, moment_id=12), row(4, start=9))
    assert (again.added, again.changed, again.unchanged, again.named) == (0, 0, 3, 1)
    assert named(collection) == {("film", 0): "shot1_1", ("film", 5): "12", ("film", 9): ""}
    take(collection, row(1, start=0, moment_id="12"), row(3, start=5, moment_id="shot1_1"))
    assert named(collection) == {("film", 0): "12", ("film", 5): "shot1_1", ("film", 9): ""}, "they were swapped"
    assert "named" not in take(collection, row(1, start=0)).in_words()
    assert named(collection)["film", 0] == "12", "a file that says nothing of ids changes none"


def test_a_corrected_moment_takes_its_id_along(collection: Collection) -> None:
    take(collection, row(1, start=0, moment_id="a"), row(2, start=5, moment_id="b"))
    take(collection, row(1, start=0.5, moment_id="a"))
    assert named(collection) == {("film", 0.5): "a", ("film", 5): "b"}


def test_csv_has_a_column_and_other_formats_have_none(collection: Collection) -> None:
    content = b"video,start,end,text,shot_id,moment_id\nfilm,0,1,Ada waits.,s9,m 1\nfilm,5,6,Bo waits.,s9,\n"

    def read(**columns: str) -> None:
        import_stream(
            collection=collection, file=io.BytesIO(content), name="rows.csv", choices=FileChoices(columns=columns)
        )

    with pytest.raises(BadFile, match=r"line 2, moment_id: found 'm 1', expected an id without white space"):
        read()
    with pytest.raises(BadFile, match="expected an id of its own \\(line 2 has it for another moment\\)"):
        read(moment_id="shot_id")
    read(moment_id="-")
    assert set(named(collection).values()) == {""}
    imported(collection, tvr_row(1), tvr_row(2))
    assert set(named(collection).values()) == {""}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        (
            [row(1, start=0, moment_id="a"), row(2, start=0, moment_id="b")],
            "line 2, moment_id: found 'b', expected 'a', as line 1 says of this moment",
        ),
        (
            [row(1, start=0, moment_id="a"), row(2, start=5, moment_id="a")],
            "line 2, moment_id: found 'a', expected an id of its own (line 1 has it for another moment)",
        ),
        (
            [row(1, start=0, moment_id="there")],
            "line 1, moment_id: found 'there', expected an id of its own (old, 2-3 s has it)",
        ),
        ([row(1, start=0, moment_id="a b")], "line 1, moment_id: found 'a b', expected an id without white space"),
        ([row(1, start=0, moment_id=[1])], "line 1, moment_id: found [1], expected a whole number or a text"),
        ([row(1, start=0, moment_id="x" * 65)], "expected at most 64 characters"),
    ],
)
def test_an_id_is_of_one_moment(collection: Collection, rows: list[dict[str, Any]], problem: str) -> None:
    take(collection, row(9, start=2, moment_id="there", video="old"))
    before = named(collection)
    with pytest.raises(BadFile) as refused:
        take(collection, *rows)
    assert problem in str(refused.value)
    assert named(collection) == before


def test_an_import_that_is_taken_back_gives_ids_back(collection: Collection, media: Any) -> None:
    imported(collection, row(1, start=0, moment_id="a"), row(2, start=5, moment_id="b"), row(3, start=7))
    before = named(collection)
    job = imported(
        collection, row(1, start=0.5, moment_id="a"), row(2, start=5, moment_id="c"), row(3, start=7, moment_id="d")
    )
    assert job.counts["named"] == 3
    assert named(collection) == {("film", 0.5): "a", ("film", 5): "c", ("film", 7): "d"}
    taken_back(job)
    assert named(collection) == before
