"""The losses to train with, by name."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from baselines.errors import BaselineError
from baselines.models.interface import Batch, Losses

Objective = Callable[[Losses, Batch], dict[str, Tensor]]
"""What a loss makes of the model's own: named parts, whose sum is what is minimised."""

PAPER = "paper"


def own_parts(losses: Losses, batch: Batch) -> dict[str, Tensor]:
    """The model's own loss with the paper's adaptation."""
    return losses.parts


OBJECTIVES: dict[str, Objective] = {PAPER: own_parts}
"""name -> objective. One that ranks videos otherwise leaves out the parts in `Losses.ranking` and adds its own, made of
`Losses.video_scores` and `Batch.relevance`."""


def objective_named(name: str) -> Objective:
    """Raises: BaselineError if there is none of this name."""
    if name not in OBJECTIVES:
        raise BaselineError(f"found the loss {name!r}, expected one of {', '.join(OBJECTIVES)}")
    return OBJECTIVES[name]
