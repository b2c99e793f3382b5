"""What stands in a file of judgments: counts, the rule's grades, agreement, repeated ids, drift. It accuses nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from evaluation.arrays import FloatArray
from evaluation.errors import EvaluationError
from evaluation.judgments.agreement import DRAWS, Agreement, Couples, agreement, couples_of
from evaluation.judgments.consensus import PAPER, Rule, decide
from evaluation.judgments.repeats import POLICIES, Decided, Policy, decided, pairs_with_a_repeated_id, repeats
from evaluation.moments.ground_truth import GroundTruth, JudgedMoment
from evaluation.moments.run import Run
from evaluation.reading.judgments import Judgments, Moment
from evaluation.scores.scoring import evaluate

PARTS = 10
"""Into so many parts of equal length a file is cut to see whether it drifts."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the file, in its order: judgments `first` to `last`, counted from 1.

    `mean`: of the grades. `by_grade`: how many there are of each, from 0. `exact`, `within_one`: share of the couples
    of different ids, of pairs that begin in this part, whose grades are equal or 1 apart; None without any.
    """

    first: int
    last: int
    mean: float
    by_grade: list[int]
    exact: float | None
    within_one: float | None


@dataclass(frozen=True, slots=True)
class Standing:
    """A system's value and its rank, from 1, by a policy's grades."""

    run: str
    value: float
    rank: int


@dataclass(frozen=True)
class Audit:
    """The audit of a file.

    Attributes: pairs_by_judgments: number of judgments -> pairs. open_pairs: the ids of pairs that lack judgments.
    decided_by_more: pairs judged by both rounds although the first had agreed. lowest_highest: [i][j] counts pairs
    whose grades go from i to j (Figure 5a). repeated_judgments: those beyond the first of an id at a pair.
    agreement: by name, of couples of different ids; `repeats` those of one id. of_workers: each with all others.
    of_two: each two workers. resampled: what the intervals draw. standings: policy -> systems, by `measure`.
    """

    name: str
    rule: Rule
    judgments: int
    workers: tuple[str, ...]
    pairs: int
    pairs_by_judgments: dict[int, int]
    policies: Mapping[Policy, Decided]
    open_pairs: tuple[str, ...]
    decided_by_more: int
    lowest_highest: list[list[int]]
    pairs_with_a_repeated_id: int
    repeated_judgments: int
    repeats: Agreement
    agreement: Mapping[str, Agreement]
    of_workers: Mapping[str, tuple[int, Agreement]]
    of_two: Mapping[tuple[str, str], Agreement]
    resampled: str
    drift: Sequence[Part]
    measure: str = ""
    standings: Mapping[Policy, Sequence[Standing]] | None = None


def audit(
    judgments: Judgments,
    *,
    moments: Mapping[str, Moment] | None = None,
    runs: Sequence[Run] = (),
    measure: str = "NDCG@20,IoU>=0.5",
    rule: Rule = PAPER,
    draws: int = DRAWS,
    seed: int = 0,
) -> Audit:
    """Audit the judgments of a file.

    Args:
        moments: what pairs are about, by pair_id, where the file doesn't say it.
        runs: systems to score by each policy's grades, with `measure`.
        draws: of the intervals; 0 for none.
    Raises: EvaluationError if runs are given and nothing says what the pairs are about, or nothing of it is graded.
    """
    judgments = _with_moments(judgments, moments)
    if runs and judgments.moments is None:
        raise EvaluationError(f"{judgments.name} doesn't say what its pairs are about: add their data, --pairs FILE")
    couples = couples_of(judgments, rule.top_grade)
    apart = couples.chosen(~couples.of_one_id)
    policies = {policy: decided(judgments, policy, rule) for policy in POLICIES}
    published = policies["as-published"]
    grades = judgments.grades_by_pair()
    first, second = (np.all(apart.nth == (start, start + 1), axis=1) for start in (0, rule.first_round))
    across = (apart.nth[:, 0] < rule.first_round) & (apart.nth[:, 1] >= rule.first_round)
    figures = {"all": apart, "first round": apart.chosen(first), "second round": apart.chosen(second)}
    return Audit(
        name=judgments.name,
        rule=rule,
        judgments=len(judgments),
        workers=judgments.workers,
        pairs=len(judgments.pair_ids),
        pairs_by_judgments=dict(sorted(Counter(map(len, grades)).items())),
        policies=policies,
        open_pairs=tuple(
            pair_id for pair_id, state in zip(judgments.pair_ids, published.states, strict=True) if state == "open"
        ),
        decided_by_more=sum(
            len(row) >= rule.both_rounds > rule.first_round
            and decide(row[: rule.first_round], rule).status == "consensus"
            for row in grades
        ),
        lowest_highest=_lowest_highest(grades, rule.top_grade),
        pairs_with_a_repeated_id=int(pairs_with_a_repeated_id(judgments).sum()),
        repeated_judgments=int(repeats(judgments)[0].sum()),
        repeats=agreement(couples.chosen(couples.of_one_id), draws=draws, seed=seed),
        agreement={
            name: agreement(some, draws=draws, seed=seed)
            for name, some in {**figures, "between rounds": apart.chosen(across)}.items()
        },
        of_workers={
            worker: (
                int((judgments.worker == place).sum()),
                agreement(apart.of_worker(place), draws=draws, seed=seed, workers_too=False),
            )
            for place, worker in enumerate(judgments.workers)
        },
        of_two=_of_two(apart, judgments.workers, draws, seed),
        resampled=("queries and " if couples.queries else "") + "workers" if draws else "",
        drift=_drift(judgments, apart, rule.top_grade),
        measure=measure if runs else "",
        standings=_standings(judgments, policies, runs, measure) if runs else None,
    )


def _with_moments(judgments: Judgments, moments: Mapping[str, Moment] | None) -> Judgments:
    if moments is None:
        return judgments
    missing = [pair_id for pair_id in judgments.pair_ids if pair_id not in moments]
    if missing:
        raise EvaluationError(
            f"{judgments.name}: {len(missing):,} of {len(judgments.pair_ids):,} pairs aren't in the pairs' data, "
            f"the first is {missing[0]!r}"
        )
    return replace(judgments, moments=tuple(moments[pair_id] for pair_id in judgments.pair_ids))


def _lowest_highest(grades: Sequence[tuple[int, ...]], top_grade: int) -> list[list[int]]:
    table = [[0] * (top_grade + 1) for _ in range(top_grade + 1)]
    for row, pairs in Counter(row for row in grades if len(row) > 1).items():
        table[min(row)][max(row)] += pairs
    return table


def _of_two(apart: Couples, workers: Sequence[str], draws: int, seed: int) -> dict[tuple[str, str], Agreement]:
    low, high = apart.worker.min(axis=1), apart.worker.max(axis=1)
    table = {}
    for one, other in combinations(range(len(workers)), 2):
        both = (low == one) & (high == other)
        if both.any():
            couples = apart.chosen(both).of_worker(one)
            table[workers[one], workers[other]] = agreement(couples, draws=draws, seed=seed, workers_too=False)
    return table


def _drift(judgments: Judgments, apart: Couples, top_grade: int) -> list[Part]:
    """The file in parts of equal length."""
    bounds = np.linspace(0, len(judgments), min(PARTS, len(judgments)) + 1).astype(int)
    begins = np.searchsorted(bounds, apart.place, side="right") - 1
    distance = np.abs(apart.grade[:, 0] - apart.grade[:, 1])
    parts = []
    for number, (start, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        grades = judgments.grade[start:end]
        apart_by = distance[begins == number]
        shares = [float((apart_by <= most).mean()) if len(apart_by) else None for most in (0, 1)]
        by_grade = np.bincount(grades, minlength=top_grade + 1).tolist()
        parts.append(Part(start + 1, end, float(grades.mean()), by_grade, *shares))
    return parts


def ground_truth_of(judgments: Judgments, policy: Decided) -> GroundTruth:
    """The graded pairs of a file that says what its pairs are about, as a ground truth."""
    judged: dict[str, list[JudgedMoment]] = {}
    for pair_id, moment, grade in zip(judgments.pair_ids, judgments.moments or (), policy.grades, strict=True):
        if grade is not None:
            query_id, video, start, end = moment
            judged.setdefault(query_id, []).append(JudgedMoment(video, start, end, float(grade), pair_id))
    if not judged:
        raise EvaluationError(f"{judgments.name} has no graded pair to score runs by")
    return GroundTruth.of(judged.items(), name=judgments.name)


def _standings(
    judgments: Judgments, policies: Mapping[Policy, Decided], runs: Sequence[Run], measure: str
) -> dict[Policy, list[Standing]]:
    table: dict[Policy, list[Standing]] = {}
    for name, policy in policies.items():
        records = evaluate(ground_truth_of(judgments, policy), runs, [measure])
        values: FloatArray = np.array([record.value for record in records])
        table[name] = [Standing(record.run, record.value, int((values > record.value).sum()) + 1) for record in records]
    return table


def as_json(found: Audit) -> dict[str, Any]:
    """The audit as plain values, to be made ready by `json_ready`."""
    published = found.policies["as-published"]
    states = ("graded", "discarded", "open")
    return {
        "judgments": found.judgments,
        "pairs": found.pairs,
        "workers": len(found.workers),
        **{state: published.count(state) for state in states},
        "by_grade": published.by_grade(found.rule.top_grade),
        "pairs_by_judgments": found.pairs_by_judgments,
        "pairs_with_a_repeated_id": found.pairs_with_a_repeated_id,
        "policies": {
            name: {
                **{state: policy.count(state) for state in (*states, "left-out")},
                "by_grade": policy.by_grade(found.rule.top_grade),
                "changed_grades": policy.differing(published),
                **({"systems": list(map(asdict, found.standings[name]))} if found.standings else {}),
            }
            for name, policy in found.policies.items()
        },
        "open_pairs": list(found.open_pairs),
        "judged_by_both_rounds_though_the_first_agreed": found.decided_by_more,
        "lowest_highest": found.lowest_highest,
        "repeated_judgments": found.repeated_judgments,
        "agreement": {
            **{name: asdict(figures) for name, figures in found.agreement.items()},
            "repeats of one id": asdict(found.repeats),
        },
        "of_workers": {
            worker: {"judgments": number, **asdict(figures)} for worker, (number, figures) in found.of_workers.items()
        },
        "of_two_workers": [{"workers": list(two), **asdict(figures)} for two, figures in found.of_two.items()],
        "resampled": found.resampled,
        "drift": list(map(asdict, found.drift)),
        **({"measure": found.measure} if found.measure else {}),
    }
