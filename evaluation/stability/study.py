"""Input and output of a stability study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..measures import Measure
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..reading.judgments import Judgments
from ..scores.conventions import Convention
from ..scores.score_table import ScoreTable, score_table


@dataclass(frozen=True, eq=False)
class StabilityQuestion:
    """A study's input: the runs, and the number of random draws.

    Attributes: draws: subsets a size. test_sets: a level of label noise. annotator_draws:
    resampled sets of judgments. judgments: the raw ones, if there are any.
    """

    ground_truth: GroundTruth
    runs: Sequence[Run]
    measures: Sequence[Measure]
    convention: Convention
    draws: int = 5_000
    test_sets: int = 100
    annotator_draws: int = 200
    seed: int = 0
    judgments: Judgments | None = None

    @cached_property
    def table(self) -> ScoreTable:
        """The scores of all runs, computed once for all studies."""
        return score_table(self.ground_truth, self.runs, self.measures, convention=self.convention)

    @property
    def counted(self) -> str:
        """How many queries and systems, for captions."""
        return f"n = {self.table.values.shape[2]:,} queries, {len(self.runs)} systems"


@dataclass(frozen=True)
class StabilityAnswer:
    """Attributes: text: for people. data: for programs. figures: file name -> SVG."""

    heading: str
    text: str
    data: Any
    figures: dict[str, str] = field(default_factory=dict)
