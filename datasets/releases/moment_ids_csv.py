"""`moment_ids.csv`: what a release's moments are called elsewhere. Of collections alone whose moments have such ids."""

from pathlib import Path
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Collate

from corpus.models import Moment
from datasets.content.splits import ROWS_AT_ONCE, Splits
from datasets.formats.further_files import FURTHER_TABLES
from datasets.formats.material import create_csv

TABLE = FURTHER_TABLES["moment_ids"]


def _named(splits: Splits) -> QuerySet[Moment]:
    return Moment.objects.filter(video__collection=splits.collection).exclude(external_id="")


def write_moment_ids(splits: Splits, folder: Path) -> None:
    """Write a row for each moment with an id, by video name (code points), start and end."""
    rows = _named(splits).order_by(Collate("video__name", "C"), "start", "end")
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        writer.writerows(rows.values_list("video__name", "start", "end", "external_id").iterator(ROWS_AT_ONCE))


def describe_moment_ids(splits: Splits) -> dict[str, Any] | None:
    """The manifest's `moment_ids`: the file, and how many moments it has; None without any."""
    moments = _named(splits).count()
    return {"file": TABLE.file, "moments": moments} if moments else None
