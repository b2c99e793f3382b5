"""`python -m evaluation estimate`: what it prints, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.guarantees.board import Board, Difference, Interval, MoreQueries, queries_for
from tests.evaluation.files import run_rows, told, truth_rows, write_json, write_lines

MEASURE, OTHER = "NDCG@5,IoU>=0.5", "R@1,IoU>=0.5"


def files(folder: Path, *, people: int = 40, queries: int = 120) -> list[object]:
    """Two systems, a good one and a bad one, a third like the second; a machine that grades half a grade too high."""
    rng = np.random.default_rng(7)
    grades = rng.binomial(4, rng.beta(1, 1.5, (queries, 1)), (queries, 6))
    grades[:, 0] = np.maximum(grades[:, 0], 1)
    above = np.minimum(grades + (rng.random(grades.shape) < 0.5), 4)

    def truth(values: Any, count: int) -> list[dict[str, Any]]:
        return truth_rows(
            *(
                (f"q{query}", [(f"v{place}", [0, 10], float(grade)) for place, grade in enumerate(row)])
                for query, row in enumerate(values[:count].tolist())
            )
        )

    def run(noise: float) -> list[dict[str, Any]]:
        score = grades + rng.normal(0, noise, grades.shape)
        return run_rows(
            *(
                (f"q{query}", [(f"v{place}", [0, 10], float(row[place])) for place in np.argsort(-row)])
                for query, row in enumerate(score)
            )
        )

    runs = [
        write_lines(folder / f"{name}.jsonl", run(noise)) for name, noise in (("good", 0.3), ("bad", 4), ("like", 4))
    ]
    few = write_json(folder / "people.json", truth(grades, people))
    all_of_them = write_json(folder / "machine.json", truth(above, queries))
    return ["estimate", *runs, "--people", few, "--machine", all_of_them, "--measures", MEASURE, OTHER]


def test_json_has_runs_and_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capsys, *files(tmp_path), "--json")
    found = json.loads(out)
    assert set(found["runs"]) == {"good", "bad", "like"} and found["queries"] == 120
    for by_measure in found["runs"].values():
        for own in by_measure.values():
            assert own["low"] <= own["estimate"] <= own["high"]
            assert own["people_only"]["low"] <= own["people_only"]["estimate"] <= own["people_only"]["high"]
    assert len(found["differences"]) == 3
    for name, by_measure in found["differences"].items():
        assert set(by_measure) == {MEASURE, OTHER}
        first, second = name.split(" - ")
        for measure, own in by_measure.items():
            low, high = own["simultaneous"]
            assert low <= own["low"] <= own["estimate"] <= own["high"] <= high
            assert own["settled"] == (low > 0 or high < 0) == (own["more_queries"] is None)
            runs = found["runs"]
            apart = runs[first][measure]["estimate"] - runs[second][measure]["estimate"]
            assert own["estimate"] == pytest.approx(apart, abs=0.05), "the sign is that of the name"
    assert 0 < found["machine_above_people"] < 1 and found["pairs_by_both"] == 240 and 0.5 < found["kappa"] < 1


def test_text_says_how_the_machine_grades_before_any_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capsys, *files(tmp_path))
    lines = out.splitlines()
    assert lines[0] == "people.json: 40 of 120 queries, machine.json: all of them"
    assert lines[1].startswith("the machine grades 0.") and "above people, quadratic kappa 0." in lines[1]
    assert "settled: 2 of 3 orders; good > " in out and "more queries settle the rest" in out
    told_again, _ = told(capsys, *files(tmp_path))
    assert told_again == out


def test_with_all_queries_judged_all_is_settled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = told(capsys, *files(tmp_path, people=120), "--json")
    assert all(own["settled"] for by_measure in json.loads(out)["differences"].values() for own in by_measure.values())
    out, _ = told(capsys, *files(tmp_path, people=120), "--json", "--queries", "such")
    found = json.loads(out)
    assert not found["differences"]["bad - like" if "bad - like" in found["differences"] else "like - bad"][MEASURE][
        "settled"
    ]
    assert "too few to settle the rest" in found["settled"][MEASURE]


def test_one_run_has_no_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = files(tmp_path)
    out, _ = told(capsys, line[0], line[1], *line[4:])
    assert "difference  " not in out and "good" in out


def test_few_queries_and_another_scale_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = files(tmp_path, people=10)
    _, notes = told(capsys, *line)
    assert "people judged 10 queries, and fewer than 20 can't say how far to follow a machine" in notes
    rows = json.loads(Path(str(line[5])).read_text())
    rows[0]["relevant_moment"][0]["relevance"] = 9
    write_json(Path(str(line[5])), rows)
    _, notes = told(capsys, *line)
    assert "people's highest grade is 9, the machine's 4: is it one scale?" in notes


def test_people_s_queries_have_to_be_among_the_machine_s(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = files(tmp_path, people=40, queries=120)
    people, machine = line[5], line[7]
    _, errors = told(capsys, *line[:5], machine, "--machine", people, *line[8:], code=2)
    assert "machine.json: 80 of 120 queries aren't in people.json, the first is 'q40'" in errors
    _, errors = told(capsys, *line[:8], "--measures", "uAP(video)", code=2)
    assert "has no value for each query" in errors
    with pytest.raises(SystemExit, match="2"):
        told(capsys, *line[:8], "--level", "95")


def test_the_same_run_twice_is_alike_and_never_better_than_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = files(tmp_path, people=120)
    again = tmp_path / "again.jsonl"
    again.write_bytes(Path(str(line[1])).read_bytes())
    whole = [line[0], line[1], again, *line[4:]]
    out, _ = told(capsys, *whole)
    assert "settled: good = again" in out and "alike" in out
    people = Path(str(line[5]))
    write_json(people, json.loads(people.read_text())[:40])
    found = json.loads(told(capsys, *whole, "--json")[0])
    assert found["settled"][MEASURE].startswith("settled: 0 of 1 orders; good ? again; about 80 more queries")


def test_queries_whose_reciprocal_rounds_up_settle_all_the_same() -> None:
    assert [queries_for(0.0, 0.1, judged=10, beyond=1 / number) for number in (49, 98, 103)] == [39, 88, 93]


def test_the_rest_takes_what_the_order_that_takes_most_does() -> None:
    none = Interval(0, 0, 0)
    needed = [MoreQueries(1, 500, None), MoreQueries(90, 300, 400), None]
    differences = tuple(Difference("a", "b", 0.1, 0, 0.2, (0, 0.2), none, more) for more in needed)
    assert Board("M", 10, 900, (), differences, None, None, 0).rest == MoreQueries(90, 500, None)


def test_too_few_queries_are_refused_with_the_file_and_the_measure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, errors = told(capsys, *files(tmp_path, people=1), code=2)
    assert f"people.json: queries that people judged and that have a value of {MEASURE}: found 1, expected" in errors


def test_grades_that_are_all_alike_have_no_kappa(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = files(tmp_path)
    for path in (Path(str(line[5])), Path(str(line[7]))):
        rows = json.loads(path.read_text())
        for row in rows:
            for moment in row["relevant_moment"]:
                moment["relevance"] = 1
        write_json(path, rows)
    out, _ = told(capsys, *line)
    assert "the machine grades 0.00 above people, both always the same grade, on 240 moments" in out
