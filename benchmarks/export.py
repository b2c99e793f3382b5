"""Exporting the paper's pseudo-training set: 69,317 queries with their top 40 moments, captions and similarities.

A collection of the paper's size is generated, and released in a process of its own, whose peak memory is told. Of
that release the training file's writing is timed; the peer, in another process, has all of its records in memory
already and writes them as bytes of orjson. Prints one JSON object as its last line; `ratios` holds our seconds over
the peer's.

    .venv/bin/python benchmarks/export.py [--queries N]
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.desk_releases import DEPTH, QUERIES

NAME = "export"


def main() -> None:
    options = read_options()
    if options.part:
        print(json.dumps(PARTS[options.part](options.folder)))
        return
    home = Path(tempfile.mkdtemp(prefix="qreels-bench-"))
    os.environ["QREELS_VAR"] = str(home)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config.embedded import ensure_database

    ensure_database()
    try:
        set_up()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        began = time.perf_counter()
        build(options.queries)
        say(
            f"a collection with {options.queries:,} pseudo-training queries made in {time.perf_counter() - began:.0f} s"
        )
        folder = home / "release"
        ours = run("export", folder)
        say(json.dumps(ours))
        peer = run("peer", folder)
        say(json.dumps(peer))
        print(json.dumps({**ours, **peer, "ratios": {"orjson": round(ours["training_s"] / peer["orjson_s"], 2)}}))
    finally:
        shutil.rmtree(home, ignore_errors=True)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=QUERIES, metavar="N", help="pseudo-training queries")
    parser.add_argument("--part", choices=("export", "peer"), help=argparse.SUPPRESS)
    parser.add_argument("folder", nargs="?", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def set_up() -> None:
    import django

    django.setup()


def build(queries: int) -> None:
    """The desk's collection of the paper's size, with so many training queries and the arrays of their candidates."""
    from benchmarks.desk_releases import draw_training
    from benchmarks.desk_world import PAPER, SMALL, build_desk_world

    build_desk_world(NAME, size=PAPER if queries > 5_000 else SMALL)
    draw_training(NAME, queries=queries)


def run(part: str, folder: Path) -> dict[str, Any]:
    """One part in a process of its own, so that its peak memory is its own."""
    line = [sys.executable, __file__, "--part", part, str(folder)]
    told = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True).stdout
    return dict(json.loads(told.splitlines()[-1]))


def export(folder: Path) -> dict[str, Any]:
    """A whole release, as `export_release` makes it, and once more the training file alone, timed."""
    set_up()
    from corpus.models import Collection
    from datasets.content.snapshot import one_snapshot
    from datasets.content.splits import Splits, Training
    from datasets.formats.material import Material
    from datasets.formats.tvr_ranking import training_file_name, write_training
    from datasets.releases.make_release import create_release, write_release

    collection = Collection.objects.get(name=NAME)
    began = time.perf_counter()
    release = create_release(collection=collection, name="v1", depths=[DEPTH])
    write_release(release=release, folder=folder)
    whole = time.perf_counter() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    alone = folder.parent / "alone"
    alone.mkdir()
    with one_snapshot():
        splits = Splits(collection)
        training = Training(splits)
        began = time.perf_counter()
        write_training(Material(splits, training, alone, {}, (DEPTH,), lambda queries: None))
        seconds = time.perf_counter() - began
    name = training_file_name(DEPTH)
    assert (alone / name).read_bytes() == (folder / name).read_bytes()
    size = (folder / name).stat().st_size / 1e6
    return {
        "queries": len(training),
        "megabytes": round(size, 1),
        "training_s": round(seconds, 2),
        "training_mb_per_s": round(size / seconds, 1),
        "release_s": round(whole, 1),
        "peak_memory_mib": round(memory),
    }


def peer(folder: Path) -> dict[str, Any]:
    """The same records, parsed beforehand, written as orjson's bytes, one a line as ours."""
    set_up()
    import orjson

    from datasets.formats.tvr_ranking import training_file_name

    records = orjson.loads((folder / training_file_name(DEPTH)).read_bytes())
    began = time.perf_counter()
    with (folder.parent / "peer.json").open("wb") as file:
        file.write(b"[\n")
        file.write(b",\n".join(map(orjson.dumps, records)))
        file.write(b"\n]\n")
    return {"orjson_s": round(time.perf_counter() - began, 2)}


PARTS = {"export": export, "peer": peer}


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
