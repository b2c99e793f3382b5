"""``retrieve``: a run for a split, by a trained model or a floor."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.device import DEVICES
from baselines.errors import BaselineError
from baselines.floors import random_moments, text_to_frame
from evaluation.formats.system_names import SPLITS

if TYPE_CHECKING:
    from baselines.features.interface import Features
    from baselines.reading.release import Release
    from evaluation.moments.run import Run

NAME = "retrieve"
HELP = "Search the whole corpus for a split's queries, and write a run with its manifest."
FLOORS = (random_moments.NAME, text_to_frame.NAME)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "checkpoint", metavar="CHECKPOINT", help=f"what train made, or a floor without training: {', '.join(FLOORS)}"
    )
    parser.add_argument("release", type=Path, metavar="RELEASE", help="the release's folder")
    parser.add_argument("features", type=Path, metavar="FEATURES", help="what features made, or a JSON file")
    parser.add_argument(
        "run",
        type=Path,
        metavar="RUN",
        help="the file to write; for the table name it SYSTEM-topN-SPLIT-seedS.jsonl",
    )
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument("--depth", type=int, default=100, metavar="K", help="moments a query (100)")
    parser.add_argument(
        "--videos",
        type=int,
        default=100,
        metavar="V",
        help="videos in which a model looks for a query's moments (100); spr looks around the segments that it was "
        "trained to find",
    )
    parser.add_argument(
        "--videos-from",
        type=Path,
        metavar="PATH",
        help="for conquer, which localises in another system's videos: what train made of that, or its run",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="S", help=f"of {random_moments.NAME} (1)")
    parser.add_argument("--device", choices=DEVICES, default="auto", help="(auto: CUDA, else MPS, else the CPU)")


def perform(options: Namespace) -> None:
    """Search and write."""
    from baselines.features.opening import open_features, require_fit
    from baselines.reading.release import read_release
    from baselines.runs import run_manifest, told_of, write_run

    for name in ("depth", "videos"):
        if getattr(options, name) < 1:
            raise BaselineError(f"--{name}: found {getattr(options, name)}, expected 1 or more")
    release = read_release(options.release)
    features = open_features(options.features)
    require_fit(features, release.durations, release.folder)
    if options.checkpoint not in FLOORS:
        run = _by_a_model(options, release, features)
        print(told_of(options.run, run))
        return
    if options.checkpoint == random_moments.NAME:
        run = random_moments.random_moments(
            release, features, split=options.split, seed=options.seed, depth=options.depth
        )
    else:
        run = text_to_frame.text_to_frame(release, features, split=options.split, depth=options.depth)
    manifest = run_manifest(
        release, system=options.checkpoint, split=options.split, seed=options.seed, features=features.manifest
    )
    write_run(options.run, run, manifest)
    print(told_of(options.run, run))


def _by_a_model(options: Namespace, release: Release, features: Features) -> Run:
    checkpoint = Path(options.checkpoint)
    if not checkpoint.exists():
        raise BaselineError(
            f"found no checkpoint {options.checkpoint!r}, expected what train made, or one of {', '.join(FLOORS)}"
        )
    from tqdm import tqdm

    from baselines.device import device_named
    from baselines.retrieval.search import SearchSettings
    from baselines.retrieval.trained import retrieve
    from baselines.training import log

    folder = checkpoint if checkpoint.is_dir() else checkpoint.parent
    with tqdm(unit=" blocks", mininterval=0.5, delay=0.5) as bar:

        def told(walk: str, done: int, of: int) -> None:
            if bar.desc != f"{walk}: ":
                bar.set_description(walk)
            bar.total, bar.n = of, done
            bar.refresh()

        return retrieve(
            checkpoint,
            release,
            features,
            options.run,
            split=options.split,
            device=device_named(options.device),
            settings=SearchSettings(videos=options.videos, moments=options.depth),
            log=log.read_log(folder / log.FILE),
            videos_from=options.videos_from,
            told=told,
        )
