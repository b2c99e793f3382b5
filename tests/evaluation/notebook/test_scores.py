"""Scores in a notebook: a table, whatever they were made of, and its answers."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluation import EvaluationError, EvaluationWarning, InputError, evaluate, score
from evaluation.notebook.given import RunGiven, RunsGiven, TruthGiven
from evaluation.significance.comparison import compare
from tests.evaluation import oracle
from tests.evaluation.files import run_rows
from tests.evaluation.notebook.world import (
    JUDGED,
    MEASURES,
    RANKED,
    run_objects,
    truth_object,
    truth_records,
    write_files,
)


def frame_of(rows: dict[str, Any], value: str, **more: Any) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"query_id": query_id, "video_name": video, "start": times[0], "end": times[1], value: number, **more}
            for query_id, moments in rows.items()
            for video, times, number in moments
        ]
    )


def tuples_of(rows: dict[str, Any]) -> dict[str, list[tuple[str, float, float, float]]]:
    return {
        query_id: [(video, times[0], times[1], number) for video, times, number in own]
        for query_id, own in rows.items()
    }


def test_every_way_of_giving_truth_and_runs_gives_the_same_scores(tmp_path: Path) -> None:
    expected = [record.value for record in evaluate(truth_object(), run_objects(), MEASURES)]
    path, paths = write_files(tmp_path)
    truths: list[TruthGiven] = [
        path,
        str(path),
        truth_object(),
        truth_records(),
        tuples_of(JUDGED),
        truth_object().records(),
        frame_of(JUDGED, "relevance"),
    ]
    mixed: dict[str, RunGiven] = {"mine": paths[0], "other": run_objects()[1]}
    runs: list[RunsGiven] = [
        paths,
        [str(path) for path in paths],
        run_objects(),
        {name: tuples_of(ranked) for name, ranked in RANKED.items()},
        {name: run_rows(*ranked.items()) for name, ranked in RANKED.items()},
        {name: frame_of(ranked, "score") for name, ranked in RANKED.items()},
        mixed,
        pd.concat([frame_of(ranked, "score", run=name) for name, ranked in RANKED.items()]),
    ]
    for truth in truths:
        for given in runs:
            scores = score(truth, given, MEASURES)
            assert [run.name for run in scores.runs] == ["mine", "other"]
            assert [record.value for record in scores.records] == expected
    alone = score(path, paths[1], "AxIoU@5")
    assert alone.dicts() == [{"run": "other", "AxIoU@5": expected[4]}]
    assert score(path, {"q": paths[1]}).head[1:] == [
        f"NDCG@{k},IoU>={mu}" for k in (10, 20, 40) for mu in (0.3, 0.5, 0.7)
    ]


def test_a_data_frames_missing_grade_is_a_moment_of_the_pool() -> None:
    rows = frame_of(JUDGED, "relevance").convert_dtypes()
    rows.loc[1, "relevance"] = pd.NA
    scores = score(rows, frame_of(RANKED["mine"], "score"), ["Judged@1,IoU>=0.5"])
    assert len(scores.truth.grade) == 4
    assert scores.truth.pooled is not None and scores.truth.pooled.start.tolist() == [5.0]


def test_no_score_is_given_where_a_query_has_none_of_its_own() -> None:
    unscored = {"1": [("castle_s01e01", 0.0, 9.0)]}
    assert score(JUDGED_TUPLES, unscored, ["R@1,IoU>0.5"]).dicts() == [
        {"run": "run", "R@1,IoU>0.5": pytest.approx(1 / 3)}
    ]


JUDGED_TUPLES = tuples_of(JUDGED)


@pytest.mark.parametrize(
    ("truth", "runs", "said"),
    [
        ({"q": [("v", 3, 1, 2)]}, {"q": []}, "ground truth, record 1, query_id q, moment 1: found timestamp [3, 1], a"),
        ([{"query_id": 1}], {"q": []}, "record 1, query_id 1: found no relevant_moment"),
        (
            pd.DataFrame({"query_id": [1]}),
            {"q": []},
            "found a data frame with query_id, expected video_name, start, end",
        ),
        ({}, {"q": []}, "ground truth: found no query"),
        (3, {"q": []}, "found 3, expected a path, a data frame, a list of records or a dict by query"),
        (JUDGED_TUPLES, [], "found no run"),
        (JUDGED_TUPLES, {}, "run: found no row, expected one query or more"),
        (JUDGED_TUPLES, {"mine": {}}, "mine: found no row, expected one query or more"),
        (JUDGED_TUPLES, {"mine": {"1": [("v", 3.0)]}}, "mine, record 1, prediction 1: found ['v', 3.0], expected"),
        (JUDGED_TUPLES, {"1": [("v", 0, 1, 0.5), ("v", 0, 1)]}, "found no score, expected a score"),
        (JUDGED_TUPLES, {"9": []}, "none of its 1 query ids is in ground truth"),
        (JUDGED_TUPLES, 3, "found 3, expected a path"),
        (JUDGED_TUPLES, "nowhere.jsonl", "nowhere.jsonl: found no such file"),
    ],
)
def test_what_cannot_be_read_is_told(truth: Any, runs: Any, said: str) -> None:
    with pytest.raises(EvaluationError) as refused:
        score(truth, runs)
    assert said in str(refused.value)


def test_it_shows_itself_in_a_terminal_a_notebook_and_a_paper() -> None:
    with pytest.warns(EvaluationWarning, match="other: 1 of 3 queries had no predictions"):
        scores = score(truth_object(), run_objects(), MEASURES)
    shown = repr(scores).splitlines()
    assert shown[0] == "ground truth" and "3 queries, 5 judged moments" in shown
    assert not any(line.startswith("other: ") for line in shown), "a warning has told it"
    assert shown[-4].split() == ["measure", "mine", "other"], "the shorter of the two lies across"
    html = scores._repr_html_()
    assert html.startswith("<table><caption") and '<td style="text-align: right">' in html
    assert (
        "IoU&gt;=0.5" in html and "<script" not in score(truth_object(), {"<script>": tuples_of(RANKED["mine"])}).html()
    )
    assert "NDCG@20,IoU$\\geq$0.5 & " in scores.latex()
    assert "| NDCG@20,IoU>=0.5 | " in scores.markdown()
    rows = list(csv.reader(io.StringIO(scores.csv())))
    assert rows[0] == ["run", *MEASURES]
    assert [float(cell) for cell in rows[1][1:]] == [record.value for record in scores.records[:3]], "all digits"


def test_a_long_table_is_shown_in_part() -> None:
    truth = {f"q{number}": [("v", 0.0, 9.0, 1)] for number in range(100)}
    own = score(truth, {"q0": [("v", 0.0, 9.0)]}, ["R@1,IoU>0.5"]).per_query()
    assert "100 rows, of which some are shown." in repr(own) and len(repr(own).splitlines()) < 40
    assert len(own.text().splitlines()) == len(own.rows) + 1 == 101


def test_data_frames_have_a_column_for_each_end_of_an_interval() -> None:
    scores = score(truth_object(), run_objects(), MEASURES)
    frame = scores.frame().set_index("run")
    assert list(frame.columns) == MEASURES and frame.loc["mine", "AxIoU@5"] == scores.records[1].value
    compared = scores.compare(draws=200).frame()
    assert {"difference", "low", "high", "p", "Holm"} <= set(compared.columns) and "interval" not in compared.columns
    assert (compared["low"] <= compared["difference"]).all() and (compared["difference"] <= compared["high"]).all()
    per_query = scores.per_query().frame()
    for measure in MEASURES:
        assert per_query.loc[per_query["run"] == "mine", measure].mean() == pytest.approx(frame.loc["mine", measure])
    assert per_query["mAP,IoU>=0.5"].isna().sum() == 2, "query 3 has no relevant moment"


def test_what_needs_a_library_that_is_not_there_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = score(truth_object(), run_objects(), MEASURES)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(EvaluationError, match="pip install pandas"):
        scores.frame()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(EvaluationError, match="pip install matplotlib"):
        scores.plot()


def test_groups_hold_the_queries_that_they_say(tmp_path: Path) -> None:
    scores = score(truth_records(), run_objects(), ["AxIoU@5"])
    value = {str(row["query_id"]): row["AxIoU@5"] for row in scores.per_query().dicts() if row["run"] == "mine"}

    def groups(*given: Any, **more: Any) -> dict[object, tuple[object, object]]:
        table = scores.by(*given, **more)
        return {row[1]: (row[2], row[3]) for row in table.rows}

    def mean(*queries: str) -> Any:
        return len(queries), pytest.approx(np.mean([value[query] for query in queries]))

    assert groups("show") == {"castle": mean("1", "3"), "ship": mean("2")}
    assert groups("relevant") == {"0": mean("3"), "1": mean("2"), "2-5": mean("1")}
    assert groups("length") == {"1-5": mean("2", "3"), "6-10": mean("1")}
    assert groups({"1": "indoors", "2": "outdoors"}) == {
        "indoors": mean("1"),
        "outdoors": mean("2"),
        "(none)": mean("3"),
    }
    path = tmp_path / "kinds.csv"
    path.write_text("query_id,kind,other\n1,x,1\n2,y,1\n3,x,2\n")
    assert groups(path, column="kind") == {"x": mean("1", "3"), "y": mean("2")}
    with pytest.raises(InputError, match="found the columns query_id, kind, other, expected query_id and"):
        scores.by(path)
    with pytest.raises(EvaluationError, match=r"doesn't say language of its queries.*show, relevant, length, text"):
        scores.by("language")


def test_comparing_is_what_the_command_does_and_tukey_is_beside_it() -> None:
    scores = score(truth_object(), [*run_objects(), truth_object_run()], ["AxIoU@5"])
    expected = compare(scores.truth, scores.runs, ["AxIoU@5"], draws=300, seed=7)
    found = scores.compare(draws=300, seed=7, tukey=True).dicts()
    assert [(row["first"], row["second"], row["difference"], row["p"], row["Holm"]) for row in found] == [
        (one.first, one.second, one.difference, one.p_value, one.corrected) for one in expected
    ]
    assert all(isinstance(row["Tukey"], float) and 0 < row["Tukey"] <= 1 for row in found)
    standings = scores.standings(draws=300).dicts()
    assert [row["mean"] for row in standings] == sorted((record.value for record in scores.records), reverse=True)
    with pytest.raises(EvaluationError, match="uAP"):
        score(truth_object(), run_objects(), ["uAP,IoU>=0.5"]).compare()


def truth_object_run() -> Any:
    (run,) = [run for run in run_objects() if run.name == "mine"]
    return type(run).of("third", [("1", run.of_query("1")[1:])])


def test_recall_by_rank_is_the_share_of_relevant_moments_found() -> None:
    scores = score(truth_object(), run_objects(), ["AxIoU@5"])
    found = scores.recall(depth=3)
    judged = tuples_of(JUDGED)
    for place, (_, ranked) in enumerate(RANKED.items(), start=1):
        for row in found.rows:
            shares = []
            for query in ("1", "2"):
                best = sorted(tuples_of(ranked).get(query, []), key=lambda one: -one[3])[: int(str(row[0]))]
                taken = oracle.take(judged[query], [one[:3] for one in best], 0.5, False, 1.0)
                relevant = sum(grade >= 1 for *_, grade in judged[query])
                shares.append(sum(one is not None for one in taken) / relevant)
            assert row[place] == pytest.approx(np.mean(shares))


def test_plots_show_these_numbers() -> None:
    import matplotlib

    matplotlib.use("Agg")
    scores = score(truth_object(), run_objects(), MEASURES)
    axes = scores.plot(measure="AxIoU@5")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["other", "mine"], "the best at the top"
    assert axes.lines[0].get_xdata() == pytest.approx([scores.records[4].value, scores.records[1].value])
    assert axes.get_xlabel() == "AxIoU@5"
    axes = scores.plot("differences", runs=["other", "mine"])
    assert axes.get_title() == "0 gains, 2 losses, 1 ties"
    again = scores.plot("recall", depth=3, ax=axes.figure.add_subplot())
    assert [np.asarray(line.get_ydata()).tolist() for line in again.lines] == [
        [row[place] for row in scores.recall(depth=3).rows] for place in (1, 2)
    ]
    with pytest.raises(EvaluationError, match="found no run 'nobody', expected one of these: mine, other"):
        scores.plot(runs=["nobody"])
    with pytest.raises(EvaluationError, match="R@1 is none of the measures"):
        scores.plot(measure="R@1")
