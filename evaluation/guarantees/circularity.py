"""Whether a machine orders runs of its own family as people do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, nan

import numpy as np

from ..arrays import FloatArray
from ..guarantees.board import Board
from ..significance.agreement import kendall_tau_b, pair_signs

APART, RANKS = 0.1, 1.0
"""Differences of tau, and ranks, from which on one is warned."""


@dataclass(frozen=True, slots=True)
class Circularity:
    """How like people's order of the runs a machine's is, on the queries that people judged.

    `of_family`: the runs of the machine's family. `tau`, `tau_without`: Kendall's tau-b of all runs and without these,
    NaN where fewer than two runs are left or all are tied. `ranks_above`: by how many ranks the machine puts the
    family's runs above where people put them, their mean; NaN without any.
    """

    of_family: tuple[str, ...]
    tau: float
    tau_without: float
    ranks_above: float

    @property
    def suspect(self) -> bool:
        """Whether the machine orders its family's runs otherwise than the rest."""
        apart = self.tau_without - self.tau
        return bool(self.of_family) and (
            (isfinite(apart) and abs(apart) >= APART - 1e-9) or self.ranks_above >= RANKS - 1e-9
        )


def same_family(first: str, second: str) -> bool:
    """Whether two families are one, however they are written; none that is declared is none.

    >>> same_family("CLIP", " clip"), same_family("", "")
    (True, False)
    """
    own, other = (" ".join(name.split()).casefold() for name in (first, second))
    return bool(own) and own == other


def circularity(board: Board, families: Mapping[str, str], family: str) -> Circularity:
    """Compare the orders of a board's runs by people alone and by the machine alone.

    Args: families: run -> its family, "" or absent where none is declared. family: the machine's.
    Source: Clarke and Dietz, LLM-based relevance assessment still can't replace human relevance assessment (2024);
        Yang and Lin (2024) for judges and systems of one family.
    """
    people = np.array([own.people_only.estimate for own in board.runs])
    machine = np.array([own.machine_only for own in board.runs])
    own = np.array([same_family(families.get(run.run, ""), family) for run in board.runs], dtype=np.bool_)
    above = float((_ranks(people) - _ranks(machine))[own].mean()) if own.any() else nan
    names = tuple(run.run for run, is_own in zip(board.runs, own.tolist(), strict=True) if is_own)
    return Circularity(names, _tau(people, machine), _tau(people[~own], machine[~own]), above)


def _tau(first: FloatArray, second: FloatArray) -> float:
    return float(kendall_tau_b(pair_signs(first), pair_signs(second))) if len(first) > 1 else nan


def _ranks(values: FloatArray) -> FloatArray:
    """1 for the best; of equal values the mean of their ranks."""
    beyond = (values[None, :] > values[:, None]).sum(axis=1)
    ranks: FloatArray = 1 + beyond + ((values[None, :] == values[:, None]).sum(axis=1) - 1) / 2
    return ranks
