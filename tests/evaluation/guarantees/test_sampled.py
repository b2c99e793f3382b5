"""Scores from a sample: unbiased over all samples, exact where all is judged, and intervals that hold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.errors import EvaluationError
from evaluation.guarantees.sampled import Frame, SampledScore, scores
from evaluation.guarantees.sampled_measures import sampled_measure
from evaluation.moments.ground_truth import GroundTruth, JudgedMoment
from evaluation.moments.run import Prediction, Run
from evaluation.reading.sampling import Sampling, Stratum
from evaluation.scores.scoring import evaluate
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines

GRADES, BANDS, ORDER = [3, 0, 1, 2, 0, 4, 0, 1], "aaabbbbb", [1, 0, 99, 4, 5, 3, 2]
ALL = ["DCG@4", "P@4", "recall@4", "NDCG@4", "xinfAP"]
LINEAR = ["DCG@4", "P@4"]


def moment(query: str, place: int) -> tuple[str, str, float, float]:
    return query, f"v{place}", 0.0, 10.0


def run_of(orders: dict[str, Sequence[int]]) -> Run:
    return Run.of("mine", [(query, [Prediction(f"v{own}", 0, 10) for own in order]) for query, order in orders.items()])


def frame_of(
    grades: Mapping[str, Sequence[float]],
    judged: Mapping[str, Sequence[int]],
    bands: str = BANDS,
    queries: dict[str, Stratum] | None = None,
) -> Frame:
    """The pairs of these queries, of which some were judged, by a stratum each."""
    pairs = {}
    for query, places in judged.items():
        drawn = [bands[place] for place in places]
        strata = {name: Stratum(name, bands.count(name), drawn.count(name)) for name in bands}
        pairs[query] = {moment(query, place): strata[name] for place, name in enumerate(bands)}
    rows = [(query, [JudgedMoment(f"v{own}", 0, 10, grades[query][own]) for own in judged[query]]) for query in judged]
    return Frame(GroundTruth.of(rows), Sampling("sampling.csv", queries or {}, pairs))


def by_measure(found: list[SampledScore]) -> dict[str, SampledScore]:
    return {own.measure.partition(",")[0]: own for own in found}


def every_sample() -> list[dict[str, SampledScore]]:
    """Two of three and three of five, drawn in each of the thirty ways."""
    ways = product(combinations(range(3), 2), combinations(range(3, 8), 3))
    run = run_of({"q": ORDER})
    return [by_measure(scores(frame_of({"q": GRADES}, {"q": a + b}), [run], ALL)) for a, b in ways]


def test_where_all_are_judged_each_is_the_measure_itself() -> None:
    rng = np.random.default_rng(5)
    grades = {f"q{place}": rng.binomial(4, 0.3, 8).tolist() for place in range(6)} | {"none": [0] * 8}
    orders = {query: rng.permutation(10).tolist() for query in grades}
    frame, run = frame_of(grades, dict.fromkeys(grades, range(8))), run_of(orders)
    found = by_measure(scores(frame, [run], ALL))
    ours = evaluate(frame.truth, [run], ["NDCG@4,IoU>=0.5", "infAP,IoU>=0.5", "mAP,IoU>=0.5", "P@4", "R@4", "AP"])
    expected = {record.measure: record.per_query for record in ours}
    for name, same, near in (
        ("NDCG@4", "NDCG@4,IoU>=0.5", 1e-12),
        ("xinfAP", "infAP,IoU>=0.5", 1e-4),
        ("xinfAP", "mAP,IoU>=0.5", 1e-12),
        ("xinfAP", "AP", 1e-12),
        ("P@4", "P@4", 1e-12),
        ("recall@4", "R@4", 1e-12),
    ):
        own = found[name].per_query
        values = [own[query].value for query in grades]
        assert np.isnan(values[-1]) is not (name == "P@4") and found[name].queries == len(values) - np.isnan(values[-1])
        assert values[:-1] == pytest.approx(expected[same][:-1], abs=near), (name, same)  # type: ignore[index]
        assert found[name].error == 0 and found[name].low == found[name].estimate == found[name].high
    assert found["xinfAP"].estimate == pytest.approx(ours[2].value)


@pytest.mark.parametrize("name", LINEAR)
def test_over_all_samples_totals_and_their_variances_have_no_bias(name: str) -> None:
    run = run_of({"q": ORDER})
    truth = by_measure(scores(frame_of({"q": GRADES}, {"q": range(8)}), [run], ALL))[name].estimate
    found = [own[name].per_query["q"] for own in every_sample()]
    values, variances = np.array(found).T
    assert values.mean() == pytest.approx(truth) and variances.mean() == pytest.approx(values.var())


@pytest.mark.parametrize("name", ["recall@4", "NDCG@4", "xinfAP"])
def test_over_all_samples_ratios_are_near(name: str) -> None:
    run = run_of({"q": ORDER})
    truth = by_measure(scores(frame_of({"q": GRADES}, {"q": range(8)}), [run], ALL))[name].estimate
    assert np.mean([own[name].estimate for own in every_sample()]) == pytest.approx(truth, abs=0.02)


def test_where_queries_are_drawn_too_the_mean_has_no_bias_nor_its_variance() -> None:
    rng = np.random.default_rng(1)
    grades = {f"q{place}": rng.binomial(4, 0.4, 4).tolist() for place in range(4)}
    orders = {query: rng.permutation(4).tolist() for query in grades}
    run = run_of(orders)
    truth = scores(frame_of(grades, dict.fromkeys(grades, range(4)), "aabb"), [run], ["DCG@3"])[0].estimate
    means, variances = [], []
    of_a_query = [(a, b) for a in (0, 1) for b in (2, 3)]
    drawn = {query: Stratum("all", 4, 2) for query in grades}
    for two in combinations(grades, 2):
        for first, second in product(of_a_query, repeat=2):
            frame = frame_of(grades, dict(zip(two, (first, second), strict=True)), "aabb", drawn)
            (found,) = scores(frame, [run], ["DCG@3"])
            means.append(found.estimate)
            assert found.frame == 4 and found.queries == 2
    assert np.mean(means) == pytest.approx(truth)
    # With two of each stratum judged, each query's own variance is known, and so is the mean's.
    bands, wide = "aaa", {query: rng.binomial(4, 0.4, 3).tolist() for query in list(grades)[:3]}
    drawn = {query: Stratum("all", 3, 2) for query in wide}
    run, means = run_of({query: [0, 1, 2] for query in wide}), []
    for two in combinations(wide, 2):
        for ways in product(combinations(range(3), 2), repeat=2):
            (found,) = scores(frame_of(wide, dict(zip(two, ways, strict=True)), bands, drawn), [run], ["DCG@2"])
            means.append(found.estimate)
            variances.append(found.error**2)
    assert np.mean(variances) == pytest.approx(np.var(means))


def test_whole_queries_give_any_measure_with_an_interval_of_the_finite_population() -> None:
    rng = np.random.default_rng(2)
    grades = {f"q{place}": rng.binomial(4, 0.3, 6).tolist() for place in range(8)}
    run = run_of({query: rng.permutation(6).tolist() for query in grades})
    rows = [
        (query, [JudgedMoment(f"v{own}", 0, 10, grade) for own, grade in enumerate(grades[query])]) for query in grades
    ]
    name = "NDCG@5,IoU>0.5"
    (whole,) = evaluate(GroundTruth.of(rows), [run], [name])
    means, variances = [], []
    sampling = Sampling("sampling.csv", {query: Stratum("all", 8, 3) for query in grades}, {})
    for chosen in combinations(rows, 3):
        (found,) = scores(Frame(GroundTruth.of(chosen), sampling), [run], [name])
        means.append(found.estimate)
        variances.append(found.error**2)
    assert np.mean(means) == pytest.approx(whole.value) and np.mean(variances) == pytest.approx(np.var(means))
    bare = GroundTruth.of([*rows[:2], (rows[2][0], [JudgedMoment("v0", 0, 10, 0)])])
    (same,) = evaluate(bare, [run], ["NDCG@5,IoU>=0.5"])
    (found,) = scores(Frame(bare, sampling), [run], ["NDCG@5"])
    assert found.estimate == pytest.approx(same.value) and found.queries == 3, (
        "0 where nothing is relevant, as in score"
    )
    own, other = scores(Frame(GroundTruth.of(rows[:3]), sampling), [run], ["xinfAP", "mAP,IoU>=0.5"])
    assert [value.value for value in own.per_query.values()] == pytest.approx(
        [v.value for v in other.per_query.values()]
    )


def test_intervals_of_totals_hold() -> None:
    rng = np.random.default_rng(0)
    grades = {f"q{place}": (rng.binomial(4, 0.4, 20) * (rng.random(20) < 0.5)).tolist() for place in range(30)}
    run = run_of({query: np.argsort(-(np.array(own) + rng.normal(0, 2, 20))).tolist() for query, own in grades.items()})
    bands = "a" * 5 + "b" * 15
    whole = by_measure(scores(frame_of(grades, dict.fromkeys(grades, range(20)), bands), [run], ["DCG@10", "P@10"]))
    hits = dict.fromkeys(whole, 0)
    for _ in range(100):
        judged = {query: [*rng.choice(5, 3, False), *(5 + rng.choice(15, 4, False))] for query in grades}
        for name, own in by_measure(scores(frame_of(grades, judged, bands), [run], ["DCG@10", "P@10"])).items():
            hits[name] += own.low <= whole[name].estimate <= own.high
    assert min(hits.values()) >= 89  # of 100 at 95 %: less would come once in a hundred tries


def test_what_a_sample_can_t_say_is_said() -> None:
    run = run_of({"q": ORDER, "p": ORDER})
    nothing = by_measure(scores(frame_of({"q": GRADES}, {"q": [0, 1]}), [run], ALL))  # no pair of stratum b
    assert all(np.isnan(own.estimate) and own.queries == 0 for own in nothing.values())
    irrelevant = by_measure(scores(frame_of({"q": GRADES}, {"q": [1, 2, 4, 6]}), [run], [*ALL, "xinfAP,rel>=2"]))
    assert irrelevant["DCG@4"].queries == 1
    found = scores(frame_of({"q": GRADES}, {"q": [1, 2, 4, 6]}), [run], ["xinfAP,rel>=2"])[0]
    assert np.isnan(found.estimate)
    # One judged pair of a stratum says nothing of its variance: of one query alone there is no interval.
    (alone,) = scores(frame_of({"q": GRADES}, {"q": [0, 3]}), [run], ["DCG@4"])
    assert alone.estimate > 0 and np.isnan(alone.low)
    (both,) = scores(frame_of({"q": GRADES, "p": GRADES}, {"q": [0, 3], "p": [1, 5]}), [run], ["DCG@4"])
    assert both.low < both.estimate < both.high


def test_values_that_are_all_alike_don_t_make_an_interval_of_nothing() -> None:
    sampling = Sampling("s.csv", dict.fromkeys("qpxy", Stratum("all", 4, 2)), {})
    run = run_of({"q": ORDER, "p": ORDER})
    some = Frame(GroundTruth.of([("q", []), ("p", [])]), sampling)
    (found,) = scores(some, [run], ["P@4"])
    assert found.estimate == 0 and found.high == -found.low == pytest.approx((1 - 0.05**0.5) / 2)
    every = Sampling("s.csv", dict.fromkeys("qp", Stratum("all", 2, 2)), {})
    (found,) = scores(Frame(some.truth, every), [run], ["P@4"])
    assert found.high == 0, "nothing is left to draw"


def test_what_isn_t_in_the_sampling_is_refused() -> None:
    frame = frame_of({"q": GRADES}, {"q": [0, 1, 3, 4]})
    for truth, sentence in (
        (GroundTruth.of([("p", [])]), "found query_id 'p' and 0 more that aren't in sampling.csv"),
        (GroundTruth.of([("q", [JudgedMoment("v77", 0, 10, 1)])]), r"found v77 \[0, 10\] with a grade"),
    ):
        with pytest.raises(EvaluationError, match=sentence):
            Frame(truth, frame.sampling)
    more = GroundTruth.of([("q", [JudgedMoment(f"v{place}", 0, 10, 1) for place in (0, 1, 2)])])
    with pytest.raises(EvaluationError, match="found 3 with a grade in stratum 'a' of query_id q"):
        Frame(more, frame.sampling)
    whole = Sampling("s.csv", dict.fromkeys("qp", Stratum("all", 2, 1)), {})
    with pytest.raises(EvaluationError, match="found 2 with a grade in stratum 'all', expected at most the 1"):
        Frame(GroundTruth.of([("q", []), ("p", [])]), whole)
    with pytest.raises(EvaluationError, match="none of its 1 query ids"):
        scores(frame, [run_of({"x": ORDER})], ["P@4"])


@pytest.mark.parametrize(
    "name", ["xinfAP@5", "P", "recall@0", "DCG@2000000", "best", "P@5,IoU>=2", "P@5,rel>=0", "R@5", "NDCG@5,rel>=2"]
)
def test_a_wrong_measure_is_refused(name: str) -> None:
    with pytest.raises(EvaluationError, match=r"expected|between|above 0"):
        sampled_measure(name)


def files(folder: Path) -> list[Any]:
    """Two queries of whose six pairs three and a half were judged."""
    head = "query_id,pair_id,stratum,stratum_size,drawn,probability,video_name,timestamp"
    lines, truth = [head], []
    for query in ("q1", "q2"):
        judged = []
        for place in range(6):
            size, drawn = (2, 2) if place < 2 else (4, 2)
            pair = place if place < 4 else ""
            lines.append(f'{query},{pair},{"ab"[place > 1]},{size},{drawn},{drawn / size},v{place},"[0, 10.5]"')
            if place < 4 and (query, place) != ("q2", 3):
                judged.append((f"v{place}", [0, 10.5], 4 - place))
        truth.append((query, judged))
    (folder / "sampling.csv").write_text("\n".join(lines))
    run = run_rows(*((query, [(f"v{place}", [0, 10], 9 - place) for place in range(6)]) for query in ("q1", "q2")))
    return [
        *(
            "sampled",
            write_lines(folder / "mine.jsonl", run),
            "--truth",
            write_json(folder / "t.json", truth_rows(*truth)),
        ),
        *("--sampling", folder / "sampling.csv"),
    ]


def test_the_command_prints_estimates_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, notes = told(capsys, *files(tmp_path))
    assert "t.json: 2 queries of 2, 7 of their 12 pairs judged" in out and "xinfAP,IoU>=0.5" in out
    assert "1 drawn pair without a grade" in notes
    out, _ = told(capsys, *files(tmp_path), "--measures", "P@4", "--json")
    own = json.loads(out)["runs"]["mine"]["P@4,IoU>=0.5"]
    # Two whose weight is 1 and two whose weight is 2 are the first four: an unbiased estimate may pass 1.
    assert own["per_query"]["q1"] == {"value": 1.5, "variance": 0.0} and own["queries"] == 2


def test_the_command_refuses_what_it_can_t_estimate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, error = told(capsys, *files(tmp_path), "--measures", "R@5,IoU>=0.5", code=2)
    assert "expected one of xinfAP" in error


def test_the_command_notes_queries_drawn_and_not_judged_and_strata_without_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"q{place},,{'ab'[place > 3]},4,{3 if place < 4 else 0},{0.75 if place < 4 else 0}" for place in range(8)]
    sampling = tmp_path / "s.csv"
    sampling.write_text("query_id,pair_id,stratum,stratum_size,drawn,probability\n" + "\n".join(rows))
    truth = write_json(tmp_path / "t.json", truth_rows(*((f"q{n}", [("v", [0, 9], 1)]) for n in range(2))))
    run = write_lines(tmp_path / "mine.jsonl", run_rows(("q0", [("v", [0, 9], 1)])))
    out, notes = told(capsys, "sampled", run, "--truth", truth, "--sampling", sampling, "--measures", "P@1")
    assert "1 drawn query without a grade: taken as missing at random" in notes
    assert "4 queries of s.csv in strata of which no query has a grade in t.json: left out" in notes
    assert "2 queries of 4" in out
