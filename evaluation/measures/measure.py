"""Base classes of measures: values with declared parameters that score an alignment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from evaluation.alignment import Alignment, Threshold
from evaluation.arrays import BoolArray, FloatArray
from evaluation.errors import EvaluationError


@dataclass(frozen=True)
class Measure(ABC):
    """A measure. Its ``str`` is its written name, which `parse_measure` reads back.

    What all of them share: a query's moments are relevant from grade 1 on (``rel>=g`` changes
    it); an unjudged moment gains nothing; a query without predictions scores 0, and so does one
    without any relevant moment, unless the measure says otherwise.
    """

    @property
    def depth(self) -> int | None:
        """How many ranks are looked at; None for all."""
        return None

    @property
    def needs_times(self) -> bool:
        """False if only the ranking of the videos matters."""
        return True

    @abstractmethod
    def per_query(self, alignment: Alignment) -> FloatArray:
        """The value of each query of the alignment, shape (Q,); NaN where it is not defined."""

    def released(self) -> Measure:
        """This measure as the published TVR-Ranking code would compute it; see `conventions`."""
        return self


@dataclass(frozen=True, eq=False)
class JointRanking:
    """What one block of queries adds to a ranking of all queries' predictions together.

    Attributes: hit, score: shape (N,), by query and rank; relevant: how many could be found.
    """

    hit: BoolArray
    score: FloatArray
    relevant: int


@dataclass(frozen=True)
class RunMeasure(Measure):
    """A measure that exists for a whole run only, because it ranks all queries' predictions together."""

    def per_query(self, alignment: Alignment) -> FloatArray:
        """Raises: EvaluationError, always: there is no value of one query."""
        raise EvaluationError(f"{self} has no value per query: it ranks all predictions together")

    @abstractmethod
    def part(self, alignment: Alignment, *, answered_only: bool) -> JointRanking:
        """A block's share; ``answered_only`` leaves queries without predictions out of account."""

    @abstractmethod
    def of_run(self, parts: Sequence[JointRanking]) -> float:
        """The run's value from the shares of all its blocks, in order."""


@dataclass(frozen=True)
class OverlapMeasure(Measure):
    """A measure of the first K predictions that overlap enough, written ``NAME@K,IoU>=mu``.

    Relevant: grade >= `least_grade`, written ``rel>=g``. Raises: ValueError as `check_cutoff`.
    """

    NAME: ClassVar[str]

    cutoff: int
    iou: Threshold
    least_grade: float = 1.0

    def __post_init__(self) -> None:
        check_cutoff(self.cutoff)

    def __str__(self) -> str:
        return f"{self.NAME}@{self.cutoff},{self.iou}{suffix(self.least_grade)}"

    @property
    def depth(self) -> int | None:
        return self.cutoff

    def released(self) -> OverlapMeasure:
        return replace(self, iou=replace(self.iou, strict=True))


DEEPEST = 1_000_000


def check_cutoff(cutoff: int | None) -> None:
    """Raises: ValueError if a cutoff K is given that is not in 1..1,000,000."""
    if cutoff is not None and not 1 <= cutoff <= DEEPEST:
        raise ValueError(f"the cutoff K is at least 1 and at most {DEEPEST:,}, not {cutoff:,}")


def suffix(least_grade: float) -> str:
    """How a relevance boundary is written: nothing for the usual grade 1.

    >>> suffix(3)
    ',rel>=3'
    """
    return "" if least_grade == 1 else f",rel>={least_grade:g}"


def discount(depth: int) -> FloatArray:
    """1 / log2(rank + 1) for the ranks 1..depth, shape (depth,)."""
    return np.asarray(1.0 / np.log2(np.arange(2, depth + 2)), dtype=np.float64)
