"""The losses to train with, by name."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from baselines.errors import BaselineError
from baselines.models.interface import Batch, Losses
from baselines.training.names import PAPER, QUADLINEAR
from baselines.training.quadlinear import quadlinear

Objective = Callable[[Losses, Batch], dict[str, Tensor]]
"""What a loss makes of the model's own: named parts, whose sum is minimised."""


def own_parts(losses: Losses, batch: Batch) -> dict[str, Tensor]:
    """The model's own loss with the paper's adaptation."""
    return losses.parts


OBJECTIVES: dict[str, Callable[[Tensor], Objective]] = {
    PAPER: lambda similarities: own_parts,
    QUADLINEAR: quadlinear,
}
"""name -> what makes the objective, from the similarities of all training pairs, (M,).

One that ranks videos otherwise leaves out the parts in `Losses.ranking` and adds its own, made of `Losses.video_scores`
and `Batch.relevance`, both (Q, V).
"""


def objective_named(name: str, similarities: Tensor) -> Objective:
    """Raises: BaselineError if there is none of this name."""
    if name not in OBJECTIVES:
        raise BaselineError(f"found the loss {name!r}, expected one of {', '.join(OBJECTIVES)}")
    return OBJECTIVES[name](similarities)
