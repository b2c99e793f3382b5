"""What people open in a spreadsheet holds no formula, whatever names and texts came from elsewhere."""

import csv
import io
from typing import Any
from uuid import uuid4

import pytest

from annotation.models import Judgment
from corpus.models import Video
from datasets.releases.diff import Difference, ReleaseDiff, write_csv
from foundation.infra.csv_escape import safe_row
from foundation.models import Membership
from tests.conftest import World

pytestmark = pytest.mark.django_db

FORMULA = '=HYPERLINK("https://elsewhere.example";"see")'


def test_only_texts_that_a_spreadsheet_would_run_are_changed() -> None:
    texts = ["=1", "+1", "-1", "@a", "\tx", "\rx"]
    assert safe_row(texts) == [f"'{text}" for text in texts]
    assert safe_row(["w01", "", "a=b", -1, -0.5, None]) == ["w01", "", "a=b", -1, -0.5, None]


@pytest.mark.parametrize(
    ("page", "column"),
    [
        ("people/csv", "worker"),
        ("people/csv?by=week", "worker"),
        ("people/partners/csv", "worker"),
        ("time/csv", "worker"),
        ("videos.csv", "video"),
    ],
)
def test_a_name_from_elsewhere_is_text(world: World, client_of: Any, page: str, column: str) -> None:
    pair = world.batch.pairs.order_by("pk")[0]
    for name in ("bo", "cy"):
        Judgment.objects.create(pair=pair, annotator=world[name], grade=2, round=1, key=uuid4(), active_seconds=9)
    Membership.objects.filter(pk=world["bo"].pk).update(worker=FORMULA[:40])
    Video.objects.update(name=FORMULA[:40])
    sent = b"".join(client_of(world["ada"].account).get(f"/c/paper/{page}")).decode()
    assert [row[column] for row in csv.DictReader(io.StringIO(sent)) if "HYPERLINK" in row[column]] == [
        f"'{FORMULA[:40]}"
    ]


def test_a_query_among_the_differences_of_releases_is_text() -> None:
    file = io.StringIO()
    write_csv(ReleaseDiff([Difference("val", "query", "changed", "7", FORMULA, "", "query", "@a", "-b")]), file)
    (row,) = csv.DictReader(io.StringIO(file.getvalue()))
    assert (row["query"], row["before"], row["after"]) == (f"'{FORMULA}", "'@a", "'-b")
