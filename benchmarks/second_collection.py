"""Importing descriptions and judgments into a database that holds a collection as large, beside the first such import.

The same files are imported into an empty database and then, under another name, beside what is there. Between the two
the tables are analysed, as autovacuum does it in a running site: from then on PostgreSQL believes that every row is of
the first collection, and that was what made the second import loop. Both are timed until the commit has returned.
Prints one JSON object as its last line; `ratios` is the second import's time over the first one's, medians of the
rounds; `processor_ratios` the same of processor time, on a machine that others use too.
"""

import csv
import json
import random
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import Turns, database_server, forget_collections, parser, report, say, scratch_site
from benchmarks.worlds.descriptions import WORDS, write_descriptions

# The paper's size: videos, descriptions of them, val and test queries.
SIZES = {"large": (19_614, 98_000, 3_281), "small": (100, 500, 12)}
CANDIDATES = 20
ROUNDS = 3
WORKERS = 23
WHAT = ("import_descriptions", "import_judgments")


def main() -> None:
    options = parser(__doc__).parse_args()
    with scratch_site(options) as home:
        videos, rows, queries = SIZES["small" if options.small else "large"]
        descriptions, judgments = home / "rows.jsonl", home / "raw_annotations.csv"
        write_descriptions(descriptions, videos=videos, rows=rows)
        judged = write_judgments(judgments, videos, queries)
        turns = Turns(database_server())
        for _ in range(1 if options.small else ROUNDS):
            forget_collections()
            analyse()
            for place in ("first", "second"):
                for step, work in zip(
                    WHAT,
                    (
                        partial(import_descriptions, descriptions, place, rows),
                        partial(import_judgments, judgments, f"judged-{place}", judged),
                    ),
                    strict=True,
                ):
                    turns.take(f"{place} {step}", work)
                    say(f"{place} {step}: {turns.wall(f'{place} {step}'):.1f} s")
                analyse()
        figures = turns.figures(ours=f"second {WHAT[0]}", peers=())
        report(
            {
                "descriptions": rows,
                "judgments": judged,
                **figures,
                "processor_ratios": {
                    f"first {step}": turns.processor_ratio(f"second {step}", f"first {step}") for step in WHAT
                },
                "ratios": {f"first {step}": turns.ratio(f"second {step}", f"first {step}") for step in WHAT},
            }
        )


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


def import_descriptions(path: Path, name: str, rows: int) -> None:
    from corpus.description_import.import_descriptions import import_descriptions
    from foundation.collections.members import get_or_create_collection

    imported = import_descriptions(collection=get_or_create_collection(name=name), path=path, format_name="tvr")
    assert imported.added == rows, imported


def import_judgments(path: Path, name: str, judgments: int) -> None:
    from datasets.judgment_import.import_judgments import import_judgments
    from foundation.collections.members import get_or_create_collection

    imported = import_judgments(collection=get_or_create_collection(name=name, has_clips=False), path=path)
    assert imported.added == judgments, imported


def analyse() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


if __name__ == "__main__":
    main()
