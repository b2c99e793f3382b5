"""When judging may stop: orders of systems that are settled, however often one looks.

Queries are judged in a random order, and a look is at those that have been. Each look spends a part of the error that
all looks may make together, so that a wrong order is called settled at any look with at most 1 - level. Over the looks
an estimate goes as a Brownian motion whose time is n / (N - n), n of N queries being judged: it ends nowhere, and with
all judged nothing is left to err about. That a pair was settled is kept: it needn't be settled again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import combinations
from math import ceil, floor, isfinite, log, sqrt
from statistics import NormalDist
from types import NoneType
from typing import Any, Literal, get_args

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import EvaluationError
from ..guarantees.assisted_mean import assisted_means
from ..guarantees.board import EQUAL, LEVEL, MoreQueries, queries_for

FIRST = 30
"""Queries judged at the first look: of fewer nobody knows how their values are spread."""
GROWTH = 1.15
"""From look to look the judged queries grow by this factor, so that looks are few and none follows from another's
outcome."""
DRAWS = 10_000

Relation = Literal[">", "<", "=", "?"]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems at a look. `relation`: of the first to the second; "=" if their difference is within the margin, "?"
    if nothing is settled. `at`: queries judged when it was settled. `low`, `high`: the difference's interval, which
    holds at all looks and for all pairs at once."""

    first: str
    second: str
    relation: Relation
    at: int | None
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Look:
    """What a look found. `spent`: of the error that all looks may make, so far. `critical`: in standard errors, of a
    normal distribution. `order`: the systems, best first, as far as settled and otherwise by estimate. `goal`: how many
    of the first are to be in order. `more`: queries that settle the rest; None if nothing is left to settle."""

    judged: int
    queries: int
    spent: float
    critical: float
    goal: int
    order: tuple[str, ...]
    pairs: tuple[Pair, ...]
    more: MoreQueries | None

    @property
    def settled(self) -> bool:
        """Whether the goal is reached."""
        return self.more is None

    @property
    def anything(self) -> bool:
        """Whether the chain tells anything that is settled."""
        return self.settled or any(sign in self.chain for sign in (" > ", " = "))

    @property
    def next_at(self) -> int | None:
        """Queries judged at the next look; None if there is none."""
        return None if self.settled or self.judged >= self.queries else next_look(self.judged, self.queries)

    @property
    def chain(self) -> str:
        """The first in their order: "A > B = C ? D > 3 others"."""
        beats, equal = _known(self.pairs, self.order)
        names, top = self.order, min(self.goal, len(self.order))
        text = names[0]
        for place in range(1, top):
            sign = ">" if beats[place - 1, place] else "=" if equal[place - 1, place] else "?"
            text += f" {sign} {names[place]}"
        others = len(names) - top
        if others:
            text += f" {'>' if beats[:top, top:].all() else '?'} {names[-1] if others == 1 else f'{others:,} others'}"
        return text

    @property
    def in_words(self) -> str:
        """What is settled, and what would settle the rest."""
        told = f"{'settled' if self.anything else 'nothing settled'}: {self.chain}"
        if self.more is None:
            return told
        more, rest = self.more, self.queries - self.judged
        most = "all that there are" if more.most == rest else f"{more.most:,}"
        return (
            f"{told}; about {more.about:,} more queries settle the rest: {more.fewest:,} if the "
            f"differences are as large as their intervals allow, {most} if as small"
        )


def goal_named(text: str) -> int:
    """How many of the first are to be in order, from "first:5". Raises: EvaluationError.

    >>> goal_named("first:5")
    5
    """
    kind, _, number = text.partition(":")
    if kind != "first" or not number.isdecimal() or not 1 <= int(number) <= 1_000:
        raise EvaluationError(f"found the goal {text!r}, expected first:K, with K from 1 to 1000, such as first:5")
    return int(number)


def next_look(judged: int, queries: int) -> int:
    """How many queries are to be judged at the look after that with `judged` of them, 0 for the first look.

    >>> next_look(0, 2000), next_look(30, 2000), next_look(1990, 2000)
    (30, 35, 2000)
    """
    return min(queries, max(FIRST, ceil(judged * GROWTH)))


def spent_by(judged: int, queries: int, level: float) -> float:
    """Which part of the error 1 - level a look at `judged` queries may have spent with those before it: the same for
    each growth by a factor, since nobody knows beforehand where a collection's systems come apart.

    Source: Lan and DeMets, Discrete sequential boundaries for clinical trials (Biometrika 1983).
    """
    if judged >= queries:
        return 1 - level
    begin = FIRST / GROWTH
    return (1 - level) * min(1.0, max(0.0, log(judged / begin) / log(queries / begin)))


def look(
    people: FloatArray,
    machine: FloatArray | None,
    judged: IntArray,
    *,
    names: Sequence[str],
    queries: int,
    goal: int,
    before: Sequence[Look] = (),
    level: float = LEVEL,
    margin: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Look:
    """Look at what is settled, with all pairs of systems at once.

    All pairs are held together and not only those that the goal needs: which systems are the first is itself an
    outcome, and a pair chosen for being far apart needs the critical value of all that could have been chosen.

    Args:
        people: shape (systems, n), values by people's judgments. machine: shape (systems, N), by a machine's; None to
        go by people alone. judged: shape (n,), the queries' places: the first n of a random order of all N. goal: as
        `goal_named`. before: earlier looks at the same systems and queries, the first first. margin: differences
        within it are none worth telling.
    Raises: EvaluationError for fewer than two systems, a look too early, a margin that isn't above 0, other systems
        than before; as `assisted_means`.
    Source: Lan and DeMets (1983); max-t as in `critical_values.of_all`, over the looks, by drawing Brownian motions.
    """
    n, last = len(judged), before[-1] if before else None
    _check(names, n, queries, margin, last)
    # By name, so that a pair is the same one whatever order the systems come in.
    first, second = np.array(list(combinations(np.argsort(names), 2))).T
    apart = people[first] - people[second]
    apart_machine = None if machine is None else machine[first] - machine[second]
    spent = spent_by(n, queries, level)
    found = assisted_means(apart, apart_machine, judged, queries=queries)
    critical = 0.0
    if n < queries:
        allowed = spent - (last.spent if last else 0.0)
        critical = _critical(found.influence, before, n, queries, allowed, draws, seed)
        single = 2 * NormalDist().cdf(critical) - 1
        found = assisted_means(apart, apart_machine, judged, queries=queries, level=single)
    known = {(own.first, own.second): own for own in last.pairs} if last else {}
    ends = zip(found.estimate.tolist(), found.low.tolist(), found.high.tolist(), strict=True)
    pairs = tuple(
        _pair(Pair(names[a], names[b], "?", None, *own), known.get((names[a], names[b])), n, margin, whole=n == queries)
        for a, b, own in zip(first, second, ends, strict=True)
    )
    order = _order(names, pairs)
    now = Look(n, queries, spent, critical, goal, order, pairs, None)
    return replace(now, more=_more(now, margin, level))


def _check(names: Sequence[str], judged: int, queries: int, margin: float | None, last: Look | None) -> None:
    if len(names) < 2:
        raise EvaluationError(f"found {len(names)} systems, expected at least 2, whose order is to be settled")
    if margin is not None and not margin > 0:
        raise EvaluationError(f"found the margin {margin:g}, expected a number above 0")
    if last and (set(names) != set(last.order) or queries != last.queries):
        raise EvaluationError(
            f"found {len(names):,} systems and {queries:,} queries, expected the {len(last.order):,} systems and "
            f"{last.queries:,} queries of the looks before: another goal needs looks of its own"
        )
    least = next_look(last.judged if last else 0, queries)
    if judged < least:
        raise EvaluationError(
            f"{judged:,} queries are judged, the next look is at {least:,}: looking costs, so it isn't done for less"
        )


def _critical(
    influence: FloatArray,
    before: Sequence[Look],
    judged: int,
    queries: int,
    allowed: float,
    draws: int,
    seed: int,
) -> float:
    """The normal critical value of this look: with the probability `allowed` one of all pairs goes beyond it and none
    went beyond those of the looks before. Never more than Bonferroni's for the pairs."""
    size = np.sqrt(np.einsum("ij,ij->i", influence, influence))
    told = influence[size > 0] / size[size > 0, None]
    bonferroni = NormalDist().inv_cdf(1 - max(allowed, 1e-12) / 2 / max(1, len(told)))
    if not len(told) or allowed * draws < 5:  # too rare for so few draws
        return bonferroni
    values, vectors = np.linalg.eigh(told @ told.T)
    kept = values > 1e-9 * values[-1]
    root = vectors[:, kept] * np.sqrt(values[kept])
    rng = np.random.default_rng(seed)
    motion, time = np.zeros((draws, len(told))), 0.0
    inside = np.ones(draws, dtype=bool)
    largest = np.zeros(draws)
    for number, bound in [*((own.judged, own.critical) for own in before), (judged, 0.0)]:
        now = number / (queries - number)
        motion += sqrt(now - time) * (rng.standard_normal((draws, root.shape[1])) @ root.T)
        largest = np.abs(motion).max(axis=1) / sqrt(now)
        if number != judged:
            inside &= largest <= bound
        time = now
    beyond = floor(allowed * draws)
    left = np.sort(largest[inside])
    return min(bonferroni, float(left[-1 - beyond])) if len(left) > beyond else bonferroni


def _pair(now: Pair, before: Pair | None, judged: int, margin: float | None, *, whole: bool) -> Pair:
    """The pair with what is settled of it; of the `whole`, where nothing is left to judge, all is."""
    if before is not None and before.relation != "?":
        return replace(now, relation=before.relation, at=before.at)
    relation: Relation = "?"
    if now.low > EQUAL or now.high < -EQUAL:
        relation = ">" if now.low > 0 else "<"
    elif whole or (margin is not None and -margin <= now.low and now.high <= margin):
        relation = "="
    return replace(now, relation=relation, at=None if relation == "?" else judged)


def _known(pairs: Sequence[Pair], order: Sequence[str]) -> tuple[BoolArray, BoolArray]:
    """Whether one system is above another, also through those between, and whether two are alike: shapes (systems,
    systems), in this order of the systems."""
    place = {name: number for number, name in enumerate(order)}
    beats, equal = np.zeros((2, len(order), len(order)), dtype=bool)
    for own in pairs:
        a, b = place[own.first], place[own.second]
        if own.relation == "=":
            equal[a, b] = equal[b, a] = True
        elif own.relation != "?":
            beats[(a, b) if own.relation == ">" else (b, a)] = True
    for between in range(len(order)):
        beats |= beats[:, [between]] & beats[[between]]
    return beats, equal


def _order(names: Sequence[str], pairs: Sequence[Pair]) -> tuple[str, ...]:
    """The best first: whoever nobody left is settled to be above, of several the one with the best estimate."""
    place = {name: number for number, name in enumerate(names)}
    score = np.zeros(len(names))
    for own in pairs:
        score[place[own.first]] += own.estimate
        score[place[own.second]] -= own.estimate
    beats, _ = _known(pairs, names)
    left, order = list(np.argsort(-score, kind="stable")), []
    while left:
        best = next((own for own in left if not beats[left, own].any()), left[0])
        left.remove(best)
        order.append(names[best])
    return tuple(order)


def _more(now: Look, margin: float | None, level: float) -> MoreQueries | None:
    """How many more queries settle what the goal still lacks, by the pair that takes the most; no fewer than to the
    next look. What one pair's own interval allows is the range; all that there are settle everything."""
    beats, equal = _known(now.pairs, now.order)
    known = beats | beats.T | equal
    place = {name: number for number, name in enumerate(now.order)}
    rest, least = now.queries - now.judged, next_look(now.judged, now.queries) - now.judged
    needed = [(0, 0, 0)]

    def queries(size: float, half: float) -> int:
        found = [queries_for(size, half, judged=now.judged, beyond=1 / now.queries)]
        if margin is not None:
            found.append(queries_for(margin - size, half, judged=now.judged, beyond=1 / now.queries))
        return max(least, min((number for number in found if number is not None), default=rest))

    for own in now.pairs:
        a, b = place[own.first], place[own.second]
        if min(a, b) < now.goal and not known[a, b]:
            half = (own.high - own.low) / 2
            alone = half * NormalDist().inv_cdf((1 + level) / 2) / now.critical
            size = abs(own.estimate)
            of_sizes = [queries(each, half) for each in (size + alone, size, max(0.0, size - alone))]
            needed.append((min(of_sizes), of_sizes[1], max(of_sizes)))
    if len(needed) == 1:
        return None
    fewest, about, most = (max(numbers) for numbers in zip(*needed, strict=True))
    return MoreQueries(fewest, about, most)


def as_data(own: Look) -> dict[str, Any]:
    """A look as plain values, which `look_from` reads again."""
    return asdict(own) | {"chain": own.chain, "in_words": own.in_words, "next_at": own.next_at}


def look_from(kept: dict[str, Any]) -> Look:
    """A look as `as_data` wrote it. Raises: KeyError, TypeError or ValueError if it isn't one."""
    plain = {name: kept[name] for name in Look.__dataclass_fields__}
    plain["order"] = tuple(kept["order"])
    plain["pairs"] = tuple(Pair(**own) for own in kept["pairs"])
    plain["more"] = None if kept["more"] is None else MoreQueries(**kept["more"])
    own = Look(**plain)
    counts = [own.judged, own.queries, own.goal, *(astuple(own.more) if own.more else ())]
    figures = [own.spent, own.critical, *(part for pair in own.pairs for part in (pair.estimate, pair.low, pair.high))]
    pairs = [frozenset((pair.first, pair.second)) for pair in own.pairs]
    if not (
        all(type(number) is int and number > 0 for number in counts)
        and own.judged <= own.queries
        and all(isfinite(number) for number in figures)
        and len(set(pairs)) == len(pairs)
        and set(pairs) == set(map(frozenset, combinations(own.order, 2)))
        and all(pair.relation in get_args(Relation) for pair in own.pairs)
        and all(type(pair.at) is (NoneType if pair.relation == "?" else int) for pair in own.pairs)
    ):
        raise ValueError("a pair of systems is missing, a number is none, or more queries are judged than there are")
    return own
