"""`python -m evaluation settled`: what it prints and keeps, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.evaluation.files import told, write_json
from tests.evaluation.guarantees.test_estimate import MEASURE, files


def line(folder: Path, people: int, *more: object, goal: str = "first:1") -> list[object]:
    whole = files(folder, people=people)
    truths = whole[4:8]
    return ["settled", *whole[1:4], *truths, "--measure", MEASURE, "--goal", goal, *more]


def test_it_looks_keeps_the_look_and_looks_again_only_when_it_is_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "looks.json"
    out, _ = told(capsys, *line(tmp_path, 30, "--looks", kept, goal="first:3"))
    assert out.splitlines()[:2] == [f"{MEASURE}, goal first:3 at 95 %, look 1", "people judged 30 of 120 queries"]
    assert "settled: good > " in out and "more queries settle the rest" in out
    assert out.splitlines()[-1] == "the next look is at 35 queries"
    first = kept.read_bytes()
    out, notes = told(capsys, *line(tmp_path, 34, "--looks", kept, goal="first:3"))
    assert "no new look: the next look is at 35 queries; this is the one at 30 queries" in notes
    assert kept.read_bytes() == first and "look 1" in out
    out, _ = told(capsys, *line(tmp_path, 60, "--looks", kept, "--json", goal="first:3"))
    found = json.loads(out)
    assert [own["judged"] for own in found["looks"]] == [30, 60] and found["goal"] == "first:3"
    assert [own["judged"] for own in json.loads(kept.read_text())["looks"]] == [30, 60]
    assert not list(tmp_path.glob(".*")), "nothing is left beside it"


def test_a_goal_that_is_reached_ends_the_looks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "looks.json"
    out, _ = told(capsys, *line(tmp_path, 30, "--looks", kept))
    assert "settled: good > 2 others" in out and "next look" not in out
    _, notes = told(capsys, *line(tmp_path, 100, "--looks", kept))
    assert "no new look: the goal is reached; this is the one at 30 queries" in notes


def test_looks_of_another_goal_or_other_queries_or_another_file_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "looks.json"
    told(capsys, *line(tmp_path, 40, "--looks", kept, goal="first:3"))
    before = kept.read_bytes()
    _, errors = told(capsys, *line(tmp_path, 60, "--looks", kept, goal="first:2"), code=2)
    assert "looks.json, goal: found 'first:2', expected 'first:3' as at its first look" in errors
    fewer = line(tmp_path, 60, "--looks", kept, goal="first:3")
    people = Path(str(fewer[5]))
    write_json(people, json.loads(people.read_text())[10:])
    _, errors = told(capsys, *fewer, code=2)
    assert "people.json: 10 queries of the last look in" in errors and "the first is 'q0'" in errors
    assert kept.read_bytes() == before
    kept.write_text("[]")
    _, errors = told(capsys, *line(tmp_path, 60, "--looks", kept), code=2)
    assert "looks.json: found something else, expected looks that `settled` wrote" in errors
    _, errors = told(capsys, *line(tmp_path, 12), code=2)
    assert "12 queries are judged, the next look is at 30" in errors


def test_a_goal_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        told(capsys, *line(tmp_path, 40, goal="best:1"))
    assert ended.value.code == 2
    assert "found the goal 'best:1', expected first:K" in capsys.readouterr().err


def test_looks_that_can_t_be_written_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, errors = told(capsys, *line(tmp_path, 40, "--looks", tmp_path / "nowhere" / "looks.json"), code=2)
    assert "looks.json cannot be written: No such file or directory" in errors


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        ("spent", 0.0, "look 1: found spent 0, expected a look as `settled` wrote it, unchanged"),
        ("spent", -9, "look 1: found spent -9"),
        ("critical", 0, "look 1: found critical 0"),
        ("judged", 5, "look 1: found 40 judged_queries"),
        ("judged_queries", [], "look 1: found 0 judged_queries"),
        ("goal", 1, "look 1: found goal 1 of 120 queries"),
        ("judged", "40", "found something else, expected looks that `settled` wrote"),
        ("critical", None, "found something else"),
        ("more", {"fewest": "a", "about": 1, "most": 2}, "found something else"),
        ("order", [["good"], "bad", "like"], "found something else"),
        ("pairs", [], "found something else"),
    ],
)
def test_looks_edited_by_hand_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], at: str, value: object, said: str
) -> None:
    kept = tmp_path / "looks.json"
    asked = line(tmp_path, 40, "--looks", kept, goal="first:3")
    told(capsys, *asked)
    looks = json.loads(kept.read_text())
    looks["looks"][0][at] = value
    edited = write_json(kept, looks).read_bytes()
    _, errors = told(capsys, *asked, code=2)
    assert f"looks.json{', ' if said.startswith('look') else ': '}{said}" in errors
    assert kept.read_bytes() == edited


@pytest.mark.parametrize("text", ["[" * 100_000, '{"looks": [{"pairs": 1}]}'])
def test_looks_that_are_none_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    kept = tmp_path / "looks.json"
    kept.write_text(text)
    _, errors = told(capsys, *line(tmp_path, 40, "--looks", kept), code=2)
    assert "looks.json: found something else, expected looks that `settled` wrote" in errors


def test_looks_in_a_folder_s_place_are_refused_by_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, errors = told(capsys, *line(tmp_path, 40, "--looks", tmp_path), code=2)
    assert f"{tmp_path}: found a folder, expected a readable file" in errors
