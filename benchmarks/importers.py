"""Importing 98,000 TVR-like descriptions, beside PostgreSQL's own COPY of the same rows.

The peer gets what the import has made, as prepared COPY data, into tables of the same columns, indexes and checks: it
reads no JSON, checks nothing and looks nothing up. Both are timed until the commit has returned, three times in turn,
and the medians are compared. Prints one JSON object as its last line; `ratios` is our time over the peer's.
"""

import json
import os
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

ROWS, VIDEOS = 98_000, 19_614
ROUNDS = 3
TABLES = ("corpus_video", "corpus_moment", "corpus_description")
WORDS = "she he opens closes a the door window hands over gives takes red book cup slowly and then turns away".split()


def main() -> None:
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home)
    from demo.check import _leave_servers
    from demo.site import set_up_django

    try:
        set_up_django()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        path = home / "rows.jsonl"
        write_rows(path)
        before = peak_memory()
        ours, memory, peers, again = [], 0.0, [], []
        for number in range(ROUNDS):
            seconds, collection = measure_import(path, f"bench-{number}")
            ours.append(seconds)
            memory = memory or peak_memory() - before
            again.append(measure_import(path, f"bench-{number}")[0])
            peers.append(measure_copy(collection))
            forget_everything()
        print(json.dumps(figures(path, ours, again, peers, memory)))
    finally:
        _leave_servers()
        shutil.rmtree(home, ignore_errors=True)


def write_rows(path: Path) -> None:
    """TVR-like rows: five moments a video, some with two descriptions, ids in order."""
    dice = random.Random(1)
    with path.open("w") as file:
        start = 0.0
        for number in range(ROWS):
            if number % 147:  # the paper: 98,070 descriptions of 97,410 moments
                start = round(dice.uniform(0, 55), 2)
            row = {
                "vid_name": f"show_s{number % VIDEOS:05d}_seg02_clip_19",
                "duration": 61.46,
                "ts": [start, round(start + dice.uniform(1, 6), 2)],
                "desc": " ".join(dice.choices(WORDS, k=13)) + f" {number}.",
                "type": dice.choice(("v", "v", "v", "vt", "t")),
                "desc_id": 90_000 + number,
            }
            file.write(json.dumps(row) + "\n")


def peak_memory() -> float:
    """MiB that this process has had in memory at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_import(path: Path, name: str) -> tuple[float, Any]:
    from corpus.collections.members import get_or_create_collection
    from corpus.importing.import_descriptions import import_descriptions

    collection = get_or_create_collection(name=name)
    began = time.perf_counter()
    report = import_descriptions(collection=collection, path=path, format_name="tvr")
    seconds = time.perf_counter() - began
    assert report.added + report.unchanged == ROWS, report
    return seconds, collection


def measure_copy(collection: Any) -> float:
    """Seconds of COPY for the rows that the collection has."""
    from django.db import connection, transaction

    rows = {
        "corpus_video": f"SELECT * FROM corpus_video WHERE collection_id = {collection.pk}",
        "corpus_moment": "SELECT m.* FROM corpus_moment m JOIN corpus_video v ON v.id = m.video_id "
        f"WHERE v.collection_id = {collection.pk}",
        "corpus_description": f"SELECT * FROM corpus_description WHERE collection_id = {collection.pk}",
    }
    with connection.cursor() as cursor:
        prepared = {}
        for table in TABLES:
            cursor.execute(f"DROP TABLE IF EXISTS peer_{table}; CREATE TABLE peer_{table} (LIKE {table} INCLUDING ALL)")
            with cursor.cursor.copy(f"COPY ({rows[table]}) TO STDOUT") as copy:
                prepared[table] = b"".join(bytes(block) for block in copy)
        began = time.perf_counter()
        with transaction.atomic():
            for table in TABLES:
                with cursor.cursor.copy(f"COPY peer_{table} FROM STDIN") as copy:
                    copy.write(prepared[table])
        return time.perf_counter() - began


def forget_everything() -> None:
    """Past the ORM, which would look at each row."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE corpus_collection CASCADE")


def figures(path: Path, ours: list[float], again: list[float], peers: list[float], memory: float) -> dict[str, Any]:
    seconds, peer = statistics.median(ours), statistics.median(peers)
    return {
        "rows": ROWS,
        "file_mib": round(path.stat().st_size / 2**20, 1),
        "seconds": round(seconds, 2),
        "rows_per_second": round(ROWS / seconds),
        "seconds_same_file_again": round(statistics.median(again), 2),
        "peak_memory_mib_more_than_before": round(memory, 1),
        "peer_seconds": round(peer, 2),
        "ratios": {"COPY": round(seconds / peer, 2)},
    }


if __name__ == "__main__":
    main()
