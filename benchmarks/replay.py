"""Judgments of the paper's size imported and their consensus replayed: 3,281 queries, 96,483 pairs, 227,808 judgments.

The file is generated with a seed, from kinds of grade sequences whose outcome is worked out by hand below, so every
count that comes out is known beforehand; one that differs ends the program with an error. The import goes into
embedded PostgreSQL and makes the whole collection (videos, moments, captions, queries, candidates, batches, pairs).
The peer in the same run is PostgreSQL's plain COPY of the same file into one table without keys: no check, no
consensus. Prints one JSON object as its last line; `ratios` holds our import's time over the peer's.

    .venv/bin/python benchmarks/replay.py [--keep FILE]
"""

import argparse
import csv
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

SEED = 7
VIDEOS, MOMENTS, QUERIES, WORKERS = 19_614, 97_410, 3_281, 23
EXTENDED = 1_544
"""Queries with a second batch: 1,543 of 20 pairs and one of 3."""
PAIRS, JUDGMENTS = 96_483, 227_808


@dataclass(frozen=True, slots=True)
class Kind:
    """Pairs with these grades in this order: what the paper's rule makes of them, and what largest_difference=2."""

    pairs: int
    grades: tuple[int, ...]
    paper: tuple[str, int | None]
    wider: tuple[str, int | None]


KINDS = (
    Kind(30_000, (0, 0), ("consensus", 0), ("consensus", 0)),
    Kind(20_000, (1, 0), ("consensus", 1), ("consensus", 1)),
    Kind(15_000, (2, 3), ("consensus", 3), ("consensus", 3)),
    Kind(14_062, (4, 4), ("consensus", 4), ("consensus", 4)),
    Kind(6_000, (1, 3, 2, 2), ("consensus", 2), ("consensus", 2)),  # the first two now agree, on the same grade
    Kind(4_000, (1, 3, 1, 1), ("consensus", 1), ("consensus", 2)),  # and here on another
    Kind(5_395, (0, 4, 2, 2), ("consensus", 2), ("consensus", 2)),
    Kind(1_000, (0, 4, 1, 3), ("discarded", None), ("consensus", 2)),  # the middle two are 2 apart
    Kind(526, (0, 4, 0, 4), ("discarded", None), ("discarded", None)),
    Kind(500, (0, 2, 4, 4), ("discarded", None), ("consensus", 1)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write the generated file there, and keep it")
    options = parser.parse_args()
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home)
    from demo.check import _leave_servers
    from demo.site import set_up_django

    try:
        set_up_django()
        from django.core.management import call_command

        call_command("migrate", verbosity=0, interactive=False)
        path = options.keep or home / "raw_annotations.csv"
        generate(path)
        figures = measure(path)
        print(json.dumps(figures))
    finally:
        _leave_servers()
        shutil.rmtree(home, ignore_errors=True)


def generate(path: Path) -> None:
    """Write the file: queries in order, each pair's judgments together, its kind and judges drawn with the seed."""
    chance = random.Random(SEED)
    kinds = [kind for kind in KINDS for _ in range(kind.pairs)]
    chance.shuffle(kinds)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            "pair_id,query_id,query,video_name,timestamp,duration,caption,similarity,worker,relevance".split(",")
        )
        for pair, (kind, about) in enumerate(zip(kinds, pairs(chance), strict=True)):
            judges = chance.sample(range(1, WORKERS + 1), len(kind.grades))
            writer.writerows(
                (pair, *about, f"w{judge:02d}", grade) for judge, grade in zip(judges, kind.grades, strict=True)
            )


def pairs(chance: random.Random) -> Iterator[tuple[Any, ...]]:
    """Every pair's columns from query_id to similarity: a query's own moment at 1.0, others below, best first."""
    own = chance.sample(range(MOMENTS), QUERIES)
    for number, first in enumerate(own):
        size = 20 + (20 if number < EXTENDED - 1 else 3 if number == EXTENDED - 1 else 0)
        others = [moment for moment in chance.sample(range(MOMENTS), size) if moment != first][: size - 1]
        for rank, moment in enumerate([first, *others]):
            start = moment // VIDEOS * 15.25
            yield (
                first,
                caption(first),
                f"show_s{moment % VIDEOS % 10:02d}_clip_{moment % VIDEOS:05d}",
                json.dumps([start, start + 8.5]),
                90.02,
                caption(moment),
                1.0 if rank == 0 else round(0.95 - rank * 0.011, 6),
            )


def caption(moment: int) -> str:
    verbs = ("opens", "carries", "drops", "finds", "hides", "paints", "wraps")
    return f"A woman {verbs[moment % 7]} the box number {moment} and a man looks at it from the door."


def measure(path: Path) -> dict[str, Any]:
    from annotation.batches.transitions import rule_of
    from annotation.consensus import Rule
    from annotation.review.consensus_replay import replay_collection
    from corpus.collections.members import get_or_create_collection
    from datasets.judgment_import.import_judgments import import_judgments

    peer = copy_plainly(path)
    say(f"plain COPY: {peer:.2f} s")
    collection = get_or_create_collection(name="replay", has_clips=False)
    began = time.perf_counter()
    report = import_judgments(collection=collection, path=path, step=timed_steps(began))
    imported = time.perf_counter() - began
    say(f"import: {imported:.1f} s")
    expect("judgments", report.added, JUDGMENTS)
    expect("queries", report.queries, QUERIES)
    expect("pairs", report.pairs, PAIRS)
    expect("workers", report.workers, WORKERS)
    expect("states", report.states, dict(tally("paper", "status")))
    check_stored(collection)
    began = time.perf_counter()
    again = import_judgments(collection=collection, path=path)
    repeated = time.perf_counter() - began
    expect("judgments the second time", (again.added, again.unchanged), (0, JUDGMENTS))
    began = time.perf_counter()
    same = replay_collection(collection=collection, rule=rule_of(collection))
    replayed = time.perf_counter() - began
    expect("changes by the same rule", (same.pairs, same.judgments, same.changed), (PAIRS, JUDGMENTS, 0))
    wider = replay_collection(collection=collection, rule=Rule(largest_difference=2))
    moves: Counter[Any] = Counter()
    for kind in KINDS:
        if kind.paper != kind.wider:
            moves[kind.paper, kind.wider] += kind.pairs
    expect("changes by largest_difference=2", wider.moves, moves)
    return {
        "judgments": JUDGMENTS,
        "pairs": PAIRS,
        "graded": report.states["consensus"],
        "discarded": report.states["discarded"],
        "changed_by_wider_rule": wider.changed,
        "import_s": round(imported, 2),
        "import_again_s": round(repeated, 2),
        "replay_s": round(replayed, 2),
        "plain_copy_s": round(peer, 2),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "ratios": {"plain COPY into one table": round(imported / peer, 2)},
    }


def copy_plainly(path: Path) -> float:
    """Seconds that PostgreSQL takes to copy the file into a table, and commit."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE plain (pair_id text, query_id text, query text, video_name text, stretch text,"
            " duration float8, caption text, similarity float8, worker text, relevance smallint)"
        )
        began = time.perf_counter()
        with path.open("rb") as file, cursor.copy("COPY plain FROM STDIN (FORMAT csv, HEADER)") as copy:
            while part := file.read(1 << 18):
                copy.write(part)
        took = time.perf_counter() - began
        cursor.execute("SELECT count(*) FROM plain")
        expect("rows copied", cursor.fetchone()[0], JUDGMENTS)
    return took


def check_stored(collection: Any) -> None:
    """What the database holds, counted there."""
    from django.db.models import Count

    from annotation.models import Batch, Judgment, Pair

    graded = Pair.objects.values_list("status", "grade").annotate(Count("pk"))
    outcomes = Counter({(status, grade): count for status, grade, count in graded})
    expect("outcomes", outcomes, tally("paper"))
    expect("stored judgments", Judgment.objects.filter(counted=True).count(), JUDGMENTS)
    second = sum(2 * kind.pairs for kind in KINDS if len(kind.grades) == 4)
    expect("judgments of second rounds", Judgment.objects.filter(round=2).count(), second)
    batches = Counter(Batch.objects.values_list("status", flat=True))
    expect("batches", batches, Counter(extended=EXTENDED, finished=QUERIES))


def tally(rule: str, part: str = "") -> Counter[Any]:
    """How many pairs end as what by the kinds above: by status, or by status and grade."""
    found: Counter[Any] = Counter()
    for kind in KINDS:
        outcome = getattr(kind, rule)
        found[outcome[0] if part else outcome] += kind.pairs
    return found


def expect(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise SystemExit(f"{what}: found {found}, expected {expected}")


def timed_steps(began: float) -> Any:
    return lambda name: say(f"  {time.perf_counter() - began:5.1f} s: {name}")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
