"""Importing descriptions and judgments into a database that holds a collection as large, beside the first such import.

The same files are imported into an empty database and then, under another name, beside what is there. Between the two
the tables are analysed, as autovacuum does it in a running site: from then on PostgreSQL believes that every row is of
the first collection, and that was what made the second import loop. Both are timed until the commit has returned.
Prints one JSON object as its last line; `ratios` is the second import's time over the first one's, medians of the
rounds; `processor_ratios` the same of processor time, on a machine that others use too.
"""

import csv
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# The paper's size: videos, descriptions of them, val and test queries.
SIZES = {"large": (19_614, 98_000, 3_281), "small": (500, 2_500, 60)}
CANDIDATES = 20
ROUNDS = 3
WORKERS = 23
WORDS = "she he opens closes a the door window hands over gives takes red book cup slowly and then turns away".split()


def main() -> None:
    small = "--small" in sys.argv[1:]
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home)
    from demo.check import _leave_servers
    from demo.site import set_up_django

    try:
        set_up_django()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        videos, rows, queries = SIZES["small" if small else "large"]
        descriptions, judgments = home / "rows.jsonl", home / "raw_annotations.csv"
        write_descriptions(descriptions, videos, rows)
        judged = write_judgments(judgments, videos, queries)
        seconds: dict[str, list[float]] = {}
        processor: dict[str, list[float]] = {}
        for _ in range(1 if small else ROUNDS):
            forget_everything()
            for place in ("first", "second"):
                for what, work in (
                    ("import_descriptions", partial(import_descriptions, descriptions, place, rows)),
                    ("import_judgments", partial(import_judgments, judgments, f"judged-{place}", judged)),
                ):
                    used = processor_seconds()
                    note(seconds, f"{place} {what}", work())
                    processor.setdefault(f"{place} {what}", []).append(processor_seconds() - used)
                analyse()
        print(json.dumps(figures(seconds, processor, rows, judged)))
    finally:
        _leave_servers()
        shutil.rmtree(home, ignore_errors=True)


def note(seconds: dict[str, list[float]], name: str, taken: float) -> None:
    seconds.setdefault(name, []).append(taken)
    print(f"{name}: {taken:.1f} s", file=sys.stderr)


def processor_seconds() -> float:
    """What this process and PostgreSQL's for its connection have used."""
    import psutil
    from django.db import connection

    connection.ensure_connection()
    served = psutil.Process(connection.connection.info.backend_pid).cpu_times()
    return time.process_time() + served.user + served.system


def write_descriptions(path: Path, videos: int, rows: int) -> None:
    """TVR-like rows: five moments a video, ids in order."""
    dice = random.Random(1)
    with path.open("w") as file:
        for number in range(rows):
            start = round(dice.uniform(0, 55), 2)
            row = {
                "vid_name": f"show_s{number % videos:05d}_seg02_clip_19",
                "duration": 61.46,
                "ts": [start, round(start + dice.uniform(1, 6), 2)],
                "desc": " ".join(dice.choices(WORDS, k=13)) + f" {number}.",
                "type": dice.choice(("v", "v", "v", "vt", "t")),
                "desc_id": 90_000 + number,
            }
            file.write(json.dumps(row) + "\n")


def write_judgments(path: Path, videos: int, queries: int) -> int:
    """Two workers on each pair, and two others where they disagree. Returns: how many judgments."""
    from datasets.formats.tvr_ranking import RAW_COLUMNS

    dice = random.Random(2)
    count = 0
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(RAW_COLUMNS)
        for query in range(queries):
            text = f"A person {' '.join(dice.choices(WORDS, k=9))} {query}."
            for rank in range(CANDIDATES):
                start = round(dice.uniform(0, 55), 2)
                about = {
                    "pair_id": query * CANDIDATES + rank,
                    "query_id": query,
                    "query": text,
                    "video_name": f"show_s{dice.randrange(videos):05d}_seg02_clip_19",
                    "timestamp": json.dumps([start, round(start + dice.uniform(1, 6), 2)]),
                    "duration": 61.46,
                    "caption": text if not rank else f"Somebody {' '.join(dice.choices(WORDS, k=9))} {query} {rank}.",
                    "similarity": round(1 - rank / 50, 4),
                }
                for worker, grade in zip(dice.sample(range(WORKERS), 4), dice.choice(GRADES), strict=False):
                    row = {**about, "worker": f"worker{worker:02d}", "relevance": grade}
                    writer.writerow([row[column] for column in RAW_COLUMNS])
                    count += 1
    return count


GRADES = ((0, 0), (1, 1), (2, 3), (4, 4), (3, 3), (0, 3, 1, 1))


def import_descriptions(path: Path, name: str, rows: int) -> float:
    from corpus.collections.members import get_or_create_collection
    from corpus.importing.import_descriptions import import_descriptions

    collection = get_or_create_collection(name=name)
    began = time.perf_counter()
    report = import_descriptions(collection=collection, path=path, format_name="tvr")
    seconds = time.perf_counter() - began
    assert report.added == rows, report
    return seconds


def import_judgments(path: Path, name: str, judgments: int) -> float:
    from corpus.collections.members import get_or_create_collection
    from datasets.judgment_import.import_judgments import import_judgments

    collection = get_or_create_collection(name=name, has_clips=False)
    began = time.perf_counter()
    report = import_judgments(collection=collection, path=path)
    seconds = time.perf_counter() - began
    assert report.added == judgments, report
    return seconds


def analyse() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def forget_everything() -> None:
    """Past the ORM, which would look at each row."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE corpus_collection CASCADE")
        cursor.execute("ANALYZE")


def ratios(taken: dict[str, list[float]]) -> dict[str, float]:
    return {
        f"first {what}": round(
            statistics.median(taken[f"second {what}"]) / statistics.median(taken[f"first {what}"]), 2
        )
        for what in ("import_descriptions", "import_judgments")
    }


def figures(
    seconds: dict[str, list[float]], processor: dict[str, list[float]], rows: int, judgments: int
) -> dict[str, Any]:
    medians = {name: statistics.median(taken) for name, taken in seconds.items()}
    return {
        "descriptions": rows,
        "judgments": judgments,
        **{f"seconds_{name.replace(' ', '_')}": round(taken, 2) for name, taken in medians.items()},
        "processor_ratios": ratios(processor),
        "ratios": ratios(seconds),
    }


if __name__ == "__main__":
    main()
