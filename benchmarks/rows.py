"""How time and memory of a collection's steps grow with its rows, beside a large collection that is there already.

Import, rewriting by rules, draw, candidates, opening, release and its check, each at so many times a size, in a process
of its own, whose peak memory above what it began with is told. Vectors of captions that have none, and all judgments,
are generated; so are captions and candidates where those steps aren't measured. Every description that isn't drawn is
searched for training, so an exact search grows with the square of the rows: `--least-recall 0.9` makes it approximate.

One peer is the smallest size: `ratios` hold the time at each other size over as many times the smallest one's, so 1 is
proportional growth; `exponents` say the same of time and memory over all sizes. The other is bare COPY or orjson with
as many rows (`PEERS`), in its turn after the step: `ratios_to_peers` and `processor_ratios_to_peers` hold our share of
it. Rewriting asks the models, which takes most of the time: `--steps` leaves steps out, `--small` leaves this one out.
Prints one JSON object as its last line.

    .venv/bin/python benchmarks/rows.py [--videos N] [--times N ...] [--steps STEP ...] [--least-recall SHARE]

The paper's size is `--videos 19614`: 98,070 descriptions, of which 3,281 become queries.
"""

import argparse
import csv
import math
import statistics
import sys
import uuid
import zlib
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import (
    Turns,
    database_server,
    figure,
    parser,
    ratio,
    report,
    say,
    scratch_site,
)
from benchmarks.harness.parts import Alone, alone
from benchmarks.worlds.descriptions import write_descriptions

DESCRIPTIONS_A_VIDEO = 5
DESCRIPTIONS_A_QUERY = 30
"""As in the paper: 98,070 descriptions, 3,281 val and test queries, a seventh of them val."""
ROUNDS = 3
AT_ONCE = 200
"""Descriptions that the command rewrites at a time."""


def main() -> None:
    options = read_options()
    with scratch_site(options) as home:
        from benchmarks.worlds.desk import PAPER, SMALL, build_desk_world

        build_desk_world("standing", size=SMALL if options.small else PAPER)
        turns, memory = Turns(database_server()), dict[str, list[float]]()
        for number in range(options.rounds):
            for times in options.times:
                grow(f"r{number}-x{times}", times, options, home, turns, memory)
        report(figures(options, turns, memory))


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--videos", type=int, default=2_000, help="of the smallest size")
    arguments.add_argument("--times", type=int, nargs="+", default=[1, 3, 10], metavar="N", help="that size")
    arguments.add_argument("--rounds", type=int, default=ROUNDS)
    arguments.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS), help="those that are measured")
    arguments.add_argument("--least-recall", type=float, help="of an approximate search; none: it is exact")
    options = arguments.parse_args()
    if options.small:
        options.videos, options.times, options.rounds = 16, [1, 2], 1
        options.steps.remove("rewrite")
    options.times = sorted(set(options.times))
    if len(options.times) < 2:
        arguments.error("growth needs two sizes at least")
    return options


def grow(
    name: str, times: int, options: argparse.Namespace, home: Path, turns: Turns, memory: dict[str, list[float]]
) -> None:
    """A collection of so many times the size, from its file to a checked release, each measured step on its own."""
    from benchmarks.worlds.growth import judge_all, make_candidates, make_captions, make_vectors_of

    path, videos = home / f"{name}.jsonl", times * options.videos
    # Texts of its own: answers stored for another size's texts would be reused.
    seed = zlib.crc32(name.encode())
    write_descriptions(path, videos=videos, rows=videos * DESCRIPTIONS_A_VIDEO, second=147, seed=seed)
    instead = {"rewrite": make_captions, "candidates": make_candidates}
    before = {"candidates": partial(make_vectors_of, name), "export": partial(judge_all, name)}
    for step, work in STEPS.items():
        if step in instead and step not in options.steps:
            step_alone(partial(instead[step], name), turns)
            continue
        if step in before:
            step_alone(before[step], turns)
        if step == "candidates":
            work = partial(work, least_recall=options.least_recall)
        _, wall, processor, began_with, peak = step_alone(partial(work, name, path, home / name), turns)
        mib = peak - began_with
        if step in options.steps:
            turns.add(named(step, times), wall, processor)
            memory.setdefault(named(step, times), []).append(mib)
        say(f"{name} {step}: {wall:.2f} s, {processor:.2f} s of processor, {mib:.0f} MiB")
        if step in options.steps and step in PEERS:
            spent = step_alone(partial(PEERS[step], name, path, home / name), turns)
            turns.add(f"{PEER} of {named(step, times)}", spent.wall, spent.processor)
    path.unlink()


def named(step: str, times: int) -> str:
    return f"{step} x{times}"


def step_alone(work: Callable[[], None], turns: Turns) -> Alone:
    """Do the work in a process of its own, with PostgreSQL's processor time."""
    from django.db import connections

    connections.close_all()
    return alone(work, turns.server)


def import_file(name: str, path: Path, folder: Path) -> None:
    from corpus.description_import.import_descriptions import import_descriptions
    from foundation.collections.members import get_or_create_collection

    collection = get_or_create_collection(name=name, has_clips=False)
    import_descriptions(collection=collection, path=path, format_name="tvr")


def rewrite(name: str, path: Path, folder: Path) -> None:
    from foundation.models import Collection
    from queries.rewriting.make_captions import rewrite_by_rules

    collection: Any = Collection.objects.get(name=name)
    pending = list(collection.descriptions.order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(pending), AT_ONCE):
        rewrite_by_rules(collection=collection, description_ids=pending[first : first + AT_ONCE])


def draw(name: str, path: Path, folder: Path) -> None:
    from foundation.models import Collection
    from queries.pooling.query_selection import select_queries

    collection: Any = Collection.objects.get(name=name)
    queries = max(2, collection.descriptions.count() // DESCRIPTIONS_A_QUERY)
    val = max(1, queries // 7)
    select_queries(collection=collection, val=val, test=queries - val, seed=1)


def find_candidates(name: str, path: Path, folder: Path, *, least_recall: float | None = None) -> None:
    from foundation.models import Collection
    from queries.pooling.candidates import fetch_candidates

    collection: Any = Collection.objects.get(name=name)
    collection.least_recall = least_recall
    collection.save(update_fields=["least_recall"])
    fetched = fetch_candidates(collection=collection)
    if fetched.search:
        how = f"{fetched.search.probes} lists, {fetched.search.shortlist} texts"
        say(f"{name} candidates: recall {fetched.search.recall:.3f} by {how}")


def open_pairs(name: str, path: Path, folder: Path) -> None:
    from annotation.batches.opening import open_annotation
    from foundation.models import Collection

    open_annotation(collection=Collection.objects.get(name=name))


def export(name: str, path: Path, folder: Path) -> None:
    from datasets.releases.make_release import create_release, write_release
    from foundation.models import Collection

    release = create_release(collection=Collection.objects.get(name=name), name="v1")
    write_release(release=release, folder=folder)


def check(name: str, path: Path, folder: Path) -> None:
    from evaluation.releases.check_release import check_release

    problems = check_release(folder)
    assert not problems, problems[:3]


STEPS: dict[str, Callable[..., None]] = {
    "import": import_file,
    "rewrite": rewrite,
    "draw": draw,
    "candidates": find_candidates,
    "open": open_pairs,
    "export": export,
    "check": check,
}


def copy_descriptions(name: str, path: Path, folder: Path) -> None:
    """The file's rows, parsed by orjson, by COPY into one table with a key."""
    import orjson

    columns = "video text, duration float8, start float8, stop float8, text text, kind text, id bigint PRIMARY KEY"
    with path.open("rb") as file:
        rows = map(orjson.loads, file)
        _copy(
            columns,
            ((r["vid_name"], r["duration"], *r["ts"], r["desc"], r["type"], r["desc_id"]) for r in rows),
        )


def copy_pairs(name: str, path: Path, folder: Path) -> None:
    """As many rows as there are pairs, of two keys and a random id each, by COPY into one table with a key."""
    from annotation.models import Pair

    count = Pair.objects.filter(batch__collection__name=name).count()
    _copy("id uuid PRIMARY KEY, batch bigint, candidate bigint", ((uuid.uuid4(), n // 20, n) for n in range(count)))


def parse_release(name: str, path: Path, folder: Path) -> None:
    """All JSON files of the release, each parsed whole by orjson, and its table of judgments read by Python's csv.

    Files beyond PARSED_BYTES are read alone: at ten times the paper's size orjson couldn't hold the largest in memory.
    """
    import orjson

    for file in folder.glob("*.json"):
        content = file.read_bytes()
        if len(content) <= PARSED_BYTES:
            orjson.loads(content)
    with (folder / "raw_annotations.csv").open(encoding="utf-8", newline="") as rows:
        assert sum(1 for _ in csv.reader(rows))


def _copy(columns: str, rows: Iterable[tuple[Any, ...]]) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE peer_rows ({columns})")
        with cursor.copy("COPY peer_rows FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        cursor.execute("DROP TABLE peer_rows")


PEER = "peer"
PARSED_BYTES = 1 << 30
PEERS: dict[str, Callable[[str, Path, Path], None]] = {
    "import": copy_descriptions,
    "open": copy_pairs,
    "check": parse_release,
}
"""The least that the step's rows or files cost by COPY or orjson, in its turn after the step."""


def figures(options: argparse.Namespace, turns: Turns, memory: dict[str, list[float]]) -> dict[str, Any]:
    """Seconds and MiB of each step at each size, and how they grow."""
    least = options.times[0]
    walls = {name: turns.wall(name) for name in turns.spent}
    mib = {name: statistics.median(peaks) for name, peaks in memory.items()}

    def exponents(of: dict[str, float]) -> dict[str, float]:
        return {step: exponent([(times, of[named(step, times)]) for times in options.times]) for step in options.steps}

    def growth(of: Callable[[str], float]) -> dict[str, float]:
        return {
            f"{step}: {times // least} times x{least}": ratio(
                of(named(step, times)), times / least * of(named(step, least))
            )
            for step in options.steps
            for times in options.times[1:]
        }

    def against_peers(of: Callable[[str], float]) -> dict[str, float]:
        steps = [named(step, times) for step in options.steps if step in PEERS for times in options.times]
        return {step: ratio(of(step), of(f"{PEER} of {step}")) for step in steps}

    return {
        "descriptions": {f"x{times}": times * options.videos * DESCRIPTIONS_A_VIDEO for times in options.times},
        "seconds": {name: figure(wall) for name, wall in walls.items()},
        "processor_seconds": {name: figure(turns.processor(name)) for name in turns.spent},
        "memory_mib": {name: figure(peak) for name, peak in mib.items()},
        "exponents": {"seconds": exponents(walls), "memory": exponents(mib)},
        "processor_ratios": growth(turns.processor),
        "processor_ratios_to_peers": against_peers(turns.processor),
        "ratios_to_peers": against_peers(turns.wall),
        "ratios": growth(turns.wall),
    }


def exponent(points: list[tuple[int, float]]) -> float:
    """The slope of the line through sizes and figures, both as logarithms: 1 grows with the size, 0 not at all."""
    sizes = [math.log(size) for size, _ in points]
    logarithms = [math.log(max(value, 1e-3)) for _, value in points]
    return round(statistics.linear_regression(sizes, logarithms).slope, 2)


if __name__ == "__main__":
    main()
