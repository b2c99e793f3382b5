"""A training's state in a file, from which it goes on as if it had never stopped."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from baselines.errors import BaselineError
from baselines.models.checkpoint import read_whole, write_whole
from baselines.models.interface import RetrievalModel
from baselines.training.optimizer import BertAdam

FORMAT = "qreels training 1"
FILE = "training.pt"


@dataclass
class TrainingProgress:
    """Where a training is.

    Attributes:
        step: steps done, over all epochs. best, best_step: the best validation so far. without_gain: validations since.
        summed, counted: losses since they were last told, by part, and of how many steps. log_bytes: the log's length.
        ended: why the training is over, or "".
    """

    step: int = 0
    best: float = -1.0
    best_step: int = 0
    without_gain: int = 0
    summed: dict[str, float] | None = None
    counted: int = 0
    log_bytes: int = 0
    ended: str = ""


def write_state(
    path: Path, *, about: dict[str, Any], progress: TrainingProgress, model: RetrievalModel, optimizer: BertAdam
) -> None:
    """Write everything that the rest of a training depends on."""
    write_whole(
        path,
        {
            "format": FORMAT,
            "about": about,
            "progress": asdict(progress),
            "weights": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "random": random_states(next(model.parameters()).device),
        },
    )


def read_state(
    path: Path, *, about: dict[str, Any], model: RetrievalModel, optimizer: BertAdam
) -> TrainingProgress | None:
    """Take up what a training left, None if there is nothing.

    Raises: BaselineError if it is of another training, or cut off.
    """
    if not path.exists():
        return None
    state = read_whole(path, FORMAT)
    # Of an earlier version, which had fewer settings: their defaults leave what a model does as it was.
    state["about"]["config"] = about["config"] | state["about"]["config"]
    if state["about"] != about:
        names = [name for name in {**about, **state["about"]} if about.get(name) != state["about"].get(name)]
        differing = "; ".join(f"{name} = {state['about'].get(name)}, not {about.get(name)}" for name in names)
        raise BaselineError(f"{path.parent}: found the training of something else ({differing}); name another folder")
    model.load_state_dict(state["weights"])
    optimizer.load_state_dict(state["optimizer"])
    set_random_states(state["random"], next(model.parameters()).device)
    return TrainingProgress(**state["progress"])


def random_states(device: torch.device) -> dict[str, torch.Tensor]:
    """The state of torch's generators that draw for a model on this device."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    elif device.type == "mps":
        states["mps"] = torch.mps.get_rng_state()
    return states


def set_random_states(states: dict[str, torch.Tensor], device: torch.device) -> None:
    """Put the generators back where they were."""
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)
    elif device.type == "mps" and "mps" in states:
        torch.mps.set_rng_state(states["mps"])
