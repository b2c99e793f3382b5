"""Measures that tell unjudged from non-relevant: by hand, by an oracle, by the tools for fixed moments, by property."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation import (
    EvaluationError,
    GroundTruth,
    InputError,
    JudgedMoment,
    PooledMoment,
    Prediction,
    Run,
    evaluate,
    parse_measure,
)
from evaluation.reading import read_ground_truth
from tests.evaluation import oracle
from tests.evaluation.worlds import VIDEOS, World, value, worlds

LOG3 = math.log2(3)
JUDGED = [("a", 0.0, 10.0, 4.0), ("a", 20.0, 30.0, 0.0), ("b", 0.0, 10.0, 2.0)]
NOBODY_JUDGED = ("c", 0.0, 10.0)


def test_a_prediction_is_judged_if_it_reaches_a_judged_moment_taken_or_not() -> None:
    ranked = [("a", 0.0, 10.0), ("a", 0.0, 9.0), ("a", 20.0, 30.0), ("a", 40.0, 50.0), NOBODY_JUDGED]
    assert value("Judged@5,IoU>=0.5", JUDGED, ranked) == 3 / 5
    assert value("Judged@2,IoU>=0.5", JUDGED, ranked) == 1  # the second finds its moment taken: judged all the same
    assert value("Judged@2,IoU>0.95", JUDGED, ranked) == 1 / 2
    assert value("Judged@100,IoU>=0.5", JUDGED, ranked) == 3 / 5  # of those there are
    assert value("Judged@5,IoU>=0.5", JUDGED, []) == 0


def test_condensed_ndcg_takes_what_is_unjudged_out_before_it_counts_ranks() -> None:
    ideal = 4 + 2 / LOG3
    ranked = [NOBODY_JUDGED, ("a", 20.0, 30.0), NOBODY_JUDGED, ("a", 0.0, 10.0)]
    assert value("NDCG(condensed)@4,IoU>=0.5", JUDGED, ranked) == pytest.approx((4 / LOG3) / ideal)
    assert value("NDCG(condensed)@2,IoU>=0.5", JUDGED, ranked) == pytest.approx((4 / LOG3) / ideal)
    assert value("NDCG(gain=exp,condensed)@2,IoU>=0.5", JUDGED, ranked) == pytest.approx((15 / LOG3) / (15 + 3 / LOG3))
    # A second prediction of a moment is judged and stays where it is, worth nothing.
    twice = [("a", 0.0, 10.0), ("a", 0.0, 10.0), ("b", 0.0, 10.0)]
    assert value("NDCG(condensed)@3,IoU>=0.5", JUDGED, twice) == pytest.approx((4 + 2 / 2) / ideal)


def test_bpref_counts_judged_misses_above_and_passes_over_the_rest() -> None:
    ranked = [NOBODY_JUDGED, ("a", 0.0, 10.0), ("a", 0.0, 10.0), ("a", 20.0, 30.0), NOBODY_JUDGED, ("b", 0.0, 10.0)]
    # R = 2, N = 1: the second relevant one has the only judged non-relevant one above it.
    assert value("Bpref,IoU>=0.5", JUDGED, ranked) == pytest.approx((1 + (1 - 1 / 1)) / 2)
    assert value("Bpref,IoU>=0.5,rel>=4", JUDGED, ranked) == 1
    assert value("Bpref,IoU>=0.5", [("a", 0.0, 10.0, 1.0)], ranked) == 1  # nothing judged non-relevant
    assert value("Bpref,IoU>=0.5", [("a", 0.0, 10.0, 0.0)], ranked) == 0
    assert value("Bpref,IoU>=0.5", [], ranked) == 0


def test_infap_infers_from_the_judged_part_of_the_pool_above() -> None:
    ranked = [("a", 20.0, 30.0), ("p", 0.0, 10.0), NOBODY_JUDGED, ("a", 0.0, 10.0), ("p", 5.0, 15.0), ("b", 0.0, 10.0)]
    truth = GroundTruth.of([("q", [*(JudgedMoment(*m) for m in JUDGED), PooledMoment("p", 0.0, 10.0)])])
    run = Run.of("run", [("q", [Prediction(*prediction) for prediction in ranked])])
    # Rank 4: two of three above are pooled, none of the judged ones relevant. Rank 6: (p, 5-15) reaches 1/3 only.
    fourth = 1 / 4 + 3 / 4 * (2 / 3) * (0 + 1e-5) / (0 + 1 + 2e-5)
    sixth = 1 / 6 + 5 / 6 * (3 / 5) * (1 + 1e-5) / (1 + 1 + 2e-5)
    found = {r.measure: r.value for r in evaluate(truth, [run], ["infAP,IoU>=0.5", "infAP,IoU>=0.3", "infAP"])}
    assert found["infAP,IoU>=0.5"] == pytest.approx((fourth + sixth) / 2)
    sixth = 1 / 6 + 5 / 6 * (4 / 5) * (1 + 1e-5) / (1 + 1 + 2e-5)
    assert found["infAP,IoU>=0.3"] == pytest.approx((fourth + sixth) / 2)
    assert found["infAP"] == pytest.approx(found["infAP,IoU>=0.5"], abs=1e-6)  # the same moments, by trec_eval
    assert value("infAP,IoU>=0.5", [], ranked) == 0


@pytest.mark.parametrize("name", ["val.json", "val.qrels"])
def test_a_file_says_what_is_in_the_pool_without_a_grade(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    moments = [("v", 0, 5, 2), ("v", 5, 9, None), ("w", 1, 2, 0)]
    if name == "val.json":
        rows = [{"video_name": v, "timestamp": [a, b], "relevance": grade} for v, a, b, grade in moments]
        path.write_text(json.dumps([{"query_id": 1, "relevant_moment": rows}, {"query_id": 2, "relevant_moment": []}]))
    else:
        path.write_text("".join(f"1 0 {v}:{a}-{b} {-1 if g is None else g}\n" for v, a, b, g in moments))
    truth = read_ground_truth(path)
    assert truth.grade.tolist() == [2, 0]
    assert truth.pooled is not None
    assert truth.pooled.query_ids == truth.query_ids
    assert list(truth.pooled.records()["1"]) == [JudgedMoment("v", 5, 9, 0)]
    assert truth.with_times(truth.start, truth.end).pooled is truth.pooled
    # Nothing else counts it: it is as unjudged as a moment that the file doesn't name.
    run = Run.of("run", [("1", [Prediction("v", 5, 9), Prediction("v", 0, 5)])])
    assert [r.per_query.tolist()[0] for r in evaluate(truth, [run], ["Judged@5,IoU>=0.5", "P@5"])] == [0.5, 0.2]  # type: ignore[union-attr]
    path.write_text("1 0 v:0-5 -2\n")
    with pytest.raises(InputError, match=r"line 1: found grade -2, expected a grade of 0 or more, or -1 for what"):
        read_ground_truth(path)


def test_rbp_and_what_it_doesnt_know() -> None:
    ranked = [("a", 0.0, 10.0), NOBODY_JUDGED, ("a", 20.0, 30.0), ("b", 0.0, 10.0)]
    half = [1 / 2, 1 / 4, 1 / 8, 1 / 16]
    assert value("RBP(p=0.5),IoU>=0.5", JUDGED, ranked) == pytest.approx(half[0] + half[3])
    assert value("RBP(p=0.5,graded),IoU>=0.5", JUDGED, ranked) == pytest.approx(half[0] + half[3] / 2)
    assert value("RBP(p=0.5,residual),IoU>=0.5", JUDGED, ranked) == pytest.approx(half[1] + 1 / 16)  # and past the end
    assert value("RBP(p=0.5)@3,IoU>=0.5", JUDGED, ranked) == pytest.approx(half[0])
    assert value("RBP(p=0.5,residual)@3,IoU>=0.5", JUDGED, ranked) == pytest.approx(half[1] + 1 / 8)
    assert value("RBP(p=0.5,residual),IoU>=0.5", JUDGED, []) == 1


def test_ndcg_bounds_by_hand() -> None:
    judged, ranked = [("a", 0.0, 10.0, 2.0)], [("a", 0.0, 10.0), NOBODY_JUDGED, ("d", 0.0, 10.0)]
    assert value("NDCG@3,IoU>=0.5", judged, ranked) == 1
    assert value("NDCG(high)@3,IoU>=0.5", judged, ranked) == 1
    # The third relevant and the second not: gains 2, 0, 2 where 2, 2 would be ideal.
    assert value("NDCG(low)@3,IoU>=0.5", judged, ranked) == pytest.approx((2 + 2 / 2) / (2 + 2 / LOG3))
    # Neither all nor none of the unjudged relevant: with grade 2 the list is ideal, with 0 or 4 it isn't.
    judged = [("a", 0.0, 10.0, 2.0), ("b", 0.0, 10.0, 2.0), ("x", 0.0, 10.0, 0.0)]
    ranked = [("a", 0.0, 10.0), NOBODY_JUDGED, ("b", 0.0, 10.0)]
    other = [("q2", [JudgedMoment("z", 0, 1, 4)])]
    truth = GroundTruth.of([("q", [JudgedMoment(*moment) for moment in judged]), *other])
    run = Run.of("run", [("q", [Prediction(*prediction) for prediction in ranked])])
    (high,) = evaluate(truth, [run], ["NDCG(high)@3,IoU>=0.5"])
    assert high.per_query is not None
    assert high.per_query.tolist() == pytest.approx([1.0, 0.0])  # the second query isn't answered: nothing is unknown
    assert value("NDCG(high)@5,IoU>=0.5", [], [NOBODY_JUDGED]) == 1
    assert value("NDCG(low)@5,IoU>=0.5", [], [NOBODY_JUDGED]) == 0


NAMES = [
    f"{name},IoU{sign}{mu}"
    for name in ("Judged@3", "Judged@100", "NDCG(condensed)@3", "mAP(condensed)", "mAP(condensed)@2", "Bpref", "infAP",
                 "RBP(p=0.8)", "RBP(p=0.5)@2", "RBP(p=0.8,residual)", "RBP(p=0.5,residual)@2")
    for sign in (">", ">=") for mu in (0, 0.5)
]  # fmt: skip


def by_oracle(name: str, judged: oracle.Judged, ranked: oracle.Ranked) -> float:
    measure, _, boundary = name.rpartition(",IoU>")
    strict, mu = not boundary.startswith("="), float(boundary.removeprefix("="))
    kind, _, cutoff = measure.partition("@")
    k = int(cutoff) if cutoff else None
    shorter = oracle.condensed(judged, ranked, mu, strict)
    table = {
        "Judged": lambda: oracle.judged_share(judged, ranked, k or 0, mu, strict),
        "NDCG(condensed)": lambda: oracle.ndcg(judged, shorter, k or 0, mu, strict),
        "mAP(condensed)": lambda: oracle.mean_ap(judged, shorter, mu, strict, k),
        "infAP": lambda: oracle.inferred_ap(judged, ranked, mu, strict),
        "Bpref": lambda: oracle.bpref(judged, ranked, mu, strict),
        "RBP(p=0.8)": lambda: oracle.rbp(judged, ranked, 0.8, mu, strict, k),
        "RBP(p=0.5)": lambda: oracle.rbp(judged, ranked, 0.5, mu, strict, k),
        "RBP(p=0.8,residual)": lambda: oracle.rbp_residual(judged, ranked, 0.8, mu, strict, k),
        "RBP(p=0.5,residual)": lambda: oracle.rbp_residual(judged, ranked, 0.5, mu, strict, k),
    }
    return table[kind]()


@settings(max_examples=100, deadline=None)
@given(world=worlds())
def test_every_measure_agrees_with_the_slow_oracle(world: World) -> None:
    truth = world.ground_truth()
    for record in evaluate(truth, [world.run()], NAMES):
        expected = [by_oracle(record.measure, world.judged[q], world.ranked(q)) for q in truth.query_ids]
        assert record.per_query is not None
        np.testing.assert_allclose(record.per_query, expected, atol=1e-12, err_msg=record.measure)


@st.composite
def fixed_moments(draw: st.DrawFn) -> tuple[GroundTruth, Run]:
    """A corpus of moments that never overlap, some judged; every list returns each of its moments once."""
    moments = [(video, 10.0 * place, 10.0 * place + 5) for video in VIDEOS for place in range(4)]
    judged, answers = [], []
    for number in range(draw(st.integers(1, 3))):
        known = draw(st.lists(st.sampled_from(moments), unique=True, max_size=9))
        grades = [draw(st.integers(-1, 3)) for _ in known]
        moments_of = [
            JudgedMoment(*one, float(grade)) if grade >= 0 else PooledMoment(*one)
            for one, grade in zip(known, grades, strict=True)
        ]
        judged.append((f"q{number}", moments_of))
        found = draw(st.lists(st.sampled_from(moments), unique=True, max_size=12))
        answers.append((f"q{number}", [Prediction(*one, score=float(draw(st.integers(0, 3)))) for one in found]))
    return GroundTruth.of(judged), Run.of("run", answers)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(world=fixed_moments())
def test_on_fixed_moments_they_are_those_of_trec_eval_and_ir_measures(world: tuple[GroundTruth, Run]) -> None:
    truth, run = world
    pairs = {
        "Judged@5,IoU>=0.5": "Judged@5",
        "Bpref,IoU>=0.5": "Bpref",
        "Bpref,IoU>=0.5,rel>=2": "Bpref(rel=2)",
        "infAP,IoU>=0.5": "infAP",
        "infAP,IoU>=0.5,rel>=2": "infAP(rel=2)",
        "NDCG(condensed)@5,IoU>=0.5": "nDCG(judged_only=True)@5",
        "mAP(condensed),IoU>=0.5": "AP(judged_only=True)",
        "mAP(condensed)@5,IoU>=0.5,rel>=2": "AP(rel=2, judged_only=True)@5",
    }
    ours = evaluate(truth, [run], list(pairs))
    theirs = evaluate(truth, [run], list(pairs.values()))
    for mine, its in zip(ours, theirs, strict=True):
        assert mine.per_query is not None
        assert its.per_query is not None
        # A query without a relevant moment has no mAP here and 0 there.
        np.testing.assert_allclose(np.nan_to_num(mine.per_query), its.per_query, atol=1e-6, err_msg=mine.measure)


@settings(max_examples=60, deadline=None)
@given(world=fixed_moments(), data=st.data())
def test_bounds_hold_for_all_grades_and_are_reached(world: tuple[GroundTruth, Run], data: st.DataObject) -> None:
    truth, run = world
    k = data.draw(st.integers(1, 6))
    name, residual = f"NDCG@{k},IoU>=0.5", f"RBP(p=0.7,residual)@{k},IoU>=0.5"
    low, high, rest, known = (
        record.per_query
        for record in evaluate(
            truth,
            [run],
            [f"NDCG(low)@{k},IoU>=0.5", f"NDCG(high)@{k},IoU>=0.5", residual, f"RBP(p=0.7)@{k},IoU>=0.5"],
        )
    )
    assert low is not None and high is not None and rest is not None and known is not None
    top = max(1, int(truth.grade.max(initial=0)))
    records = truth.records()
    for place, query_id in enumerate(truth.query_ids):
        spans = {(m.video_name, m.start, m.end) for m in records[query_id]}
        unknown = [p for p in run.of_query(query_id)[:k] if (p.video_name, p.start, p.end) not in spans][:4]
        everything = len(unknown) == sum(
            (p.video_name, p.start, p.end) not in spans for p in run.of_query(query_id)[:k]
        )  # fmt: skip
        alone = Run.of("run", [(query_id, run.of_query(query_id))])
        values = []
        for grades in itertools.product(range(top + 1), repeat=len(unknown)):
            revealed = [JudgedMoment(p.video_name, p.start, p.end, g) for p, g in zip(unknown, grades, strict=True)]
            full = GroundTruth.of([(query_id, [*records[query_id], *revealed])])
            ndcg, rbp = (record.value for record in evaluate(full, [alone], [name, f"RBP(p=0.7)@{k},IoU>=0.5"]))
            values.append(ndcg)
            assert low[place] - 1e-9 <= ndcg <= high[place] + 1e-9
            assert known[place] - 1e-9 <= rbp <= known[place] + rest[place] + 1e-9
        if everything:
            assert min(values) == pytest.approx(low[place], abs=1e-9)
            assert max(values) == pytest.approx(high[place], abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(world=worlds())
def test_where_everything_is_judged_they_are_the_plain_measures(world: World) -> None:
    everything = {
        q: [*moments, *((*p, 0.0) for p in dict.fromkeys(world.answers.get(q, [])))]
        for q, moments in world.judged.items()
    }
    truth = World(everything, world.answers, world.scores).ground_truth()
    run = world.run()
    (plain, *same) = evaluate(truth, [run], [f"NDCG{o}@5,IoU>=0.5" for o in ("", "(condensed)", "(low)", "(high)")])
    for record in same:
        np.testing.assert_allclose(record.per_query, plain.per_query, atol=1e-12, err_msg=record.measure)  # type: ignore[arg-type]
    induced, average = evaluate(truth, [run], ["mAP(condensed),IoU>=0.5", "mAP,IoU>=0.5"])
    np.testing.assert_allclose(induced.per_query, average.per_query)  # type: ignore[arg-type]
    judged, residual = evaluate(truth, [run], ["Judged@5,IoU>=0.5", "RBP(p=0.6,residual)@5,IoU>=0.5"])
    assert judged.per_query is not None
    assert residual.per_query is not None
    for place, query_id in enumerate(truth.query_ids):
        length = len(world.answers.get(query_id, []))
        assert judged.per_query[place] == (length > 0)
        assert residual.per_query[place] == pytest.approx(0.6 ** min(5, length))


@pytest.mark.parametrize("name", [*NAMES, "NDCG(gain=exp,low)@5,IoU>0.5", "RBP(p=0.95,graded,residual),IoU>0.5,rel>=2"])
def test_a_written_name_reads_back_as_itself(name: str) -> None:
    assert str(parse_measure(name)) == name


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Judged,IoU>=0.5", "cutoff @K is missing"),
        ("Judged@5,IoU>=0.5,rel>=2", "rel>=g has no meaning"),
        ("Bpref@5,IoU>=0.5", "it looks at whole lists"),
        ("infAP@5,IoU>=0.5", "it looks at whole lists"),
        ("Bpref(x),IoU>=0.5", r"\(x\) is not an option"),
        ("RBP,IoU>=0.5", "the persistence p is missing"),
        ("RBP(p=1),IoU>=0.5", "between 0 and 1, not at 1"),
        ("RBP(p=0.5,p=0.6),IoU>=0.5", r"\(p=0.6\) is not an option"),
        ("RBP(p=0.5,residual,residual),IoU>=0.5", "says something twice"),
        ("NDCG(low,high)@5,IoU>=0.5", "is not an option"),
        ("NDCG(condensed)@5", "IoU>mu or IoU>=mu is missing"),
        ("mAP(condensed)", "IoU>mu or IoU>=mu is missing"),
    ],
)
def test_a_wrong_name_is_refused_with_its_reason(name: str, why: str) -> None:
    with pytest.raises(EvaluationError, match=why):
        parse_measure(name)


def test_a_cutoff_far_past_every_list_costs_nothing() -> None:
    ranked = [NOBODY_JUDGED, ("a", 0.0, 10.0)]
    for name in ("NDCG(low)", "NDCG(high)", "NDCG(condensed)", "RBP(p=0.5)", "RBP(p=0.5,residual)", "Judged"):
        assert value(f"{name}@1000000,IoU>=0.5", JUDGED, ranked) == pytest.approx(
            value(f"{name}@3,IoU>=0.5", JUDGED, ranked), abs=0.2
        )
