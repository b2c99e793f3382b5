"""The exact search over vectors on disk: seconds, peak memory and growth by size, beside faiss.

    python benchmarks/search.py                                  # 10^5 texts, 10,000 queries: minutes on two cores
    python benchmarks/search.py --texts 100000 1000000           # growth; 10^7 needs 17 GB of disk
    python benchmarks/search.py --approximate 0.9                # beside the approximate search
    python benchmarks/search.py --captions FILE --approximate 0.9   # vectors of real descriptions' words
    python benchmarks/search.py --small

Vectors of 384 numbers, float32, in clusters as in `benchmarks/candidates.py`, are generated shard by shard into files
and never all in memory. Each size is searched by a process of its own, cell by cell, as a worker does it
(`queries.retrieval.distributed_search`), and its peak memory is what the system says of it. At the smallest size
`faiss.knn` takes turns with it, with all vectors in memory. Every query's result there, and that of a sample of queries
at other sizes, has to be faiss's, put in order by similarities in float64 where its float32 can't tell them apart. The
last line is one JSON object; `ratios` are our time by faiss's, and `exponent` that of seconds of processor by texts.

With `--captions FILE`, descriptions as TVR has them, the vectors are those that the packaged encoder gives to as many
sentences, each of two halves of descriptions (`benchmarks/worlds/captions.py`), which takes it some 4 ms each.
The peak memory at the smallest size is then with faiss's vectors.

With `--approximate RECALL` each size is searched by indexes as well (`queries.retrieval.approximate_search`), in a
process of its own: what making the indexes and searching took, once, the recall over all queries that the effort wasn't
chosen by, and the peak of that process.
"""

import argparse
import hashlib
import itertools
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, figure, parser, peak_memory, report, say
from benchmarks.worlds.vectors import WIDTH, make_part

K, SHARD = 40, 65_536
PEER = "faiss.knn"
CHECKED_AT_ONCE = 500


def write_shards(folder: Path, texts: int, seed: int) -> None:
    """`vectors-NUMBER.npy` below the folder: unit rows, the first shard's clusters among those of all others."""
    for number, first in enumerate(range(0, texts, SHARD)):
        vectors = make_part(min(SHARD, texts - first), number=number, texts=texts, seed=seed)
        np.save(folder / f"vectors-{number}.npy", vectors.astype("<f4"))


def write_encoded(folder: Path, texts: int, seed: int, path: Path) -> None:
    """The same of sentences of a file's descriptions, by the packaged encoder."""
    from benchmarks.worlds.captions import joined_captions
    from queries.retrieval.encoder import Encoder

    encoder, captions = Encoder(precision="auto"), joined_captions(path, texts, seed)
    for number, first in enumerate(range(0, texts, SHARD)):
        part = list(itertools.islice(captions, min(SHARD, texts - first)))
        np.save(folder / f"vectors-{number}.npy", encoder.encode(part).astype("<f4"))


def query_rows(texts: int, queries: int, seed: int) -> np.ndarray:
    """The texts that are searched for, ascending."""
    return np.sort(np.random.default_rng(seed).choice(texts, queries, replace=False))


def read_rows(folder: Path, rows: np.ndarray) -> np.ndarray:
    """These texts' vectors, float32 (n, WIDTH)."""
    vectors = np.empty((len(rows), WIDTH), dtype=np.float32)
    for number in np.unique(rows // SHARD).tolist():
        inside = rows // SHARD == number
        vectors[inside] = np.load(folder / f"vectors-{number}.npy", mmap_mode="r")[rows[inside] % SHARD]
    return vectors


def search_here(options: argparse.Namespace) -> None:
    """In a process of its own: search one size as a worker does, and print its figures."""
    folder, texts = Path(options.part), options.texts[0]
    set_up(folder, options.memory_mb)
    from queries.retrieval.distributed_search import Cell, search_block
    from queries.retrieval.search_plan import PlanWriter, read_plan

    (folder / "plan").mkdir(exist_ok=True)
    plan = PlanWriter(folder / "plan", k=K, block=options.block)
    for number, first in enumerate(range(0, texts, SHARD)):
        with (folder / f"vectors-{number}.npy").open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        rows = np.arange(min(SHARD, texts - first))
        offsets = np.arange(len(rows) + 1)
        shape = {"places": rows, "texts": rows + first, "moments": rows + first, "captions": rows + first}
        plan.add_shard(f"vectors-{number}.npy", sha256, offsets=offsets, **shape)
    rows = query_rows(texts, options.queries, options.seed)
    plan.queries(len(rows), WIDTH)[:] = read_rows(folder, rows)
    job = plan.store("search")
    (folder / "job").write_text(job)
    stored = read_plan(job)

    def search_all() -> None:
        for path in (folder / job).glob("found-*"):
            path.unlink()
        for first, last in stored.blocks():
            search_block(Cell(job=job, shards=[0, len(stored.shards)], first=first, last=last))

    turns = Turns()
    contenders = {OURS: search_all}
    if options.faiss:
        import faiss

        vectors = np.concatenate([np.load(path) for path in _shard_files(folder, texts)])
        asked = read_rows(folder, rows)

        def knn() -> None:
            for first in range(0, len(asked), options.block):
                faiss.knn(asked[first : first + options.block], vectors, K, metric=faiss.METRIC_INNER_PRODUCT)

        contenders[PEER] = knn
    first, last = stored.blocks()[0]
    search_block(Cell(job=job, shards=[0, 1], first=first, last=last))  # compiles and loads; it isn't timed
    turns.take_all(contenders, rounds=options.rounds)
    results = [np.load(folder / job / f"found-0-{len(stored.shards)}-{first}.npz") for first, _ in stored.blocks()]
    np.savez(
        folder / "found.npz",
        moments=np.concatenate([result["moments"] for result in results]),
        units=np.concatenate([result["units"] for result in results]),
    )
    print(json.dumps({"spent": {n: [[t.wall, t.processor] for t in s] for n, s in turns.spent.items()},
                      "peak": peak_memory()}))  # fmt: skip


def set_up(folder: Path, memory_mb: int) -> None:
    """Django with the folder as its storage."""
    os.environ.update({"DJANGO_SETTINGS_MODULE": "config.settings", "QREELS_VAR": str(folder / "var")})
    os.environ["QREELS_SEARCH_MEMORY_MB"] = str(memory_mb)
    import django

    django.setup()
    from django.conf import settings

    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder}},
    }


def search_approximately_here(options: argparse.Namespace) -> None:
    """In a process of its own: the same search by indexes, run by run as a worker does it, and print its figures."""
    folder = Path(options.part)
    set_up(folder, options.memory_mb)
    import faiss

    from queries.retrieval import approximate_search, vector_indexes
    from queries.retrieval.running_best import Best
    from queries.retrieval.search_plan import read_plan, read_queries

    job = (folder / "job").read_text()
    plan, exact = read_plan(job), np.load(folder / "found.npz")["moments"]
    runs, turns = vector_indexes.index_runs(plan.shards), Turns()

    def make() -> None:
        for first, last in runs:
            files = [folder / shard.vectors_file for shard in plan.shards[first:last]]
            vectors = [partial(np.load, file, mmap_mode="r") for file in files]
            np.save(folder / f"index-{first}.npy", faiss.serialize_index(vector_indexes.trained_index(vectors)))

    def near(queries: np.ndarray, effort: approximate_search.Effort) -> np.ndarray:
        best = Best.none_yet(len(queries), K)
        for first, last in runs:
            index = faiss.deserialize_index(np.load(folder / f"index-{first}.npy"))
            run = approximate_search.IndexedRun(job, first, plan.shards[first:last], index)
            run.search(best, queries, effort.probes, effort.shortlist * K)
        return best.moments

    turns.take("making the indexes", make)
    sample = np.arange(0, len(exact), max(2, len(exact) // 200))
    asked = np.concatenate([read_queries(job, first) for first, _ in plan.blocks()])
    for effort in approximate_search.EFFORTS:
        reached = approximate_search.recall(exact[sample], near(asked[sample], effort))
        say(f"effort {effort}: recall {reached:.3f} of the sample")
        if reached >= options.approximate:
            break
    everything = [asked[first:last] for first, last in plan.blocks()]
    found_all: list[np.ndarray] = []
    turns.take("searching by them", lambda: found_all.extend(near(block, effort) for block in everything))
    others = np.setdiff1d(np.arange(len(exact)), sample)
    figures = {
        "recall": figure(approximate_search.recall(exact[others], np.concatenate(found_all)[others])),
        "probes": effort.probes,
        "shortlist": effort.shortlist * K,
        "seconds": {name: figure(turns.wall(name)) for name in turns.spent},
        "processor_seconds": {name: figure(turns.processor(name)) for name in turns.spent},
        "index_mib": figure(sum(path.stat().st_size for path in folder.glob("index-*.npy")) / 2**20),
        "peak_mib": figure(float(peak_memory())),
    }
    print(json.dumps(figures))


def _shard_files(folder: Path, texts: int) -> list[Path]:
    return [folder / f"vectors-{number}.npy" for number in range(math.ceil(texts / SHARD))]


def wrong_queries(folder: Path, texts: int, queries: int, seed: int, checked: int) -> int:
    """How many of a sample of queries faiss, in float32 and shard by shard, and float64 where it can't tell, order
    otherwise."""
    import faiss

    from queries.retrieval.search_kernels import similarity_units

    results = np.load(folder / "found.npz")
    rows = query_rows(texts, queries, seed)
    sample = np.sort(np.random.default_rng(seed + 1).choice(len(rows), min(checked, len(rows)), replace=False))
    asked = read_rows(folder, rows[sample])
    deep = 2 * K
    best = (np.full((len(sample), 0), 0, dtype=np.float32), np.zeros((len(sample), 0), dtype=np.int64))
    for number, path in enumerate(_shard_files(folder, texts)):
        near, places = faiss.knn(asked, np.load(path), deep, metric=faiss.METRIC_INNER_PRODUCT)
        scores, ids = np.hstack([best[0], near]), np.hstack([best[1], places + number * SHARD])
        order = np.argsort(-scores, axis=1, kind="stable")[:, :deep]
        best = np.take_along_axis(scores, order, axis=1), np.take_along_axis(ids, order, axis=1)
    wrong = 0
    for place, row in enumerate(sample.tolist()):
        if place % CHECKED_AT_ONCE == 0:
            vectors = read_rows(folder, best[1][place : place + CHECKED_AT_ONCE].ravel()).reshape(-1, deep, WIDTH)
        # faiss's nearest, twice as many as are compared, put in order by their similarity in float64 and their ids.
        units = np.array([similarity_units(asked[place], text) for text in vectors[place % CHECKED_AT_ONCE]])
        order = np.lexsort((best[1][place], -units))[:K]
        same = np.array_equal(results["moments"][row], best[1][place][order])
        wrong += not (same and np.array_equal(results["units"][row], units[order]))
    return wrong


def measure(options: argparse.Namespace, texts: int, *, faiss: bool | None) -> dict[str, Any]:
    """One size: written, searched in a process of its own, compared, removed.

    Args: faiss: whether it takes turns; None: it is searched once more for its memory alone.
    """
    folder = Path(tempfile.mkdtemp(prefix="qreels-search-", dir=options.folder or None))
    try:
        if options.captions:
            write_encoded(folder, texts, options.seed, options.captions)
        else:
            write_shards(folder, texts, options.seed)
        say(f"{texts:,} texts are written")
        line = [sys.executable, __file__, "--part", str(folder), "--texts", str(texts)]
        for name in ("seed", "queries", "memory_mb", "block", "rounds"):
            line += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
        line += ["--faiss"] if faiss else []
        figures = _said(line)
        if options.approximate and faiss is not None:
            figures["approximate"] = _said([*line, "--approximate", str(options.approximate)])
        checked = options.queries if faiss else options.checked
        wrong = wrong_queries(folder, texts, options.queries, options.seed, checked)
        return {**figures, "checked": checked, "wrong": wrong}
    finally:
        shutil.rmtree(folder)


def _said(line: list[str]) -> dict[str, Any]:
    done = subprocess.run(line, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    options = read_options()
    if options.part:
        (search_approximately_here if options.approximate else search_here)(options)
        return
    sizes = sorted(options.texts)
    by_texts = {texts: measure(options, texts, faiss=texts == sizes[0]) for texts in sizes}
    # What faiss holds is no part of ours; a small run says no more by doing all of it again, nor one that encodes.
    alone = by_texts[sizes[0]] if options.small or options.captions else measure(options, sizes[0], faiss=None)
    turns: dict[int, Turns] = {}
    for texts, figures in by_texts.items():
        turns[texts] = Turns()
        for name, spent in figures["spent"].items():
            for wall, processor in spent:
                turns[texts].add(name, wall, processor)
        own = turns[texts]
        say(f"{texts:>12,} texts: {own.wall(OURS):8.1f} s, {own.processor(OURS):8.1f} s of processor")
    peaks = {texts: (alone if texts == sizes[0] else figures)["peak"] for texts, figures in by_texts.items()}
    growth = {}
    for less, more in itertools.pairwise(sizes):
        times = turns[more].processor(OURS) / turns[less].processor(OURS)
        growth[f"{less} to {more}"] = figure(math.log(times) / math.log(more / less))
    report(
        {
            "benchmark": "search",
            "queries": options.queries,
            "k": K,
            "memory_mb": options.memory_mb,
            "seconds_by_texts": {texts: figure(own.wall(OURS)) for texts, own in turns.items()},
            "processor_seconds_by_texts": {texts: figure(own.processor(OURS)) for texts, own in turns.items()},
            "peak_mib_by_texts": {texts: figure(float(str(peak))) for texts, peak in peaks.items()},
            "exponent": growth,
            "checked": {texts: figures["checked"] for texts, figures in by_texts.items()},
            "wrong": {texts: figures["wrong"] for texts, figures in by_texts.items()},
            **(
                {"approximate": {texts: figures["approximate"] for texts, figures in by_texts.items()}}
                if options.approximate
                else {}
            ),
            **turns[sizes[0]].figures(),
        }
    )
    if any(figures["wrong"] for figures in by_texts.values()):
        raise SystemExit(1)


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--texts", type=int, nargs="+", default=[100_000])
    arguments.add_argument("--queries", type=int, default=10_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--block", type=int, default=8192, help="queries a cell")
    arguments.add_argument("--memory-mb", type=int, default=2048, help="QREELS_SEARCH_MEMORY_MB")
    arguments.add_argument("--checked", type=int, default=100, help="queries compared with faiss at larger sizes")
    arguments.add_argument("--approximate", type=float, default=0, metavar="RECALL", help="search by indexes as well")
    arguments.add_argument(
        "--captions", type=Path, metavar="FILE", help="TVR descriptions, whose sentences are encoded"
    )
    arguments.add_argument("--folder", default="", help="where the vectors are written; 1.6 kB a text")
    arguments.add_argument("--seed", type=int, default=7)
    arguments.add_argument("--part", default="", help=argparse.SUPPRESS)
    arguments.add_argument("--faiss", action="store_true", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.small:
        options.texts, options.queries, options.rounds, options.checked = [4_000], 200, 1, 20
    return options


if __name__ == "__main__":
    main()
