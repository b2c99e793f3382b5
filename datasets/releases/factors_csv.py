"""`factors.csv`: what annotators answered beside their grades, where the collection asks for factors."""

from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from annotation.factors.declared import asked_in
from annotation.models import JudgedFactor
from datasets.content.splits import ROWS_AT_ONCE, SPLITS, Splits, public_query_id
from datasets.formats.further_files import FURTHER_TABLES
from datasets.formats.material import create_csv
from queries.pooling.query_columns import query_source_id

TABLE = FURTHER_TABLES["factors"]


def write_factors(splits: Splits, folder: Path) -> None:
    """Write a row for each answer with a counted judgment of a decided pair, in the order of raw_annotations.csv, of a
    judgment in the order in which they are asked. `value` is empty for "can't say"."""
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        for split in SPLITS:
            answers = _answers(splits, split).order_by(
                *("judgment__pair__batch__query__position", "judgment__pair__candidate__rank", "judgment_id"),
                "factor__place",
            )
            rows = answers.values_list(
                *(query_source_id("judgment__pair__batch__query__"), "judgment__pair_id"),
                *("judgment__annotator__worker", "factor__key", "value"),
            )
            for source_id, pair, worker, key, value in rows.iterator(ROWS_AT_ONCE):
                writer.writerow((public_query_id(source_id), pair, worker, key, "" if value is None else value))


def describe_factors(splits: Splits) -> dict[str, Any] | None:
    """The manifest's `factors`: the file, after which grades they are asked, each as it was declared, and how many
    answers there are; None where none is asked."""
    factors = asked_in(splits.collection)
    if not factors:
        return None
    declared = ("key", "name", "question", "answers", "may_skip", "languages")
    return {
        "file": TABLE.file,
        "asked": splits.collection.factors_asked,
        "factors": [
            {name: getattr(factor, name) for name in declared} | {"retired": factor.retired_at is not None}
            for factor in factors
        ],
        "answers": {split: _answers(splits, split).count() for split in SPLITS},
    }


def _answers(splits: Splits, split: str) -> QuerySet[JudgedFactor]:
    return JudgedFactor.objects.filter(judgment__in=splits.counted_judgments(split))
