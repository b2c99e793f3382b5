"""`evidence_used.csv`: what annotators used beside a clip's pictures. Of collections that show more than these."""

from collections import Counter
from pathlib import Path
from typing import Any

from django.db.models import Count, Q

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
    of_kinds = {kind: Count("pk", filter=Q(used__contains=[kind])) for kind in Used.values}
    for split in SPLITS:
        judgments = splits.counted_judgments(split)
        counts.update(judgments.aggregate(judgments=Count("pk"), known=Count("used"), **of_kinds))
    asked = kinds_asked(splits.collection)
    if not (counts["known"] or asked):
        return None
    seconds = splits.collection.context_seconds
    return {
        "file": TABLE.file,
        "judgments": counts["judgments"],
        "known": counts["known"],
        "used": {kind: counts[kind] for kind in Used.values if kind in asked or counts[kind]},
        **({"context_seconds": seconds} if seconds else {}),
    }


def write_evidence_used(splits: Splits, folder: Path) -> None:
    """Write a row a counted judgment of a decided pair, in the order of raw_annotations.csv."""
    with create_csv(folder / TABLE.file, list(TABLE.columns)) as writer:
        for split in SPLITS:
            columns = (query_source_id("pair__batch__query__"), "pair_id", "annotator__worker", "used")
            rows = splits.counted_judgments(split).values_list(*columns)
            for source_id, pair, worker, used in rows.iterator(ROWS_AT_ONCE):
                told = "" if used is None else " ".join(used) or NONE
                writer.writerow((public_query_id(source_id), pair, worker, told))
