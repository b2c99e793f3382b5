"""``embed-run``: a run by vectors that any model made elsewhere."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from pathlib import Path

from baselines.errors import BaselineError
from evaluation.formats.system_names import SPLITS

NAME = "embed-run"
HELP = "Rank moments for a split's queries by vectors that any model made (NPZ, HDF5, Parquet), and write a run."
SIMILARITIES = ("cosine", "dot")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("release", type=Path, metavar="RELEASE", help="the release's folder")
    parser.add_argument("run", type=Path, metavar="RUN", help="the file to write, such as SYSTEM-SPLIT-seedS.jsonl")
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument(
        "--moments", type=Path, metavar="FILE", required=True,
        help="video_name, start, end, vector; or an array for each video, one row a clip",
    )  # fmt: skip
    parser.add_argument(
        "--queries", type=Path, metavar="FILE", required=True,
        help="query_id, vector; or a vector for each query, named by its id",
    )  # fmt: skip
    parser.add_argument("--model", metavar="NAME", help="what made the vectors, for the run's manifest")
    parser.add_argument("--similarity", choices=SIMILARITIES, default="cosine", help="(cosine)")
    parser.add_argument(
        "--clip-seconds", type=float, metavar="S", help="a clip's length, where moments are an array for each video"
    )
    parser.add_argument(
        "--windows", type=float, nargs="*", metavar="S",
        help="rank windows of these lengths that slide over clips; without a length those that text-to-frame takes",
    )  # fmt: skip
    parser.add_argument(
        "--nms", type=float, metavar="IOU", help="leave out what a better moment of its video overlaps by this IoU"
    )
    parser.add_argument("--depth", type=int, default=100, metavar="K", help="moments a query (100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the model, for the manifest (1)")


def perform(options: Namespace) -> None:
    """Rank and write."""
    seconds, overlap, lengths = options.clip_seconds, options.nms, options.windows
    for name, found, good, expected in (
        ("--depth", options.depth, options.depth >= 1, "1 or more"),
        ("--clip-seconds", seconds, seconds is None or 0 < seconds < math.inf, "seconds above 0"),
        ("--nms", overlap, overlap is None or 0 < overlap <= 1, "an IoU above 0, at most 1"),
        ("--windows", lengths, all(0 < length < math.inf for length in lengths or ()), "seconds above 0"),
    ):
        if not good:
            raise BaselineError(f"{name}: found {found}, expected {expected}")

    from baselines.floors import embeddings
    from baselines.floors.text_to_frame import window_lengths
    from baselines.reading.release import read_release
    from baselines.reading.vectors import read_moment_vectors, read_query_vectors
    from baselines.runs import digest_of_file, run_manifest, told_of, write_run

    release = read_release(options.release)
    queries = release.queries(options.split)
    moments = read_moment_vectors(options.moments, release.durations, clip_seconds=seconds)
    texts = read_query_vectors(options.queries, [query.query_id for query in queries])
    if lengths == []:
        lengths = window_lengths(release)
    run = embeddings.embedding_run(
        list(release.durations),
        moments,
        queries,
        texts,
        depth=options.depth,
        cosine=options.similarity == "cosine",
        lengths=lengths or (),
        overlap=overlap,
    )
    features = {
        "format": "made elsewhere",
        "name": options.model,
        "files": {
            kind: {"name": path.name, "sha256": digest_of_file(path)}
            for kind, path in (("moments", options.moments), ("queries", options.queries))
        },
        "dimensions": {"shared": texts.shape[1]},
        "clip_seconds": seconds,
    }
    search = {"similarity": options.similarity, "windows": lengths, "nms": overlap, "depth": options.depth}
    manifest = run_manifest(
        release,
        system=embeddings.NAME if options.model is None else options.model,
        split=options.split,
        seed=options.seed,
        features=features,
        more={"search": search},
    )
    write_run(options.run, run, manifest)
    print(told_of(options.run, run))
