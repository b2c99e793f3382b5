"""What is warned of, and what --strict makes of it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from evaluation import EvaluationWarning, GroundTruth, JudgedMoment, Prediction, Run, evaluate, parse_measure, score
from evaluation import warnings_about as all_warnings
from evaluation.scores.warnings import about_intervals
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines
from tests.evaluation.worlds import World, worlds

TRUTH = {
    "q1": [("a", 0, 10, 3), ("b", 0, 10, 1)],
    "q2": [("a", 0, 10, 2)],
}
GOOD = {"q1": [("a", 0, 10, 0.9), ("b", 0, 9, 0.5), ("c", 0, 9, 0.1)], "q2": [("a", 0, 9, 0.9)]}


def found(truth: Any, run: Any, *measures: str) -> list[str]:
    """What `score` warns of, which is what `warnings_about` finds."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = score(truth, {"mine": run}, measures or ["AxIoU@2"])
    said = [str(one.message) for one in caught if one.category is EvaluationWarning]
    parsed = [parse_measure(name) for name in scores.measures]
    assert said == all_warnings(scores.truth, scores.runs, parsed, scores.records)
    assert all(one.filename == __file__ for one in caught)
    return said


def test_nothing_is_said_where_nothing_is_odd() -> None:
    assert found(TRUTH, GOOD) == []


@pytest.mark.parametrize(
    ("truth", "run", "measure", "said"),
    [
        (
            TRUTH | {"q2": [("a", 0, 10, 2), ("b", 0, 10, 1), ("a", 0.0, 10.0, 1), ("a", 0, 10, 0)]},
            GOOD,
            "AxIoU@2",
            "ground truth: 2 moments are there twice and count twice, the first in query q2: a 0-10",
        ),
        (TRUTH | {"q2": []}, GOOD, "AxIoU@2", "ground truth: 1 of 2 queries have no relevant moment"),
        (TRUTH, {"q1": GOOD["q1"]}, "AxIoU@2", "mine: 1 of 2 queries had no predictions"),
        (TRUTH, GOOD | {"z": []}, "AxIoU@2", "mine: 1 row of queries that the ground truth does not know, ignored"),
        (
            TRUTH,
            GOOD | {"q2": [("a", 0, 5, 1), ("b", 0, 5, 2)]},
            "AxIoU@2",
            "mine: 1 list not in order of score, ranked by it",
        ),
        (
            TRUTH,
            GOOD | {"q2": [("a", 0, 5, 3), ("a", 0, 4, 2), ("a", -0.0, 5, 1)]},
            "AxIoU@2",
            "mine: 1 prediction repeats an earlier one of the same query, the first in query q2",
        ),
        (
            TRUTH,
            GOOD | {"q2": [("a", 0, 5, 1), ("a", 0, 4, 1), ("a", 0, 3, 1)]},
            "AxIoU@2",
            "mine: 1 of 2 lists of two predictions or more with one score throughout: their order is the file's",
        ),
        (
            TRUTH,
            GOOD | {"q2": [("a", 0, 5, 2), ("a", 0, 4, 1), ("a", 0, 3, 1)]},
            "AxIoU@2",
            "mine: scores tie across the cut @2 in 1 query: which of them count is the file's order",
        ),
        ({"q1": [("a", 0, 1, 0)]}, {"q1": []}, "mAP,IoU>=0.5", "mine: no query has a value of mAP,IoU>=0.5"),
    ],
)  # fmt: skip
def test_each_oddity_is_told(truth: Any, run: Any, measure: str, said: str) -> None:
    assert said in found(truth, run, measure)
    assert len(found(truth, run, measure)) == 1 or measure.startswith("mAP")


def test_ties_matter_where_a_cutoff_parts_them_and_unscored_lists_have_none() -> None:
    tied = GOOD | {"q2": [("a", 0, 5, 2), ("a", 0, 4, 1), ("a", 0, 3, 1)]}
    assert found(TRUTH, tied, "AxIoU@1", "AxIoU@3", "mAP,IoU>=0.5") == []
    assert "the cut @2 in 1 query:" in found(TRUTH, tied, "AxIoU@1", "R@2,IoU>0.5", "AxIoU@3")[0]
    assert found(TRUTH, {query: [moment[:3] for moment in moments] for query, moments in tied.items()}) == []


def test_one_query_is_too_few_for_intervals_and_tests() -> None:
    assert about_intervals(2) == []
    two: dict[str, Any] = {"mine": {"q1": GOOD["q1"]}, "other": {"q1": []}}
    for ask in ("compare", "standings"):
        scores = score({"q1": TRUTH["q1"]}, two, ["AxIoU@2"])
        with pytest.warns(EvaluationWarning, match="one query: an interval can't be estimated"):
            getattr(scores, ask)(draws=100)


@settings(max_examples=60, deadline=None)
@given(world=worlds())
def test_repeats_are_counted_as_a_slow_count_has_them(world: World) -> None:
    def again(lists: Any) -> int:
        return sum(len(spans) - len({(video, start, end) for video, start, end, *_ in spans}) for spans in lists)

    said = all_warnings(world.ground_truth(), [world.run()])
    for what, number in (
        ("there twice", again(world.judged.values())),
        ("of the same query, the", again(world.answers.values())),
    ):
        (text,) = [text for text in said if what in text] or [": 0 "]
        assert text.partition(": ")[2].startswith(f"{number} ")


def test_moments_that_share_no_more_than_a_sum_are_no_repeats() -> None:
    spans = [(float(a), float(a + b)) for a in range(200) for b in range(1, 60)]
    truth = GroundTruth.of([("q", [JudgedMoment("v", *span, 1) for span in spans])])
    run = Run.of("run", [("q", [Prediction("v", *span) for span in [*spans, spans[7]]])])
    assert all_warnings(truth, [run]) == [
        "run: 1 prediction repeats an earlier one of the same query, the first in query q"
    ]
    assert not np.isnan(evaluate(truth, [run], ["AxIoU@1"])[0].value)


def test_strict_ends_with_all_warnings_and_without_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judged = [("a", [0, 10], 4), ("a", [0, 10], 4)]
    truth = write_json(tmp_path / "val.json", truth_rows((1, judged)))
    one = write_lines(tmp_path / "one.jsonl", run_rows((1, [("a", [0, 10], 1), ("b", [0, 10], 1)]), (9, [])))
    two = write_lines(tmp_path / "two.jsonl", run_rows((1, [("a", [0, 10], 2), ("b", [0, 10], 1)])))
    values = tmp_path / "values.csv"
    for command, more in (("score", ["--per-query", values]), ("compare", []), ("significance", ["--pairs", values])):
        arguments = (command, truth, one, two, "--measures", "AxIoU@1", "--strict", *more)
        out, said = told(capsys, *arguments, code=2)
        assert out == "" and not values.exists()
        assert "warning: val.json: 1 moment is there twice" in said
        assert "warning: one: 1 row of queries that the ground truth does not know" in said
        assert "warning: one: 1 of 1 list of two predictions or more with one score" in said
        assert ("warning: one query: an interval" in said) == (command != "score")
        assert said.endswith(f"error: {3 if command == 'score' else 4} warnings, and --strict allows none\n")
    good = write_json(tmp_path / "test.json", truth_rows((1, judged[:1]), (2, judged[:1])))
    fine = write_lines(tmp_path / "fine.jsonl", run_rows(*((q, [("a", [0, 10], 2)]) for q in (1, 2))))
    out, said = told(capsys, "score", good, fine, "--measures", "AxIoU@1", "--strict", "--json")
    assert json.loads(out) == {"fine": {"AxIoU@1": 1.0}} and "warning" not in said
