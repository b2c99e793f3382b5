"""Recipes of a pool: in which order a query's moments are judged."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from ..errors import EvaluationError

GradeOf = Callable[[int], float | None]
"""A moment's grade, >= 0; None as long as it has none."""
RRF_CONSTANT = 60
"""That of Cormack, Clarke and Buettcher (SIGIR 2009)."""
BATCH = 20
LAST = 5


@dataclass(frozen=True, slots=True)
class Pick:
    """A moment to be judged, and why: its run, by its place among the lists, and the rank there, from 1."""

    moment: int
    run: int
    rank: int


Lists = Sequence[Sequence[int]]
"""One query's moments run by run, best first; a run has each moment once."""


class Recipe(Protocol):
    """How a query's next moments are chosen. Pure: the same lists and grades give the same picks."""

    @property
    def name(self) -> str:
        """As `recipe_named` reads it."""

    def walk(self, lists: Lists, grade_of: GradeOf) -> Iterator[Pick]:
        """All that it would have judged, in order, each moment once.

        After each pick the recipe asks for its grade before it chooses the next one. One without a grade counts as
        not relevant, so that a batch chosen without feedback spreads over the runs.
        """


@dataclass(frozen=True)
class Depth:
    """The first `depth` of every run, rank by rank, in the order of the runs (TREC's pools).

    Source: Sparck Jones and van Rijsbergen (1975); Voorhees and Harman, TREC (2005).
    """

    depth: int | None = None

    @property
    def name(self) -> str:
        return "depth" if self.depth is None else f"depth@{self.depth}"

    def walk(self, lists: Lists, grade_of: GradeOf) -> Iterator[Pick]:
        seen: set[int] = set()
        longest = max((len(ranking) for ranking in lists), default=0)
        for rank in range(longest if self.depth is None else min(longest, self.depth)):
            for run, ranking in enumerate(lists):
                if rank < len(ranking) and ranking[rank] not in seen:
                    seen.add(ranking[rank])
                    yield Pick(ranking[rank], run, rank + 1)


@dataclass(frozen=True)
class ReciprocalRankFusion:
    """By the sum of 1 / (60 + rank) over the runs that returned a moment; equal ones as depth has them.

    Source: Cormack, Clarke and Buettcher, Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
    Methods (SIGIR 2009).
    """

    constant: int = RRF_CONSTANT
    name: str = "rrf"

    def walk(self, lists: Lists, grade_of: GradeOf) -> Iterator[Pick]:
        fused: dict[int, float] = {}
        for ranking in lists:
            for rank, moment in enumerate(ranking, start=1):
                fused[moment] = fused.get(moment, 0.0) + 1 / (self.constant + rank)
        first = list(Depth().walk(lists, grade_of))
        # Rounded, since the order in which the same terms are added must not decide.
        yield from sorted(first, key=lambda pick: -round(fused[pick.moment], 12))


class _Arms:
    """The runs of one query as arms of a bandit: how far each was walked, and what was seen."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists
        self._next = [0] * len(lists)
        self._seen: set[int] = set()

    def left(self) -> list[int]:
        """The runs that have a moment which nobody picked, in their order."""
        return [run for run in range(len(self._lists)) if self._at_new(run)]

    def _at_new(self, run: int) -> bool:
        ranking, place = self._lists[run], self._next[run]
        while place < len(ranking) and ranking[place] in self._seen:
            place += 1
        self._next[run] = place
        return place < len(ranking)

    def pull(self, run: int) -> Pick:
        """The run's best moment that nobody picked."""
        place = self._next[run]
        moment = self._lists[run][place]
        self._seen.add(moment)
        return Pick(moment, run, place + 1)


@dataclass(frozen=True)
class MoveToFront:
    """Takes from the run with the fewest non-relevant picks so far; of equals from the first.

    Source: Cormack, Palmer and Clarke, Efficient Construction of Large Test Collections (SIGIR 1998), the local form.
    """

    least_grade: float = 1.0
    name: str = "move-to-front"

    def walk(self, lists: Lists, grade_of: GradeOf) -> Iterator[Pick]:
        arms = _Arms(lists)
        behind = [0] * len(lists)
        while left := arms.left():
            pick = arms.pull(min(left, key=behind.__getitem__))
            yield pick
            if not is_relevant(grade_of(pick.moment), self.least_grade):
                behind[pick.run] += 1


@dataclass(frozen=True)
class MaxMean:
    """From the run with the highest mean share of relevant moments so far: (1 + relevant) / (2 + picked).

    Source: Losada, Parapar and Barreiro, Multi-armed Bandits for Adjudicating Documents in Pooling-based Evaluation
    of Information Retrieval Systems (Information Processing and Management 2017), MaxMean, stationary.
    """

    least_grade: float = 1.0
    name: str = "max-mean"

    def walk(self, lists: Lists, grade_of: GradeOf) -> Iterator[Pick]:
        arms = _Arms(lists)
        relevant, picked = [0] * len(lists), [0] * len(lists)
        while left := arms.left():
            pick = arms.pull(max(left, key=lambda run: (1 + relevant[run]) / (2 + picked[run])))
            yield pick
            picked[pick.run] += 1
            relevant[pick.run] += is_relevant(grade_of(pick.moment), self.least_grade)


@dataclass(frozen=True)
class Paper:
    """TVR-Ranking's: the first 20 of one run, and the next 20 if the last five of them have a mean grade of at least
    `threshold`. Grades that are missing don't count; without any there is no second batch.

    Source: TVR-Ranking, section 3; the product applies the same rule in review.
    """

    threshold: float = 2.5
    run: int = 0
    name: str = "paper"

    def walk(self, lists: Lists, grade_of: GradeOf) -> Iterator[Pick]:
        picks = [Pick(moment, self.run, rank) for rank, moment in enumerate(lists[self.run][: 2 * BATCH], start=1)]
        yield from picks[:BATCH]
        graded = [grade for pick in picks[:BATCH] if (grade := grade_of(pick.moment)) is not None][-LAST:]
        if graded and sum(graded) / len(graded) >= self.threshold:
            yield from picks[BATCH:]


@dataclass(frozen=True)
class Several:
    """One recipe after another; what an earlier one picked isn't picked again."""

    parts: tuple[Recipe, ...]

    @property
    def name(self) -> str:
        return "+".join(part.name for part in self.parts)

    def walk(self, lists: Lists, grade_of: GradeOf) -> Iterator[Pick]:
        seen: set[int] = set()
        for part in self.parts:
            for pick in part.walk(lists, grade_of):
                if pick.moment not in seen:
                    seen.add(pick.moment)
                    yield pick


def is_relevant(grade: float | None, least_grade: float) -> bool:
    """Whether a grade counts as relevant; a missing one doesn't."""
    return grade is not None and grade >= least_grade


def hears_grades(recipe: Recipe) -> bool:
    """Whether its choices depend on grades, so that its pool can't be known in advance.

    >>> [hears_grades(recipe_named(name)) for name in ("depth@10", "rrf", "depth@10+max-mean", "paper")]
    [False, False, True, True]
    """
    parts = recipe.parts if isinstance(recipe, Several) else (recipe,)
    return any(isinstance(part, MoveToFront | MaxMean | Paper) for part in parts)


def next_batch(recipe: Recipe, lists: Lists, grade_of: GradeOf, taken: set[int], size: int) -> list[Pick]:
    """The next moments to be judged: at most `size`, none of those taken, be they judged, given out or discarded.

    Nothing of the walk is stored: whatever was judged, by this recipe or another, counts where the walk meets it.

    >>> [pick.moment for pick in next_batch(Depth(), [[7, 8], [9, 8]], lambda moment: None, {7}, 2)]
    [9, 8]
    """
    return list(islice((pick for pick in recipe.walk(lists, grade_of) if pick.moment not in taken), size))


NAMES = ("paper", "depth", "depth@K", "rrf", "move-to-front", "max-mean")


def recipe_named(name: str, *, least_grade: float = 1.0, threshold: float = 2.5) -> Recipe:
    """The recipe of a name; several are joined by +.

    Args: least_grade: what counts as relevant. threshold: the paper's, for a second batch.
    Raises: EvaluationError if there is none of this name.

    >>> recipe_named("depth@10+max-mean").name
    'depth@10+max-mean'
    """
    if "+" in name:
        return Several(
            tuple(recipe_named(part, least_grade=least_grade, threshold=threshold) for part in name.split("+"))
        )
    if depth := re.fullmatch(r"depth@([1-9]\d{0,5})", name):
        return Depth(int(depth[1]))
    match name:
        case "paper":
            return Paper(threshold)
        case "depth":
            return Depth()
        case "rrf":
            return ReciprocalRankFusion()
        case "move-to-front":
            return MoveToFront(least_grade)
        case "max-mean":
            return MaxMean(least_grade)
    raise EvaluationError(f"{name!r} is no recipe: expected one of {', '.join(NAMES)}, or several joined by +")
