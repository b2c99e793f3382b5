"""`adjudicated.csv`: the grades of a release that are the lead's own."""

from pathlib import Path

from datasets.content.splits import SPLITS, Splits, adjudications, public_query_id
from datasets.formats.material import create_csv
from queries.pooling.query_columns import query_source_id

ADJUDICATED_FILE = "adjudicated.csv"
COLUMNS = ("pair_id", "query_id", "relevance", "worker", "adjudicated_at")


def write_adjudicated(splits: Splits, folder: Path) -> None:
    """Write one row per adjudicated pair; `worker` is the lead's pseudonym, times are UTC.

    The reason is not in it: it is written for the team, and may speak of people.
    """
    with create_csv(folder / ADJUDICATED_FILE, COLUMNS) as writer:
        for split in SPLITS:
            rows = adjudications(splits.collection, split).values_list(
                "pair_id", query_source_id("pair__batch__query__"), "grade", "decided_by__worker", "decided_at"
            )
            for pair, source_id, grade, worker, decided_at in rows.iterator():
                when = decided_at.replace(microsecond=0).isoformat()
                writer.writerow((pair, public_query_id(source_id), grade, worker, when))
