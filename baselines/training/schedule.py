"""How long a training lasts, how its learning rate goes, and when it is validated."""

from __future__ import annotations

import math
from dataclasses import dataclass

from baselines.errors import BaselineError

PATIENCE = 10
WARM_UP = 0.01
BATCH_SIZE = 512
LEARNING_RATE = 1e-4


@dataclass(frozen=True)
class Schedule:
    """A training's course.

    Attributes:
        epochs: at most so many. evaluate_every: epochs between validations, 0.5 for two an epoch.
        batch_size: pairs in a step. learning_rate: the greatest. patience: the training ends after so many validations
        without gain.
    """

    epochs: int
    evaluate_every: float
    batch_size: int = BATCH_SIZE
    learning_rate: float = LEARNING_RATE
    patience: int = PATIENCE

    def __post_init__(self) -> None:
        """Raises: BaselineError if a value is out of range."""
        for name in ("epochs", "evaluate_every", "batch_size", "learning_rate", "patience"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise BaselineError(f"{name.replace('_', ' ')}: found {value}, expected a number above 0")

    def steps_of_epoch(self, pairs: int) -> int:
        """Steps in an epoch; the last may have fewer pairs."""
        return math.ceil(pairs / self.batch_size)

    def steps_between(self, pairs: int) -> int:
        """Steps from one validation to the next."""
        return max(1, round(self.steps_of_epoch(pairs) * self.evaluate_every))

    def rate(self, step: int, pairs: int) -> float:
        """The learning rate of a step, from 0: up in the first hundredth of all steps, then down to 0, linearly."""
        done = step / (self.epochs * self.steps_of_epoch(pairs))
        share = done / WARM_UP if done < WARM_UP else max(0.0, (1 - done) / (1 - WARM_UP))
        return self.learning_rate * share


def of_the_paper(top: int) -> tuple[int, float]:
    """Epochs and epochs between validations for N = ``top``.

    4,000, 200 and 100 epochs for N = 1, 20 and 40, validated every 20 epochs, once and twice an epoch (appendix C.1):
    4,000 / N and 20 / N, which is taken for every other N.

    >>> [of_the_paper(top) for top in (1, 20, 40)]
    [(4000, 20.0), (200, 1.0), (100, 0.5)]
    """
    return math.ceil(4000 / top), 20 / top
