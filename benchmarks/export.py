"""Exporting the paper's pseudo-training set: 69,317 queries with their top 40 moments, captions and similarities.

A collection of the paper's size is generated, and released in a process of its own, whose peak memory is told. Of
that release the training file's writing is timed, in turns with the peer: another process, which has all of the
records in memory already and writes them as bytes of orjson. Prints one JSON object as its last line; `ratios` holds
our seconds over the peer's.

    .venv/bin/python benchmarks/export.py [--queries N]
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import (
    OURS,
    Turns,
    figure,
    parser,
    peak_memory,
    report,
    say,
    scratch_site,
)
from benchmarks.harness.parts import part, serve_turns
from benchmarks.worlds.releases import DEPTH, QUERIES

NAME = "export"
PEER = "orjson"
ROUNDS = 7


def main() -> None:
    options = read_options()
    if options.part:
        PARTS[options.part](options.folder)
        return
    with scratch_site(options) as home:
        began = time.perf_counter()
        build(options.queries)
        say(
            f"a collection with {options.queries:,} pseudo-training queries made in {time.perf_counter() - began:.0f} s"
        )
        folder = home / "release"
        turns = Turns()
        with part([__file__, "--part", "export", str(folder)]) as ours:
            release = ours.first
            say(json.dumps(release))
            with part([__file__, "--part", "peer", str(folder)]) as peer:
                for _ in range(ROUNDS):
                    for name, writer in ((OURS, ours), (PEER, peer)):
                        turns.add(name, **writer.turn())
        seconds = turns.wall(OURS)
        report(
            {
                **release,
                "training_s": figure(seconds),
                "training_mb_per_s": figure(release["megabytes"] / seconds),
                "orjson_s": figure(turns.wall(PEER)),
                **turns.figures(),
            }
        )


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--queries", type=int, default=QUERIES, metavar="N", help="pseudo-training queries")
    arguments.add_argument("--part", choices=("export", "peer"), help=argparse.SUPPRESS)
    arguments.add_argument("folder", nargs="?", type=Path, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.small:
        options.queries = 200
    return options


def set_up() -> None:
    import django

    django.setup()


def build(queries: int) -> None:
    """The desk's collection of the paper's size, with so many training queries and the arrays of their candidates."""
    from benchmarks.worlds.desk import PAPER, SMALL, build_desk_world
    from benchmarks.worlds.releases import draw_training

    build_desk_world(NAME, size=PAPER if queries > 5_000 else SMALL)
    draw_training(NAME, queries=queries)


def write_ours(folder: Path) -> None:
    """A whole release, as `export_release` makes it, and then, a turn each, the training file alone."""
    set_up()
    from datasets.content.snapshot import one_snapshot
    from datasets.content.splits import Splits
    from datasets.content.training import Training
    from datasets.formats.material import Material
    from datasets.formats.tvr_ranking import training_file_name, write_training
    from datasets.releases.make_release import create_release, write_release
    from foundation.models import Collection

    collection = Collection.objects.get(name=NAME)
    began = time.perf_counter()
    release = create_release(collection=collection, name="v1", depths=[DEPTH])
    write_release(release=release, folder=folder)
    whole = time.perf_counter() - began
    name = training_file_name(DEPTH)
    alone = folder.parent / "alone"
    alone.mkdir()
    with one_snapshot():
        splits = Splits(collection)
        training = Training(splits)
        first = {
            "queries": len(training),
            "megabytes": round((folder / name).stat().st_size / 1e6, 1),
            "release_s": round(whole, 1),
            "peak_memory_mib": round(peak_memory()),
        }

        def write() -> None:
            write_training(Material(splits, training, alone, {}, (DEPTH,), lambda queries: None))

        serve_turns(first, write)
    assert (alone / name).read_bytes() == (folder / name).read_bytes()


def write_peer(folder: Path) -> None:
    """The same records, parsed beforehand, written as orjson's bytes, one a line as ours."""
    set_up()
    import orjson

    from datasets.formats.tvr_ranking import training_file_name

    records = orjson.loads((folder / training_file_name(DEPTH)).read_bytes())

    def write() -> None:
        with (folder.parent / "peer.json").open("wb") as file:
            # A record at a time: a gigabyte in one piece is quick or slow by how the system has memory left.
            before = b"[\n"
            for record in records:
                file.write(before + orjson.dumps(record))
                before = b",\n"
            file.write(b"\n]\n")

    serve_turns({"records": len(records)}, write)


PARTS = {"export": write_ours, "peer": write_peer}


if __name__ == "__main__":
    main()
