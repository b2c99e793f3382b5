"""`evidence_used.csv`: what annotators used beside a clip's pictures. Of collections that show more than these."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.judging.evidence import kinds_asked
from annotation.models import Used
from datasets.content.splits import ROWS_AT_ONCE, SPLITS, Splits, public_query_id
from datasets.formats.further_files import FURTHER_TABLES
from datasets.formats.material import create_csv
from queries.pooling.query_columns import query_source_id

TABLE = FURTHER_TABLES["evidence_used"]
NONE = "none"


def describe_evidence_used(splits: Splits) -> dict[str, Any] | None:
    """The manifest's `evidence_used`: the file, its rows, of how many it is known, and how many used each kind that
    could be used; None, and no file, where nothing is asked or known."""
    counts: Counter[str] = Counter()
    judgments = known = 0
    for _, _, _, used in _rows(splits):
        judgments += 1
        known += used is not None
        counts.update(used or ())
    if not (known or kinds_asked(splits.collection)):
        return None
    asked = kinds_asked(splits.collection)
    used_kinds = {kind: counts[kind] for kind in Used.values if kind in asked or counts[kind]}
    seconds = splits.collection.context_seconds
    return {
        "file": TABLE.file,
        "judgments": judgments,
        "known": known,
        "used": used_kinds,
        **({"context_seconds": seconds} if seconds else {}),
    }


def write_evidence_used(splits: Splits, folder: Path) -> None:
    """Write a row a counted judgment of a decided pair, in the order of raw_annotations.csv."""
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        for query_id, pair, worker, used in _rows(splits):
            writer.writerow((query_id, pair, worker, "" if used is None else " ".join(used) or NONE))


def _rows(splits: Splits) -> Iterator[tuple[Any, int, str, list[str] | None]]:
    """(query id, pair, worker, used) of each judgment in raw_annotations.csv."""
    for split in SPLITS:
        columns = (query_source_id("pair__batch__query__"), "pair_id", "annotator__worker", "used")
        rows = splits.counted_judgments(split).values_list(*columns)
        for source_id, pair, worker, used in rows.iterator(ROWS_AT_ONCE):
            yield public_query_id(source_id), pair, worker, used
