"""Systems in order, with what tells them apart: intervals, groups, and every pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np

from ..arrays import FloatArray
from ..errors import EvaluationError
from ..formats.table import Cell, Interval, Table
from ..significance.many_pairs import holm, randomised_tukey
from ..significance.paired import effect_sizes, paired_t_test
from ..significance.resampling import (
    bootstrap_interval,
    bootstrap_of_pairs,
    pair_places,
    randomisation_of_pairs,
)

SIGNIFICANT = 0.05
"""A p-value below this tells two systems apart, unless another bound is asked for."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One system.

    Attributes: place: 1 for the highest mean; equal means share one. low, high: bootstrap interval of the mean.
    groups: the groups it is in, numbered from 0 for the best: two systems that share one can't be told apart, two
    that share none can. top: whether it can't be told from the system with the highest mean.
    """

    system: str
    place: int
    mean: float
    low: float
    high: float
    groups: tuple[int, ...]
    top: bool

    @property
    def letters(self) -> str:
        """The system's groups as letters, a for the best, z before aa: ``a b``; three or more as a range, ``a-c``."""
        shown = [letter(group) for group in self.groups]
        return " ".join(shown) if len(shown) < 3 else f"{shown[0]}-{shown[-1]}"


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Two systems, the better one first.

    Attributes: difference: of their means, >= 0. low, high: its bootstrap interval. effect: Cohen's d of the paired
    differences. randomisation: the p-value of this pair alone, and holm: corrected for all pairs; t_test: by Student.
    tukey: by the randomised Tukey HSD over all systems, which makes the groups.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    effect: float
    randomisation: float
    holm: float
    t_test: float
    tukey: float


@dataclass(frozen=True, slots=True)
class Standings:
    """All systems on one measure, best first, and their pairs in the same order. `queries`: over how many."""

    queries: int
    systems: tuple[Standing, ...]
    pairs: tuple[SystemPair, ...]


def stand(
    values: FloatArray,
    names: Sequence[str],
    *,
    draws: int = 10_000,
    significant: float = SIGNIFICANT,
    seed: int = 0,
) -> Standings:
    """Order systems by their means over the same queries and say which can't be told apart.

    Equal means keep the given order. Bootstrap, randomisation test and Tukey draw from `seed`, `seed` + 1 and
    `seed` + 2, so that intervals and p-values of a pair are those of `evaluation.significance.comparison.compare`.

    Args: values: shape (Q, S), a column a system in the order of `names`. Queries with a NaN are left out for all.
    Returns: `Standings`; a single system has no pair and is in group 0.
    Raises: EvaluationError if no query is left, or values and names don't fit.
    """
    if values.ndim != 2 or values.shape[1] != len(names) or not names:
        raise EvaluationError(f"found values of shape {values.shape}, expected (queries, {len(names)} systems)")
    whole = values[~np.isnan(values).any(axis=1)]
    if not len(whole):
        raise EvaluationError("no query has a value for every system")
    means = whole.mean(axis=0)
    order = np.argsort(-means, kind="stable")
    whole, means, ordered = whole[:, order], means[order], [names[place] for place in order]
    low, high = bootstrap_interval(whole, draws=draws, seed=seed)
    tukey = randomised_tukey(whole, draws=draws, seed=seed + 2)
    groups = groups_of(tukey, len(ordered), significant=significant)
    members = [
        tuple(number for number, (start, end) in enumerate(groups) if start <= place <= end)
        for place in range(len(ordered))
    ]
    systems = tuple(
        Standing(
            name,
            int(np.count_nonzero(means > means[place])) + 1,
            float(means[place]),
            float(low[place]),
            float(high[place]),
            members[place],
            0 in members[place],
        )
        for place, name in enumerate(ordered)
    )
    return Standings(len(whole), systems, _pairs(whole, ordered, tukey, draws=draws, seed=seed))


def groups_of(p_values: FloatArray, systems: int, *, significant: float = SIGNIFICANT) -> list[tuple[int, int]]:
    """The largest groups of systems, best first, of which no two differ significantly: first and last place of each.

    The p-values fall as the difference of means grows, so that a group is a stretch of the order.

    Args: p_values: of all pairs of systems that are ordered by their means, in the order of `itertools.combinations`.

    >>> groups_of(np.array([0.5, 0.01, 0.2]), 3)
    [(0, 1), (1, 2)]
    """
    apart = np.zeros((systems, systems), dtype=np.bool_)
    first, second = pair_places(systems)
    apart[first, second] = p_values < significant
    groups: list[tuple[int, int]] = []
    for start in range(systems):
        beyond = np.flatnonzero(apart[start, start + 1 :])
        end = start + int(beyond[0]) if len(beyond) else systems - 1
        if not groups or end > groups[-1][1]:
            groups.append((start, end))
    return groups


def _pairs(
    whole: FloatArray, names: Sequence[str], tukey: FloatArray, *, draws: int, seed: int
) -> tuple[SystemPair, ...]:
    first, second = pair_places(len(names))
    if not len(first):
        return ()
    means = whole.mean(axis=0)
    low, high = bootstrap_of_pairs(whole, draws=draws, seed=seed)
    alone = randomisation_of_pairs(whole, draws=draws, seed=seed + 1)
    corrected = holm(alone)
    differences = whole[:, first] - whole[:, second]
    effects, t_tests = effect_sizes(differences), paired_t_test(differences)
    return tuple(
        SystemPair(
            names[a],
            names[b],
            float(means[a] - means[b]),
            float(low[i]),
            float(high[i]),
            float(effects[i]),
            float(alone[i]),
            float(corrected[i]),
            float(t_tests[i]),
            float(tukey[i]),
        )
        for i, (a, b) in enumerate(zip(first, second, strict=True))
    )


def standings_table(standings: Standings) -> Table:
    """The systems in order, with their groups."""
    rows: list[list[Cell]] = [
        [own.system, own.mean, Interval(own.low, own.high), own.letters] for own in standings.systems
    ]
    return Table("", "", ["run", "mean", "interval", "groups"], rows)


def pairs_table(by_measure: Mapping[str, Standings]) -> Table:
    """Every pair of systems on every measure, the better one first."""
    names = [field.name for field in fields(SystemPair)]
    rows: list[list[Cell]] = [
        [measure, *astuple(pair)] for measure, standings in by_measure.items() for pair in standings.pairs
    ]
    return Table("", "", ["measure", *names], rows)


def letter(number: int) -> str:
    """A group's letters.

    >>> letter(0), letter(25), letter(26), letter(27), letter(701), letter(702)
    ('a', 'z', 'aa', 'ab', 'zz', 'aaa')
    """
    letters = ""
    number += 1
    while number:
        number, last = divmod(number - 1, 26)
        letters = chr(ord("a") + last) + letters
    return letters
