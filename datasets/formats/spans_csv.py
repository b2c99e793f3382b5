"""`spans.csv`: where in its moment each relevant pair fits, as annotators span it and agreed on.

Written only for collections whose annotators mark starts and ends (`span_agreement`): the releases of others are
without it. The other files keep the moments' own times.
"""

from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.models import Pair
from annotation.review.pair_spans import AgreementCount, has_spans, spans_of
from datasets.content.splits import ROWS_AT_ONCE, SPLITS, Splits, public_query_id
from datasets.formats.material import create_csv
from queries.pooling.query_columns import query_source_id

SPANS_FILE = "spans.csv"
COLUMNS = (
    *("pair_id", "query_id", "video_name", "start", "end", "adjusted_start", "adjusted_end"),
    *("status", "people", "mean_iou"),
)
DECIMALS = 3
"""Of a time in seconds; of an IoU six."""


def write_spans(splits: Splits, folder: Path) -> dict[str, Any] | None:
    """Write a row per val and test pair that consensus graded 1 and more, by query in the order of the draw, and rank.

    Returns: what the manifest says of them; None, and no file, where nobody marks.
    """
    collection = splits.collection
    if not has_spans(collection):
        return None
    agreements: dict[str, Any] = {}
    every = AgreementCount()
    with create_csv(folder / SPANS_FILE, COLUMNS) as writer:
        for split in SPLITS:
            pairs = Pair.objects.filter(batch__query__collection=collection, batch__query__split=split)
            spans, count = spans_of(collection, pairs), AgreementCount()
            while some := list(islice(spans, ROWS_AT_ONCE)):
                known = pairs.filter(pk__in=[row.pair for row in some])
                sources = dict(known.values_list("pk", query_source_id("batch__query__")))
                for row in some:
                    place, agreed = splits.places[row.moment], row.agreed
                    span = (round(row.span.start, DECIMALS), round(row.span.end, DECIMALS))
                    times = (*place.timestamp, *(place.timestamp if row.status in ("whole", "apart") else span))
                    overlap = "" if agreed.mean_iou is None else round(agreed.mean_iou, 6)
                    query = public_query_id(sources[row.pair])
                    writer.writerow((row.pair, query, place.video_name, *times, row.status, agreed.people, overlap))
                    count.add(agreed)
                    every.add(agreed)
            agreements[split] = asdict(count.agreement())
    return {
        "file": SPANS_FILE,
        "agreement": collection.span_agreement,
        "pairs": agreements,
        "all": asdict(every.agreement()),
    }
