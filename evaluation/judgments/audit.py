"""What stands in a file of judgments: counts, the rule's grades, agreement, repeated ids, drift. It accuses nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray, json_ready
from ..errors import EvaluationError
from ..judgments.agreement import DRAWS, MOST_COMPARED, Couples, Draws, agreement, couples_of, draws_for
from ..judgments.consensus import PAPER, Rule, decide
from ..judgments.grade_classes import class_count, class_of
from ..judgments.repeats import (
    POLICIES,
    Decided,
    alike,
    decided,
    first_grades,
    pairs_with_a_repeated_id,
    repeats,
)
from ..moments.ground_truth import GroundTruth, JudgedMoment
from ..moments.run import Run
from ..reading.judgments import Judgments, Moment
from ..scores.scoring import evaluate

PARTS = 10
"""Into so many parts of equal length a file is cut to see whether it drifts."""
MOST_SINGLE, MOST_COUPLED = 1_000, 1_000
"""Workers, and couples of workers, who have figures of their own: those with most judgments."""
MEASURE = "NDCG@20,IoU>=0.5"

Told = dict[str, Any]
"""The audit of a file, in plain values of JSON.

file: its name. judgments, pairs, workers: how many. pairs_without_data: how many the pairs' data lack; where queries
are drawn, each is a query of its own. rule: its numbers. graded, discarded, open, by_grade (from 0 on): pairs, by it.
Of grades to 100 classes are counted and compared (`grade_classes`).
pairs_by_judgments: number of judgments -> pairs. pairs_with_a_repeated_id; repeated_judgments: those beyond
the first of an id at a pair. policies: policy -> graded, discarded, open, left-out, by_grade, changed_grades (pairs
that have another grade, or none) and, where runs are given, `systems`: run, value, rank. open_pairs: ids of pairs that
lack judgments; open_pairs_left_out: how many more there are. judged_by_both_rounds_though_the_first_agreed: pairs.
lowest_highest: [i][j] counts pairs whose grades go from i to j (Figure 5a). agreement: of all couples of different ids,
of rounds, of `repeats of one id`; of_workers: worker -> judgments, and agreement with all others; of_two_workers: of
each two, on the pairs that both judged: `couples`, and kappa, linear, quadratic and alpha, each value, low, high, null
where undefined. workers_left_out, two_workers_left_out: how many more there are. pairs_compared_in_part: those with
more than `MOST_COMPARED` judgments. resampled: what the intervals draw, `draws` times. drift: parts of the file, in its
order: judgments `first` to `last`, `mean` and `by_grade` of the grades, and `exact` and `within_one`, the shares of
couples of different ids, of pairs that begin there, whose grades are equal or 1 apart. measure: of the systems.
"""
Progress = Callable[[str, int, int], object]
"""Told what is done, and how many of how many."""


def audit(
    judgments: Judgments,
    *,
    moments: Mapping[str, Moment] | None = None,
    moments_of: str = "",
    runs: Sequence[Run] = (),
    measure: str = MEASURE,
    rule: Rule = PAPER,
    draws: int = DRAWS,
    seed: int = 0,
    most_open: int | None = None,
    progress: Progress = lambda step, done, total: None,
) -> Told:
    """Audit the judgments of a file.

    Args:
        moments: what pairs are about, by pair_id, where the file doesn't say it; pairs without a grade may lack there.
        moments_of: the files of these, for messages.
        runs: systems to score by each policy's grades, with `measure`.
        draws: of the intervals; 0 for none.
        most_open: open pairs that are named; by default all.
    Raises: EvaluationError if runs are given and nothing says what the pairs are about, or nothing of it is graded; if
        `moments` lack a graded pair, or all pairs.
    """
    if runs and moments is None and judgments.moments is None:
        raise EvaluationError(f"{judgments.name} doesn't say what its pairs are about: add their data, --pairs FILE")
    progress("rule", 0, 0)
    policies = {policy: decided(judgments, policy, rule) for policy in POLICIES}
    published = policies["as-published"]
    if moments is not None:
        judgments = _with_moments(judgments, moments, published, moments_of)
    first = first_grades(judgments, rule.both_rounds)
    top, given = class_count(rule.top_grade) - 1, judgments.grade
    if top < rule.top_grade:
        judgments = replace(judgments, grade=class_of(judgments.grade, rule.top_grade))
    sizes = np.bincount(judgments.pair, minlength=len(judgments.pair_ids))
    numbers, pairs = np.unique(sizes, return_counts=True)
    open_pairs = (name for name, state in zip(judgments.pair_ids, published.states, strict=True) if state == "open")
    named = list(islice(open_pairs, most_open))
    told: Told = json_ready(
        {
            "file": judgments.name,
            "judgments": len(judgments),
            "pairs": len(judgments.pair_ids),
            "workers": len(judgments.workers),
            "pairs_without_data": (judgments.moments or ()).count(None),
            "rule": rule.told(),
            **_counts(published, rule),
            "pairs_by_judgments": dict(zip(numbers.tolist(), pairs.tolist(), strict=True)),
            "pairs_with_a_repeated_id": pairs_with_a_repeated_id(judgments).sum(),
            "policies": {
                name: {
                    **_counts(policy, rule),
                    "left-out": policy.count("left-out"),
                    "changed_grades": policy.differing(published),
                    **({"systems": _systems(judgments, policy, runs, measure)} if runs else {}),
                }
                for name, policy in policies.items()
            },
            "open_pairs": named,
            "open_pairs_left_out": published.count("open") - len(named),
            "judged_by_both_rounds_though_the_first_agreed": _agreed_before(first, rule).sum(),
            "lowest_highest": _lowest_highest(judgments, sizes, top),
            "repeated_judgments": repeats(judgments)[0].sum(),
            **_agreements(judgments, given, rule, draws, seed, progress),
            **({"measure": measure} if runs else {}),
        }
    )
    return told


def _with_moments(
    judgments: Judgments, moments: Mapping[str, Moment], published: Decided, moments_of: str
) -> Judgments:
    """The judgments with what their pairs are about; None for pairs that aren't there, none of which has a grade."""
    about = tuple(map(moments.get, judgments.pair_ids))
    missing = [pair for pair, moment in enumerate(about) if moment is None]
    graded = [pair for pair in missing if published.grades[pair] is not None]
    if graded or len(missing) == len(about):
        raise EvaluationError(
            f"{judgments.name}: {len(missing):,} of {len(about):,} pairs aren't in the pairs' data"
            f"{moments_of and f' ({moments_of})'}, {len(graded):,} of them graded by the rule, the first is "
            f"{judgments.pair_ids[(graded or missing)[0]]!r}, expected every graded pair: the data of all splits"
        )
    return replace(judgments, moments=about)


def _counts(policy: Decided, rule: Rule) -> Told:
    states = {state: policy.count(state) for state in ("graded", "discarded", "open")}
    return {**states, "by_grade": policy.by_grade(rule.top_grade)}


def _agreed_before(first: IntArray, rule: Rule) -> BoolArray:
    """Which pairs were judged by both rounds although the first had agreed: shape (P,)."""
    rows, place = alike(first)
    agreed = [
        rule.second_round > 0 and row[-1] >= 0 and decide(row[: rule.first_round], rule).status == "consensus"
        for row in rows
    ]
    return np.array(agreed, dtype=bool)[place]


def _lowest_highest(judgments: Judgments, sizes: IntArray, top_grade: int) -> IntArray:
    by_pair = judgments.grade[np.argsort(judgments.pair, kind="stable")]
    starts = np.cumsum(sizes) - sizes
    low, high = np.minimum.reduceat(by_pair, starts), np.maximum.reduceat(by_pair, starts)
    size = top_grade + 1
    return np.bincount((low * size + high)[sizes > 1], minlength=size**2).reshape(size, size)


def _agreements(judgments: Judgments, given: IntArray, rule: Rule, draws: int, seed: int, progress: Progress) -> Told:
    """Everything that compares two judgments of a pair. Args: given: the grades as they are, before classes."""
    top = class_count(rule.top_grade) - 1
    progress("agreement", 0, 0)
    couples = couples_of(judgments, top)
    drawn = draws_for(couples, draws, seed)
    once = agreement(couples.chosen(couples.of_one_id), drawn)
    apart = couples.chosen(~couples.of_one_id)
    del couples
    first, second = (np.all(apart.nth == (start, start + 1), axis=1) for start in (0, rule.first_round))
    across = (apart.nth[:, 0] < rule.first_round) & (apart.nth[:, 1] >= rule.first_round)
    every = {"first round": first, "second round": second, "between rounds": across}
    of_workers, more_workers = _of_workers(judgments, apart, drawn, progress)
    of_two, more_two = _of_two(judgments, apart, drawn, progress)
    return {
        "agreement": {
            "all": asdict(agreement(apart, drawn)),
            **{name: asdict(agreement(apart.chosen(which), drawn)) for name, which in every.items()},
            "repeats of one id": asdict(once),
        },
        "pairs_compared_in_part": (np.bincount(judgments.pair) > MOST_COMPARED).sum(),
        "of_workers": of_workers,
        "workers_left_out": more_workers,
        "of_two_workers": of_two,
        "two_workers_left_out": more_two,
        "resampled": ("queries and " if apart.queries else "") + "workers" if len(drawn) else "",
        "draws": len(drawn),
        "drift": _drift(judgments, given, apart, top),
    }


def _of_workers(judgments: Judgments, apart: Couples, drawn: Draws, progress: Progress) -> tuple[Told, int]:
    """Each worker with all others, those with most judgments first; and how many are left out."""
    judged = np.bincount(judgments.worker, minlength=len(judgments.workers))
    shown = np.argsort(-judged, kind="stable")[:MOST_SINGLE].tolist()
    places = dict(_by_value(apart.worker.T.ravel().astype(np.int64)))
    nobody = np.zeros(0, dtype=np.int64)
    table = {}
    for number, worker in enumerate(shown):
        progress("workers", number, len(shown))
        own = apart.chosen(places.get(worker, nobody) % max(len(apart), 1)).of_worker(worker)
        figures = asdict(agreement(own, drawn, workers_too=False))
        table[judgments.workers[worker]] = {"judgments": judged[worker], **figures}
    return table, len(judged) - len(shown)


def _of_two(judgments: Judgments, apart: Couples, drawn: Draws, progress: Progress) -> tuple[list[Told], int]:
    """Each two workers, those with most pairs in common first; and how many couples of workers are left out."""
    low, high = apart.worker.min(axis=1).astype(np.int64), apart.worker.max(axis=1)
    couples = sorted(_by_value(low * len(judgments.workers) + high), key=lambda found: (-len(found[1]), found[0]))
    table = []
    for number, (key, places) in enumerate(couples[:MOST_COUPLED]):
        progress("two workers", number, min(len(couples), MOST_COUPLED))
        one, other = divmod(key, len(judgments.workers))
        figures = asdict(agreement(apart.chosen(places).of_worker(one), drawn, workers_too=False))
        table.append({"workers": [judgments.workers[one], judgments.workers[other]], **figures})
    return table, len(couples) - len(table)


def _by_value(values: IntArray) -> Iterator[tuple[int, IntArray]]:
    """Each value, with the places where it stands."""
    order = np.argsort(values, kind="stable")
    there, starts = np.unique(values[order], return_index=True)
    yield from zip(there.tolist(), np.split(order, starts[1:]), strict=False)


def _drift(judgments: Judgments, given: IntArray, apart: Couples, top_grade: int) -> list[Told]:
    """The file in parts of equal length."""
    bounds = np.linspace(0, len(judgments), min(PARTS, len(judgments)) + 1).astype(int)
    begins = np.searchsorted(bounds, apart.place, side="right") - 1
    distance = np.abs(apart.grade[:, 0] - apart.grade[:, 1])
    parts = []
    for number, (start, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        grades = judgments.grade[start:end]
        apart_by = distance[begins == number]
        exact, within_one = ((apart_by <= most).mean() if len(apart_by) else None for most in (0, 1))
        by_grade = np.bincount(grades, minlength=top_grade + 1)
        said = {"mean": given[start:end].mean(), "by_grade": by_grade, "exact": exact, "within_one": within_one}
        parts.append({"first": start + 1, "last": end, **said})
    return parts


def ground_truth_of(judgments: Judgments, policy: Decided) -> GroundTruth:
    """The graded pairs of a file that says what its pairs are about, as a ground truth; no others."""
    judged: dict[str, list[JudgedMoment]] = {}
    for pair_id, moment, grade in zip(judgments.pair_ids, judgments.moments or (), policy.grades, strict=True):
        if grade is not None and moment is not None:
            query_id, video, start, end = moment
            judged.setdefault(query_id, []).append(JudgedMoment(video, start, end, float(grade), pair_id))
    if not judged:
        raise EvaluationError(f"{judgments.name} has no graded pair to score runs by")
    return GroundTruth.of(judged.items(), name=judgments.name)


def _systems(judgments: Judgments, policy: Decided, runs: Sequence[Run], measure: str) -> list[Told]:
    records = evaluate(ground_truth_of(judgments, policy), runs, [measure])
    values: FloatArray = np.array([record.value for record in records])
    return [
        {"run": record.run, "value": record.value, "rank": int((values > record.value).sum()) + 1} for record in records
    ]
