"""Judgments of the paper's size imported and their consensus replayed: 3,281 queries, 96,483 pairs, 227,808 judgments.

The file is generated with a seed, from kinds of grade sequences whose outcome is worked out by hand below, so every
count that comes out is known beforehand; one that differs ends the program with an error. The import goes into
embedded PostgreSQL and makes the whole collection (videos, moments, captions, queries, candidates, batches, pairs).
The peer in the same run is PostgreSQL's plain COPY of the same file into one table without keys: no check, no
consensus. Prints one JSON object as its last line; `ratios` holds our import's time over the peer's.

    .venv/bin/python benchmarks/replay.py [--keep FILE]
"""

import csv
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import (
    OURS,
    Turns,
    database_server,
    figure,
    forget_collections,
    parser,
    peak_memory,
    report,
    say,
    scratch_site,
)

SEED = 7
PEER = "plain COPY into one table"
AGAIN, REPLAY = "same file again", "replay"
ROUNDS = 3


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


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything; every kind has one in `part` of its pairs."""

    videos: int = 19_614
    moments: int = 97_410
    queries: int = 3_281
    workers: int = 23
    part: int = 1

    @property
    def kinds(self) -> list[Kind]:
        return [replace(kind, pairs=max(1, kind.pairs // self.part)) for kind in KINDS]

    @property
    def pairs(self) -> int:
        return sum(kind.pairs for kind in self.kinds)

    @property
    def judgments(self) -> int:
        return sum(kind.pairs * len(kind.grades) for kind in self.kinds)

    @property
    def batches(self) -> list[int]:
        """The pairs of every query: 20, and as long as there are more, a second batch of 20; the last has the rest."""
        more = self.pairs - 20 * self.queries
        return [20 + min(20, max(0, more - 20 * number)) for number in range(self.queries)]


PAPER = Size()
SMALL = Size(videos=60, moments=300, queries=33, part=100)


def main() -> None:
    arguments = parser(__doc__)
    arguments.add_argument("--keep", type=Path, metavar="FILE", help="write the generated file there, and keep it")
    options = arguments.parse_args()
    size = SMALL if options.small else PAPER
    assert (PAPER.pairs, PAPER.judgments) == (96_483, 227_808), "the paper's numbers"
    with scratch_site(options) as home:
        path = options.keep or home / "raw_annotations.csv"
        generate(path, size)
        report(measure(path, size))


def generate(path: Path, size: Size) -> None:
    """Write the file: queries in order, each pair's judgments together, its kind and judges drawn with the seed."""
    chance = random.Random(SEED)
    kinds = [kind for kind in size.kinds for _ in range(kind.pairs)]
    chance.shuffle(kinds)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            "pair_id,query_id,query,video_name,timestamp,duration,caption,similarity,worker,relevance".split(",")
        )
        for pair, (kind, about) in enumerate(zip(kinds, pairs(chance, size), strict=True)):
            judges = chance.sample(range(1, size.workers + 1), len(kind.grades))
            writer.writerows(
                (pair, *about, f"w{judge:02d}", grade) for judge, grade in zip(judges, kind.grades, strict=True)
            )


def pairs(chance: random.Random, size: Size) -> Iterator[tuple[Any, ...]]:
    """Every pair's columns from query_id to similarity: a query's own moment at 1.0, others below, best first."""
    own = chance.sample(range(size.moments), size.queries)
    for first, count in zip(own, size.batches, strict=True):
        others = [moment for moment in chance.sample(range(size.moments), count) if moment != first][: count - 1]
        for rank, moment in enumerate([first, *others]):
            start = moment // size.videos * 15.25
            yield (
                first,
                caption(first),
                f"show_s{moment % size.videos % 10:02d}_clip_{moment % size.videos:05d}",
                json.dumps([start, start + 8.5]),
                90.02,
                caption(moment),
                1.0 if rank == 0 else round(0.95 - rank * 0.011, 6),
            )


def caption(moment: int) -> str:
    verbs = ("opens", "carries", "drops", "finds", "hides", "paints", "wraps")
    return f"A woman {verbs[moment % 7]} the box number {moment} and a man looks at it from the door."


def measure(path: Path, size: Size) -> dict[str, Any]:
    from annotation.batches.transitions import rule_of
    from annotation.consensus import Rule
    from annotation.review.consensus_replay import replay_collection
    from datasets.judgment_import.import_judgments import import_judgments
    from foundation.collections.members import get_or_create_collection

    turns = Turns(database_server())
    for turn in range(ROUNDS):
        make_peer_table()
        turns.take(PEER, partial(copy_plainly, path))
        expect_copied(size)
        collection = get_or_create_collection(name=f"replay-{turn}", has_clips=False)
        imported = turns.take(
            OURS, partial(import_judgments, collection=collection, path=path, step=timed_steps(time.perf_counter()))
        )
        say(f"import: {turns.wall(OURS):.1f} s, plain COPY: {turns.wall(PEER):.2f} s")
        expect("judgments", imported.added, size.judgments)
        expect("queries", imported.queries, size.queries)
        expect("pairs", imported.pairs, size.pairs)
        expect("workers", imported.workers, size.workers)
        expect("states", imported.states, dict(tally(size, "paper", "status")))
        check_stored(size)
        again = turns.take(AGAIN, partial(import_judgments, collection=collection, path=path))
        expect("judgments the second time", (again.added, again.unchanged), (0, size.judgments))
        same = turns.take(REPLAY, partial(replay_collection, collection=collection, rule=rule_of(collection)))
        expect("changes by the same rule", (same.pairs, same.judgments, same.changed), (size.pairs, size.judgments, 0))
        wider = replay_collection(collection=collection, rule=Rule(largest_difference=2))
        moves: Counter[Any] = Counter()
        for kind in size.kinds:
            if kind.paper != kind.wider:
                moves[kind.paper, kind.wider] += kind.pairs
        expect("changes by largest_difference=2", wider.moves, moves)
        forget_collections()
    return {
        "judgments": size.judgments,
        "pairs": size.pairs,
        "graded": imported.states["consensus"],
        "discarded": imported.states["discarded"],
        "changed_by_wider_rule": wider.changed,
        "import_s": figure(turns.wall(OURS)),
        "import_again_s": figure(turns.wall(AGAIN)),
        "replay_s": figure(turns.wall(REPLAY)),
        "plain_copy_s": figure(turns.wall(PEER)),
        "peak_memory_mib": round(peak_memory()),
        **turns.figures(peers=[PEER]),
    }


def make_peer_table() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "DROP TABLE IF EXISTS plain;"
            "CREATE TABLE plain (pair_id text, query_id text, query text, video_name text, stretch text,"
            " duration float8, caption text, similarity float8, worker text, relevance smallint)"
        )


def copy_plainly(path: Path) -> None:
    """PostgreSQL copies the file into a table, and commits."""
    from django.db import connection

    copying = "COPY plain FROM STDIN (FORMAT csv, HEADER)"
    with connection.cursor() as cursor, path.open("rb") as file, cursor.copy(copying) as copy:
        while part := file.read(1 << 18):
            copy.write(part)


def expect_copied(size: Size) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM plain")
        expect("rows copied", cursor.fetchone()[0], size.judgments)


def check_stored(size: Size) -> None:
    """What the database holds, counted there."""
    from django.db.models import Count

    from annotation.models import Batch, Judgment, Pair

    graded = Pair.objects.values_list("status", "grade").annotate(Count("pk"))
    outcomes = Counter({(status, grade): count for status, grade, count in graded})
    expect("outcomes", outcomes, tally(size, "paper"))
    expect("stored judgments", Judgment.objects.filter(counted=True).count(), size.judgments)
    second = sum(2 * kind.pairs for kind in size.kinds if len(kind.grades) == 4)
    expect("judgments of second rounds", Judgment.objects.filter(round=2).count(), second)
    batches = Counter(Batch.objects.values_list("status", flat=True))
    extended = sum(count > 20 for count in size.batches)
    expect("batches", batches, Counter(extended=extended, finished=size.queries))


def tally(size: Size, rule: str, part: str = "") -> Counter[Any]:
    """How many pairs end as what by the kinds above: by status, or by status and grade."""
    outcomes: Counter[Any] = Counter()
    for kind in size.kinds:
        outcome = getattr(kind, rule)
        outcomes[outcome[0] if part else outcome] += kind.pairs
    return outcomes


def expect(what: str, found: Any, expected: Any) -> None:
    if found != expected:
        raise SystemExit(f"{what}: found {found}, expected {expected}")


def timed_steps(began: float) -> Any:
    return lambda name: say(f"  {time.perf_counter() - began:5.1f} s: {name}")


if __name__ == "__main__":
    main()
