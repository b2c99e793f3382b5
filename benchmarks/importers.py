"""Importing 98,000 TVR-like descriptions, beside PostgreSQL's own COPY of the same rows.

The peer gets what the import has made, as prepared COPY data, into tables of the same columns, indexes and checks: it
reads no JSON, checks nothing and looks nothing up. Both are timed until the commit has returned, three times in turn,
and the medians are compared. Prints one JSON object as its last line; `ratios` is our time over the peer's.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import (
    OURS,
    Turns,
    database_server,
    forget_collections,
    parser,
    peak_memory,
    report,
    scratch_site,
)
from benchmarks.worlds.descriptions import write_descriptions

PEER = "COPY"
AGAIN = "same file again"
ROUNDS = 3
TABLES = ("corpus_video", "corpus_moment", "corpus_description")


def main() -> None:
    options = read_options()
    with scratch_site(options) as home:
        path = home / "rows.jsonl"
        # The paper: 98,070 descriptions of 97,410 moments.
        write_descriptions(path, videos=options.videos, rows=options.rows, second=147)
        before, memory = peak_memory(), 0.0
        turns = Turns(database_server())
        for number in range(ROUNDS):
            name = f"bench-{number}"
            turns.take(OURS, partial(import_rows, path, name, options.rows))
            memory = memory or peak_memory() - before
            turns.take(AGAIN, partial(import_rows, path, name, options.rows))
            prepared = prepare_copy(name)
            turns.take(PEER, partial(copy_prepared, prepared))
            forget_collections()
        report(
            {
                "rows": options.rows,
                "file_mib": round(path.stat().st_size / 2**20, 1),
                "rows_per_second": round(options.rows / turns.wall(OURS)),
                "peak_memory_mib_more_than_before": round(memory, 1),
                **turns.figures(peers=[PEER]),
            }
        )


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--rows", type=int, default=98_000, help="descriptions in the file")
    arguments.add_argument("--videos", type=int, default=19_614)
    options = arguments.parse_args()
    if options.small:
        options.rows, options.videos = 600, 120
    return options


def import_rows(path: Path, name: str, rows: int) -> None:
    from corpus.description_import.import_descriptions import import_descriptions
    from foundation.collections.members import get_or_create_collection

    collection = get_or_create_collection(name=name)
    imported = import_descriptions(collection=collection, path=path, format_name="tvr")
    assert imported.added + imported.unchanged == rows, imported


def prepare_copy(name: str) -> dict[str, bytes]:
    """The rows that the collection has, as COPY sends them, by table; and empty tables for the peer."""
    from django.db import connection

    from foundation.models import Collection

    pk = Collection.objects.get(name=name).pk
    rows = {
        "corpus_video": f"SELECT * FROM corpus_video WHERE collection_id = {pk}",
        "corpus_moment": "SELECT m.* FROM corpus_moment m JOIN corpus_video v ON v.id = m.video_id "
        f"WHERE v.collection_id = {pk}",
        "corpus_description": f"SELECT * FROM corpus_description WHERE collection_id = {pk}",
    }
    prepared = {}
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"DROP TABLE IF EXISTS peer_{table}; CREATE TABLE peer_{table} (LIKE {table} INCLUDING ALL)")
            with cursor.cursor.copy(f"COPY ({rows[table]}) TO STDOUT") as copy:
                prepared[table] = b"".join(bytes(block) for block in copy)
    return prepared


def copy_prepared(prepared: dict[str, bytes]) -> None:
    """The peer's turn, until the commit has returned."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        for table, rows in prepared.items():
            with cursor.cursor.copy(f"COPY peer_{table} FROM STDIN") as copy:
                copy.write(rows)


if __name__ == "__main__":
    main()
