"""Statistics of annotators from their judgments: agreement, pace, grade use. Pure.

Two people *meet* at a pair when both judged it in the same round: then neither knew of the other. Everything about
agreement is over meetings. scikit-learn makes the kappas; it and numpy are imported by whoever computes, never by a web
process that starts.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from annotation.grades import GRADE_COUNT

DAY = 86400
FEWEST_MEETINGS = 10
"""With fewer meetings no kappa is given: it would be noise."""
SHORTEST_WORK = 300
"""With fewer seconds of work no pace is given."""
RUN_LENGTH = 10
"""Judgments of one grade in a row that make a run..."""
RUN_PACE = 0.5
"""...which is reported if it took at most this share of the person's median time per judgment."""
RUNS_KEPT = 20
BARELY = 0.05
"""Played no more than this beyond the part that is needed: stopped as soon as the page allowed."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class JudgmentColumns:
    """Counted judgments, one element each in columns of one length.

    Args:
        pair, person, grade, round: ids, the class of the grade (`grade_classes`), 1-2.
        decided: seconds since 1970 (UTC).
        active, played: seconds of work, and the part of the clip that was seen; NaN where it isn't known.
        too_soon: graded sooner than the clip could have played.
        settled: whether the pair's first round is over.
        second: whether the pair went to a second round.
        unit: how far classes lie apart.
    """

    pair: Ints
    person: Ints
    grade: Ints
    round: Ints
    decided: Floats
    active: Floats
    played: Floats
    too_soon: Bools
    settled: Bools
    second: Bools
    unit: int = 1


@dataclass(frozen=True, slots=True)
class PersonFigures:
    """One person's figures over a period; None where there is no data.

    `grades` counts classes; `difference` is the mean of own minus partner's grade, so above 0 is lenient; `exact`,
    `within_one`, `second_round` (of own pairs of first rounds that are over) and `barely_played` are shares, 0-1;
    `kappa` (None by week) and `weighted` (quadratic) are Cohen's with all partners together; `too_soon` is a count.
    """

    judgments: int
    active_seconds: float
    per_hour: int | None
    grades: list[int]
    compared: int
    difference: float | None
    exact: float | None
    within_one: float | None
    kappa: float | None
    weighted: float | None
    second_round: float | None
    too_soon: int
    played: float | None
    barely_played: float | None


@dataclass(frozen=True, slots=True)
class Week:
    """A person's figures of a week, which begins on Monday `begins` (UTC)."""

    begins: date
    figures: PersonFigures


@dataclass(frozen=True, slots=True)
class FastRun:
    """The same grade many times in a row, at a pace that is high for this person."""

    began: datetime
    length: int
    grade: int
    seconds: float
    usual_seconds: float


@dataclass(frozen=True, slots=True)
class PersonStatistics:
    """One person's figures: overall, since `recent_from`, by week (oldest first), fast runs (newest first)."""

    member: int
    overall: PersonFigures
    recent: PersonFigures
    weeks: list[Week]
    runs: list[FastRun]


@dataclass(frozen=True, slots=True)
class Partners:
    """Two people's agreement where they met. `difference` is the mean of one's grade minus the other's."""

    one: int
    other: int
    met: int
    difference: float
    exact: float
    within_one: float
    kappa: float | None
    weighted: float | None


@dataclass(frozen=True, slots=True)
class PeopleStatistics:
    """Figures of everybody with a counted judgment, by id, and of every two who met."""

    people: list[PersonStatistics]
    partners: list[Partners]


def people_statistics(judged: JudgmentColumns, *, needed: float | None, recent_from: float) -> PeopleStatistics:
    """All figures of the People pages.

    Args:
        judged: the counted judgments.
        needed: the part of a clip that has to be seen, 0-1; None where there are no clips.
        recent_from: since when judgments are recent, in seconds since 1970.
    """
    ids, who = np.unique(judged.person, return_inverse=True)
    count = len(ids)
    meetings = meetings_of(judged)
    everything = np.ones(len(who), dtype=bool)
    overall = _figures(judged, meetings, who, count, everything, needed)
    recent = _figures(judged, meetings, who, count, judged.decided >= recent_from, needed)
    weeks = _weeks(judged, meetings, who, count, needed)
    runs = _fast_runs(judged, who, count)
    return PeopleStatistics(
        people=[
            PersonStatistics(int(member), overall[place], recent[place], weeks[place], runs[place])
            for place, member in enumerate(ids)
        ],
        partners=_partners(judged, meetings),
    )


def meetings_of(judged: JudgmentColumns) -> tuple[Ints, Ints]:
    """Indices of judgments of the same pair by two people, each meeting in both directions."""
    order = np.lexsort((judged.round, judged.pair))
    pair, turn = judged.pair[order], judged.round[order]
    mine: list[Ints] = []
    theirs: list[Ints] = []
    for step in range(1, len(order)):
        together = (pair[step:] == pair[:-step]) & (turn[step:] == turn[:-step])
        if not together.any():
            break
        before, after = order[:-step][together], order[step:][together]
        mine += [before, after]
        theirs += [after, before]
    nobody = np.empty(0, dtype=np.int64)
    return np.concatenate([*mine, nobody]), np.concatenate([*theirs, nobody])


def kappa_of(table: NDArray[Any], weights: Literal["quadratic"] | None = None) -> float | None:
    """Cohen's kappa of a contingency table of two people's grades; None where expected agreement is 1.

    Source: Cohen 1960, 1968; computed by scikit-learn.
    """
    if table.sum() == 0 or ((table.sum(axis=0) + table.sum(axis=1)) > 0).sum() < 2:
        return None
    from sklearn.metrics import cohen_kappa_score

    one, other = np.indices(table.shape).reshape(2, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value = float(
            cohen_kappa_score(one, other, labels=range(len(table)), weights=weights, sample_weight=table.ravel())
        )
    return None if math.isnan(value) else round(value, 6)


def _figures(
    judged: JudgmentColumns,
    meetings: tuple[Ints, Ints],
    group: Ints,
    count: int,
    chosen: Bools,
    needed: float | None,
    *,
    plain_kappa: bool = True,
) -> list[PersonFigures]:
    """The figures of each of `count` groups of the chosen judgments."""
    own = group[chosen]
    cells = own * GRADE_COUNT + judged.grade[chosen]
    grades = np.bincount(cells, minlength=count * GRADE_COUNT).reshape(count, GRADE_COUNT)
    judgments = grades.sum(axis=1)
    timed = chosen & ~np.isnan(judged.active)
    active = _sums(group[timed], count, judged.active[timed])
    timed_count = np.bincount(group[timed], minlength=count)
    seen = chosen & ~np.isnan(judged.played)
    played = _sums(group[seen], count, judged.played[seen])
    seen_count = np.bincount(group[seen], minlength=count)
    barely = seen & (judged.played < (needed or 0.0) + BARELY)
    barely_count = np.bincount(group[barely], minlength=count)
    soon = np.bincount(group[chosen & judged.too_soon], minlength=count)
    first = chosen & (judged.round == 1) & judged.settled
    first_count = np.bincount(group[first], minlength=count)
    second_count = np.bincount(group[first & judged.second], minlength=count)

    inside = chosen[meetings[0]]
    mine, theirs = meetings[0][inside], meetings[1][inside]
    cells = group[mine] * GRADE_COUNT**2 + judged.grade[mine] * GRADE_COUNT + judged.grade[theirs]
    tables = np.bincount(cells, minlength=count * GRADE_COUNT**2).reshape(count, GRADE_COUNT, GRADE_COUNT)
    people = []
    for place in range(count):
        compared = _agreement(tables[place], judged.unit, plain_kappa=plain_kappa)
        people.append(
            PersonFigures(
                judgments=int(judgments[place]),
                active_seconds=round(float(active[place]), 1),
                per_hour=round(timed_count[place] / active[place] * 3600) if active[place] >= SHORTEST_WORK else None,
                grades=[int(number) for number in grades[place]],
                **compared,
                second_round=_share(second_count[place], first_count[place]),
                too_soon=int(soon[place]),
                played=_share(played[place], seen_count[place]),
                barely_played=_share(barely_count[place], seen_count[place])
                if needed and needed + BARELY <= 1
                else None,
            )
        )
    return people


def _agreement(table: NDArray[Any], unit: int, *, plain_kappa: bool = True) -> dict[str, Any]:
    """The agreement fields of PersonFigures, from a table of own grades by partners' grades."""
    met = int(table.sum())
    gaps = np.subtract.outer(np.arange(GRADE_COUNT), np.arange(GRADE_COUNT))
    enough = met >= FEWEST_MEETINGS
    return {
        "compared": met,
        "difference": _share(float((table * gaps).sum()) * unit, met),
        "exact": _share(int(np.trace(table)), met),
        "within_one": _share(int(table[abs(gaps) <= 1].sum()), met),
        "kappa": kappa_of(table) if enough and plain_kappa else None,
        "weighted": kappa_of(table, "quadratic") if enough else None,
    }


def _weeks(
    judged: JudgmentColumns, meetings: tuple[Ints, Ints], who: Ints, count: int, needed: float | None
) -> list[list[Week]]:
    # 1970 began on a Thursday, three days after a Monday.
    week = np.floor((judged.decided / DAY + 3) / 7).astype(np.int64)
    keys, group = np.unique(np.stack([who, week]), axis=1, return_inverse=True)
    everything = np.ones(len(who), dtype=bool)
    # One kappa a person and week is enough to see a drift by, and they are what takes long here.
    figures = _figures(judged, meetings, group.reshape(-1), keys.shape[1], everything, needed, plain_kappa=False)
    by_person: list[list[Week]] = [[] for _ in range(count)]
    for place, figures_of_week in enumerate(figures):
        person, number = int(keys[0, place]), int(keys[1, place])
        by_person[person].append(Week(date(1970, 1, 1) + timedelta(days=number * 7 - 3), figures_of_week))
    return by_person


def _fast_runs(judged: JudgmentColumns, who: Ints, count: int) -> list[list[FastRun]]:
    by_person: list[list[FastRun]] = [[] for _ in range(count)]
    if not len(who):
        return by_person
    order = np.lexsort((judged.decided, who))
    person, grade, active = who[order], judged.grade[order], judged.active[order]
    usual = [_median(active[person == place]) for place in range(count)]
    starts = np.flatnonzero(np.r_[True, (person[1:] != person[:-1]) | (grade[1:] != grade[:-1])])
    lengths = np.diff(np.r_[starts, len(order)])
    for start, length in zip(starts[lengths >= RUN_LENGTH], lengths[lengths >= RUN_LENGTH], strict=True):
        place = int(person[start])
        stretch = active[start : start + length]
        known = stretch[~np.isnan(stretch)]
        typical = usual[place]
        # What isn't timed throughout proves nothing.
        if typical is None or len(known) < length or known.mean() > RUN_PACE * typical:
            continue
        began = datetime.fromtimestamp(float(judged.decided[order[start]]), UTC)
        of = int(grade[start]) * judged.unit
        by_person[place].append(FastRun(began, int(length), of, round(float(known.mean()), 2), round(typical, 2)))
    return [sorted(runs, key=lambda run: run.began, reverse=True)[:RUNS_KEPT] for runs in by_person]


def _partners(judged: JudgmentColumns, meetings: tuple[Ints, Ints]) -> list[Partners]:
    # Once each, the one with the lower id first.
    once = judged.person[meetings[0]] < judged.person[meetings[1]]
    mine, theirs = meetings[0][once], meetings[1][once]
    keys, group = np.unique(np.stack([judged.person[mine], judged.person[theirs]]), axis=1, return_inverse=True)
    cells = group.reshape(-1) * GRADE_COUNT**2 + judged.grade[mine] * GRADE_COUNT + judged.grade[theirs]
    tables = np.bincount(cells, minlength=keys.shape[1] * GRADE_COUNT**2).reshape(-1, GRADE_COUNT, GRADE_COUNT)
    partners = []
    for place, table in enumerate(tables):
        figures = _agreement(table, judged.unit)
        met = figures.pop("compared")
        partners.append(Partners(int(keys[0, place]), int(keys[1, place]), met, **figures))
    return partners


def self_agreement(first: Sequence[int], again: Sequence[int], unit: int = 1) -> dict[str, Any]:
    """Agreement with oneself: {"repeats", "difference", "exact", "within_one", "kappa", "weighted"}.

    Args: first, again: the classes of the same pairs' grades, which lie `unit` apart, before and after; `difference`
        is again minus first.
    """
    table = np.zeros((GRADE_COUNT, GRADE_COUNT), dtype=np.int64)
    np.add.at(table, (np.asarray(again, dtype=np.int64), np.asarray(first, dtype=np.int64)), 1)
    figures = _agreement(table, unit)
    return {"repeats": figures.pop("compared"), **figures}


def _sums(group: Ints, count: int, values: Floats) -> Floats:
    return np.bincount(group, weights=values, minlength=count).astype(np.float64)


def _share(part: float, whole: float) -> float | None:
    return round(float(part) / float(whole), 6) if whole else None


def _median(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None
