"""``train``: a model on a release's pseudo-training set."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.device import DEVICES
from baselines.errors import BaselineError
from baselines.models.registry import MODELS, model_named
from baselines.progress import shown_on
from baselines.training.names import LOSSES
from baselines.training.schedule import BATCH_SIZE, LEARNING_RATE, PATIENCE, Schedule, of_the_paper

if TYPE_CHECKING:
    import torch

    from baselines.features.interface import Features
    from baselines.reading.release import Release
    from baselines.retrieval.candidates import Candidates
    from baselines.training.loop import TrainingSettings, TrainingStep

NAME = "train"
HELP = "Train a model on a release; the same command goes on with one that was stopped."

CANDIDATES_FILE = "candidates.npz"
"""In OUT: the videos that the other system found, for a model that localises in them."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("model", choices=MODELS, metavar="MODEL", help=", ".join(MODELS))
    parser.add_argument("release", type=Path, metavar="RELEASE", help="the release's folder")
    parser.add_argument("features", type=Path, metavar="FEATURES", help="what features made, or a JSON file")
    parser.add_argument("out", type=Path, metavar="OUT", help="a folder for the model, its log and its curve")
    parser.add_argument("--top", type=int, required=True, metavar="N", help="moments of each pseudo-training query")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="(1)")
    parser.add_argument("--loss", choices=LOSSES, default=LOSSES[0], help=f"({LOSSES[0]}: the model's own, adapted)")
    parser.add_argument("--epochs", type=int, metavar="E", help="at most (4000 / N: the paper's 4000, 200, 100)")
    parser.add_argument(
        "--evaluate-every", type=float, metavar="E", help="epochs between validations (20 / N: the paper's 20, 1, 0.5)"
    )
    parser.add_argument(
        "--patience",
        type=int,
        default=PATIENCE,
        metavar="V",
        help=f"validations without gain before the end ({PATIENCE})",
    )
    parser.add_argument(
        "--batch-size", type=int, metavar="B", help=f"pairs a step ({BATCH_SIZE}; xml: 128, spr: 256, conquer: 16)"
    )
    parser.add_argument("--lr", type=float, default=LEARNING_RATE, metavar="R", help=f"({LEARNING_RATE:g})")
    parser.add_argument(
        "--videos-from",
        type=Path,
        metavar="PATH",
        help="for conquer, which localises in another system's videos: what train made of that, or its run of all "
        "queries that are trained on and validated",
    )
    parser.add_argument("--video-only", action="store_true", help="leave out subtitles where there are any")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the model, such as hidden=128 (the paper's own)",
    )
    parser.add_argument("--device", choices=DEVICES, default="auto", help="(auto: CUDA, else MPS, else the CPU)")


def perform(options: Namespace) -> None:
    """Train, and say what came of it."""
    if options.top < 1:
        raise BaselineError(f"--top: found {options.top}, expected 1 or more")
    epochs, evaluate_every = of_the_paper(options.top)
    batch_size = options.batch_size
    if batch_size is None:
        batch_size = model_named(options.model).own_batch_size or BATCH_SIZE
    schedule = Schedule(
        epochs=epochs if options.epochs is None else options.epochs,
        evaluate_every=evaluate_every if options.evaluate_every is None else options.evaluate_every,
        batch_size=batch_size,
        learning_rate=options.lr,
        patience=options.patience,
    )
    chosen = settings_of(options.set)

    from tqdm import tqdm

    from baselines.device import device_named
    from baselines.features.opening import open_features, require_fit
    from baselines.models.checkpoint import config_of
    from baselines.reading.release import read_release
    from baselines.training.loop import Trainer, TrainingSettings

    release = read_release(options.release)
    features = open_features(options.features)
    require_fit(features, release.durations, release.folder)
    settings = TrainingSettings(
        model=options.model,
        config=config_of(model_named(options.model), chosen),
        top=options.top,
        seed=options.seed,
        schedule=schedule,
        loss=options.loss,
        with_subtitles=features.subtitle_size is not None and not options.video_only,
    )
    device = device_named(options.device)
    candidates = candidates_of(
        options.videos_from, settings, release, features, device, kept=options.out / CANDIDATES_FILE
    )
    trainer = Trainer(settings, release, features, options.out, device=device, candidates=candidates)
    begun = time.monotonic()
    first = trainer.progress.step
    with tqdm(desc=f"{options.model} on {device}", unit=" steps", initial=first, mininterval=0.5) as bar:
        show = shown_on(bar)

        def told(step: TrainingStep) -> None:
            best = f", best {step.best:.4f}" if step.best >= 0 else ""
            bar.set_postfix_str(f"epoch {step.epoch:.1f}, loss {step.loss:.4f}{best}", refresh=False)
            show(step.done, step.of)

        outcome = trainer.run(told)
    print(
        f"{outcome.model}: NDCG@20,IoU>=0.5 {outcome.best:.4f} on val after step {outcome.best_step} of "
        f"{outcome.steps} ({outcome.ended}), {time.monotonic() - begun:.0f} s"
    )


def candidates_of(
    source: Path | None,
    settings: TrainingSettings,
    release: Release,
    features: Features,
    device: torch.device,
    *,
    kept: Path,
) -> Candidates | None:
    """What the other system found for the queries that are trained on and validated; None for a model without one.

    Args: kept: where a model's finds are kept, so that a start after the first takes them from there.
    Raises: BaselineError if the model needs one and none is named, or one is named and not needed.
    """
    from tqdm import tqdm

    from baselines.models.interface import retriever_config
    from baselines.retrieval.candidates import candidates_from, require_videos_from

    require_videos_from(model_named(settings.model), source)
    if source is None:
        return None
    queries = [*release.training_of(settings.top).queries, *release.queries("val")]
    features.prepare_words([query.text for query in queries])
    # Negatives come from `pool` videos after a pair's own, which may stand after all others that are paired.
    config = retriever_config(settings.config)
    depth = max(config.candidates, config.pool + 100 + settings.top)
    with tqdm(desc=f"videos from {source.name}", unit=" blocks", mininterval=0.5, delay=0.5) as bar:
        show = shown_on(bar)
        return candidates_from(
            source,
            queries,
            features,
            release.durations,
            depth=min(depth, len(release.durations)),
            device=device,
            kept=kept,
            told=lambda _, done, of: show(done, of),
        )


def settings_of(pairs: list[str]) -> dict[str, Any]:
    """``NAME=VALUE`` as values; numbers, true and false as JSON has them.

    Raises: BaselineError for anything else.

    >>> settings_of(["hidden=128", "margin=0.2"])
    {'hidden': 128, 'margin': 0.2}
    """
    values = {}
    for pair in pairs:
        name, equals, written = pair.partition("=")
        try:
            values[name] = json.loads(written)
        except ValueError:
            equals = ""
        if not equals:
            raise BaselineError(f"--set: found {pair!r}, expected NAME=VALUE with a number, such as hidden=128")
    return values
