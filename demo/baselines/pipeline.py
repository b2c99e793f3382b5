"""From a release and its films to runs, by the commands of `python -m baselines`, each in a process of its own.

What is there already is left alone, so that whatever was stopped goes on.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from demo.faults import PartError

ROOT = Path(__file__).resolve().parents[2]
SMALL = (
    ("xml", ("--set", "hidden=96")),
    ("reloclnet", ("--set", "hidden=96")),
    ("conquer", ("--set", "hidden=96", "--set", "intermediate=384")),
    ("spr", ("--set", "hidden=96")),
)
"""For a collection of some hundred queries and two cores: the papers' are 256 to 768 wide."""
MODELS = tuple(model for model, _ in SMALL)
FLOORS = ("random-moments", "text-to-frame")


@dataclass(frozen=True)
class BaselinePlan:
    """What is trained and searched.

    Attributes: models, tops, seeds: each with each. how: more arguments of `train`, for all; how_by_top: for one N;
    how_by_model: for one model.
    splits: what is searched. videos_from: for a model that localises in another system's videos, that system; it stands
    before it in `models`.
    """

    models: tuple[str, ...]
    tops: tuple[int, ...]
    seeds: tuple[int, ...]
    how: tuple[str, ...] = ()
    how_by_top: tuple[tuple[int, tuple[str, ...]], ...] = ()
    how_by_model: tuple[tuple[str, tuple[str, ...]], ...] = SMALL
    splits: tuple[str, ...] = ("test",)
    videos_from: tuple[tuple[str, str], ...] = (("conquer", "xml"),)


def run_baselines(plan: BaselinePlan, *, release: Path, videos: Path, folder: Path) -> list[Path]:
    """Features of the films, models, and a run for each of them, the floors' among them.

    Args: folder: for features.h5, models/ and runs/. Raises: PartError if a command fails; it has said why.
    """
    features = folder / "features.h5"
    if not features.exists():
        call("features", videos, features, "--release", release)
    return [*_floors(plan, release, features, folder), *_models(plan, release, features, folder)]


def _floors(plan: BaselinePlan, release: Path, features: Path, folder: Path) -> Iterator[Path]:
    for floor in FLOORS:
        for seed in plan.seeds if floor == "random-moments" else plan.seeds[:1]:
            for split in plan.splits:
                run = folder / "runs" / f"{floor}-{split}-seed{seed}.jsonl"
                if not run.exists():
                    call("retrieve", floor, release, features, run, "--split", split, "--seed", seed)
                yield run


def _models(plan: BaselinePlan, release: Path, features: Path, folder: Path) -> Iterator[Path]:
    for seed in plan.seeds:
        for model in plan.models:
            for top in plan.tops:
                out = folder / "models" / f"{model}-top{top:02d}-seed{seed}"
                runs = [folder / "runs" / f"{model}-top{top:02d}-{split}-seed{seed}.jsonl" for split in plan.splits]
                if not all(run.exists() for run in runs):
                    first = dict(plan.videos_from).get(model)
                    where = ("--videos-from", folder / "models" / f"{first}-top{top:02d}-seed{seed}") if first else ()
                    how = (*plan.how, *dict(plan.how_by_top).get(top, ()), *dict(plan.how_by_model).get(model, ()))
                    call("train", model, release, features, out, "--top", top, "--seed", seed, *where, *how)
                    for split, run in zip(plan.splits, runs, strict=True):
                        call("retrieve", out, release, features, run, "--split", split, *where)
                yield from runs


def call(*arguments: object) -> None:
    """`python -m baselines ARGUMENTS...`. Raises: PartError if it fails."""
    line = [sys.executable, "-m", "baselines", *map(str, arguments)]
    print("python -m baselines " + " ".join(line[3:]), flush=True)
    ended = subprocess.run(line, cwd=ROOT, env=_environment(), check=False).returncode
    if ended:
        raise PartError(f"python -m baselines {arguments[0]} ended with exit code {ended}.")


def _environment() -> dict[str, str]:
    """The packaged encoders need no hub, and nothing is asked of one."""
    return os.environ | {"HF_HUB_OFFLINE": "1"}
