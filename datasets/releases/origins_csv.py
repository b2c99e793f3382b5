"""`judgment_origins.csv` and `caption_origins.csv`: what judgments and captions come from.

Of a person they tell the pseudonym alone, as raw_annotations.csv does, and the month of each judgment: whose days of
work were told could be found by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, QuerySet

from annotation.models import Pair
from datasets.content.making import CLOSED, IMPORTED
from datasets.content.public_names import public_name
from datasets.content.splits import DECIDED, ROWS_AT_ONCE, SPLITS, Splits, public_query_id
from datasets.formats.further_files import FURTHER_TABLES
from datasets.formats.material import create_csv
from queries.models import Caption
from queries.pooling.query_columns import query_source_id

JUDGMENTS, CAPTIONS = FURTHER_TABLES["judgment_origins"], FURTHER_TABLES["caption_origins"]
OF_CAPTION = (
    *("text", "status", "decided_at", "attempt__rewriter", "attempt__model", "attempt__prompt_version"),
    *("attempt__number", "attempt__encoder", "attempt__tagger"),
)


def describe_judgment_origins(splits: Splits) -> dict[str, Any]:
    """The manifest's `judgment_origins`: the file and its rows."""
    return {
        "file": JUDGMENTS.file,
        "judgments": sum(splits.counted_judgments(split).count() for split in SPLITS),
    }


def write_judgment_origins(splits: Splits, folder: Path) -> None:
    """Write a row a counted judgment of a decided pair, in the order of raw_annotations.csv."""
    with create_csv(folder / JUDGMENTS.file, list(JUDGMENTS.columns)) as writer:
        for split in SPLITS:
            judgments = splits.counted_judgments(split).annotate(
                imported=ExpressionWrapper(IMPORTED, output_field=BooleanField())
            )
            rows = judgments.values_list(
                *(query_source_id("pair__batch__query__"), "pair_id", "annotator__worker", "imported", "decided_at"),
                *("guideline", "pair__batch__number", "pair__batch__status"),
                *("pair__batch__review", "pair__batch__review__decided_by"),
            )
            for source_id, pair, worker, imported, at, version, number, status, review, by in rows.iterator(
                ROWS_AT_ONCE
            ):
                origin = ("imported", "") if imported else ("here", f"{at:%Y-%m}")
                closed = "" if status not in CLOSED else "alone" if review is None else "lead" if by else "policy"
                writer.writerow((public_query_id(source_id), pair, worker, *origin, version or "", number, closed))


def describe_caption_origins(splits: Splits) -> dict[str, Any]:
    """The manifest's `caption_origins`: the file, and how many captions it has."""
    pairs = _decided(splits)
    found = pairs.filter(candidate__caption__isnull=False).exclude(candidate__caption_text="").count()
    return {
        "file": CAPTIONS.file,
        "captions": found + pairs.order_by().values("batch__query").distinct().count(),
    }


def write_caption_origins(splits: Splits, folder: Path) -> None:
    """Write a row a query with a decided pair, and one for each of these whose moment was found by a caption."""
    with create_csv(folder / CAPTIONS.file, list(CAPTIONS.columns)) as writer:
        for split in SPLITS:
            writer.writerows(_caption_rows(_decided(splits).filter(batch__query__split=split)))


def _decided(splits: Splits) -> QuerySet[Pair]:
    pairs = Pair.objects.filter(batch__query__collection=splits.collection, status__in=DECIDED)
    return pairs.order_by("batch__query__position", "candidate__rank")


def _caption_rows(pairs: QuerySet[Pair]) -> Iterator[tuple[Any, ...]]:
    own = [f"batch__query__description__caption__{field}" for field in OF_CAPTION]
    found = [f"candidate__caption__{field}" for field in OF_CAPTION]
    query: list[Any] = [query_source_id("batch__query__"), "batch__query__text", "batch__query__topic_id", *own]
    rows = pairs.values_list(*query, "pk", "batch__query__ranked_by", "candidate__caption_text", *found)
    for (source_id, text, topic, *caption), pairs_of in groupby(
        rows.iterator(ROWS_AT_ONCE), key=itemgetter(slice(len(query)))
    ):
        query_id = public_query_id(source_id)
        made = ("topic", *[""] * 5) if topic else _origin(text, caption)
        yield query_id, "", *made, ""
        for pair, ranked_by, as_found, *candidate in map(itemgetter(slice(len(query), None)), pairs_of):
            if as_found and candidate[0] is not None:
                yield query_id, pair, *_origin(as_found, candidate), public_name(ranked_by)


def _origin(text: str, caption: list[Any]) -> tuple[Any, ...]:
    """The columns from `rewriter` to `checked_by`; empty where the caption isn't the accepted one with this text."""
    now, status, decided_at, rewriter, model, prompt, number, encoder, tagger = caption
    if now != text or status != Caption.Status.ACCEPTED:
        return ("",) * 6
    accepted = "person" if decided_at else "checks" if encoder or tagger else "none"
    return rewriter, public_name(model), prompt, number, accepted, public_name(encoder)
