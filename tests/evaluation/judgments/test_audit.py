"""``python -m evaluation audit``: what stands in a file of judgments."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evaluation.judgments import audit as audit_module
from evaluation.judgments.agreement import _drawn, agreement, couples_of, draws_for
from evaluation.judgments.consensus import decide
from evaluation.judgments.repeats import alike, decided
from evaluation.reading.judgments import Judgments, read_judgments
from tests.evaluation.files import real_files, run_rows, told, truth_rows, write_json, write_lines

Rows = list[tuple[str, str, int]]


def write_judgments(path: Path, rows: Rows) -> Path:
    path.write_text("pair_id,worker,relevance\n" + "".join(f"{pair},{who},{grade}\n" for pair, who, grade in rows))
    return path


def audited(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    out, _ = told(capsys, "audit", *arguments, "--json")
    found: dict[str, Any] = json.loads(out)
    return found


SMALL: Rows = [
    ("p1", "a", 3),
    ("p1", "b", 4),
    ("p2", "a", 0),
    ("p2", "b", 3),
    ("p2", "c", 1),
    ("p2", "d", 2),
    ("p3", "a", 0),
    ("p3", "b", 4),
    ("p3", "c", 4),
    ("p3", "d", 0),
    ("p4", "a", 1),
    ("p5", "a", 1),
    ("p5", "b", 4),
    ("p6", "a", 2),
    ("p6", "b", 2),
    ("p6", "b", 4),
    ("p6", "c", 4),
    ("p7", "a", 3),
    ("p7", "a", 1),
]


def test_the_rule_decides_each_pair_and_says_what_is_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(capsys, write_judgments(tmp_path / "raw.csv", SMALL))
    assert {name: found[name] for name in ("judgments", "pairs", "workers", "graded", "discarded", "open")} == {
        "judgments": 19,
        "pairs": 7,
        "workers": 4,
        "graded": 2,
        "discarded": 2,
        "open": 3,
    }
    assert found["by_grade"] == [0, 0, 1, 0, 1]
    assert found["pairs_by_judgments"] == {"1": 1, "2": 3, "4": 3}
    assert found["open_pairs"] == ["p4", "p5", "p7"]
    assert found["judged_by_both_rounds_though_the_first_agreed"] == 1
    assert found["lowest_highest"][2][4] == 1 and found["lowest_highest"][0][4] == 1


def test_a_repeated_id_counts_as_each_policy_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(capsys, write_judgments(tmp_path / "raw.csv", SMALL))
    assert (found["pairs_with_a_repeated_id"], found["repeated_judgments"]) == (2, 2)
    states = {name: (row["graded"], row["discarded"], row["open"]) for name, row in found["policies"].items()}
    # Of p6 the first keeps 2, 2, 4, and the last 2, 4, 4; of p7 one judgment is left.
    assert states == {"as-published": (2, 2, 3), "first": (3, 1, 3), "last": (2, 1, 4), "left-out": (2, 1, 2)}
    assert found["policies"]["left-out"]["left-out"] == 2
    assert found["policies"]["first"]["by_grade"] == [0, 0, 2, 0, 1]
    assert found["policies"]["first"]["changed_grades"] == 1
    assert found["agreement"]["repeats of one id"]["couples"] == 2


def test_the_published_judgments_give_what_the_paper_prints(capsys: pytest.CaptureFixture[str]) -> None:
    path = real_files("tvr_ranking") / "raw_annotation.csv"
    found = audited(capsys, path, "--draws", 20)
    assert (found["judgments"], found["pairs"], found["workers"]) == (227_808, 96_483, 21)
    assert found["graded"] == 94_442 and round(100 * found["graded"] / found["pairs"], 2) == 97.88
    # Two of the pairs without a grade lack their second round: the rule has them open.
    assert (found["discarded"], found["open"], found["open_pairs"]) == (2_039, 2, ["166445", "166459"])
    assert found["pairs_by_judgments"] == {"2": 79_062, "4": 17_421}
    assert found["pairs_with_a_repeated_id"] == 11_682


def test_the_published_grades_are_the_rules_by_hand() -> None:
    judgments = read_judgments(real_files("tvr_ranking") / "raw_annotation.csv")
    by_hand = [decide(grades) for grades in judgments.grades_by_pair()]
    assert list(decided(judgments).grades) == [decision.grade for decision in by_hand]


def drawn(seed: int, pairs: int = 60, judges: int = 3) -> Judgments:
    rng = np.random.default_rng(seed)
    pair = np.repeat(np.arange(pairs), judges)
    worker = np.concatenate([rng.permutation(5)[:judges] for _ in range(pairs)])
    grade = np.clip(rng.integers(0, 5, pairs)[pair] + rng.integers(-1, 2, len(pair)), 0, 4)
    return Judgments("drawn", tuple(map(str, range(pairs))), tuple("abcde"), pair, worker, grade)


@pytest.mark.parametrize("judges", [2, 3, 4])
def test_alpha_is_krippendorffs_and_kappa_is_cohens(judges: int) -> None:
    judgments = drawn(judges, judges=judges)
    couples = couples_of(judgments, 4)
    counts = np.array([np.bincount(grades, minlength=5) for grades in judgments.grades_by_pair()])
    alpha = krippendorff.alpha(value_counts=counts, value_domain=range(5), level_of_measurement="ordinal")
    assert agreement(couples).alpha.value == pytest.approx(alpha, abs=1e-12)
    first = couples.chosen((couples.nth == (0, 1)).all(axis=1))
    one, other = zip(*(grades[:2] for grades in judgments.grades_by_pair()), strict=True)
    found = agreement(first)
    for name, weights in (("kappa", None), ("linear", "linear"), ("quadratic", "quadratic")):
        expected = cohen_kappa_score(one, other, labels=range(5), weights=weights)
        assert getattr(found, name).value == pytest.approx(expected, abs=1e-12)
        assert getattr(found, name).low < expected < getattr(found, name).high


def test_two_workers_agree_as_their_common_pairs_do() -> None:
    judgments = drawn(1)
    couples = couples_of(judgments, 4)
    for one, other in combinations(range(5), 2):
        grades: list[tuple[int, int]] = []
        for pair in range(60):
            own = {
                int(w): int(g)
                for p, w, g in zip(judgments.pair, judgments.worker, judgments.grade, strict=True)
                if p == pair
            }
            if one in own and other in own:
                grades.append((own[one], own[other]))
        both = couples.chosen((np.sort(couples.worker, axis=1) == (one, other)).all(axis=1)).of_worker(one)
        found = agreement(both, workers_too=False)
        assert found.couples == len(grades)
        expected = cohen_kappa_score(*zip(*grades, strict=True), labels=range(5), weights="quadratic")
        assert found.quadratic.value == pytest.approx(expected, abs=1e-12)
        assert np.isnan(found.quadratic.low), "nothing is drawn where queries aren't known"


def test_runs_are_scored_by_each_policys_grades(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = write_judgments(
        tmp_path / "raw.csv", [("1", "a", 4), ("1", "b", 4), ("2", "a", 1), ("2", "b", 1), ("2", "b", 4), ("2", "c", 4)]
    )
    pairs = truth_rows(("q", [("v", [0, 5], 4), ("w", [0, 5], 3)]))
    for number, moment in enumerate(pairs[0]["relevant_moment"], start=1):
        moment["pair_id"] = number
    val = write_json(tmp_path / "val.json", pairs)
    good = write_lines(tmp_path / "good.jsonl", run_rows(("q", [("v", [0, 5], 2), ("w", [0, 5], 1)])))
    bad = write_lines(tmp_path / "bad.jsonl", run_rows(("q", [("w", [0, 5], 2), ("v", [0, 5], 1)])))
    found = audited(capsys, raw, "--pairs", val, "--runs", good, bad)
    ranks = {name: {row["run"]: row["rank"] for row in policy["systems"]} for name, policy in found["policies"].items()}
    assert ranks["first"] == {"good": 1, "bad": 2}
    assert found["resampled"] == "queries and workers"
    values = [row["value"] for row in found["policies"]["left-out"]["systems"]]
    assert values[0] == 1.0 > values[1]


def test_pairs_are_read_from_csv_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = write_judgments(tmp_path / "raw.csv", [("1", "a", 4), ("1", "b", 4)])
    pairs = tmp_path / "pairs.csv"
    pairs.write_text('pair_id,query_id,video_name,timestamp\n1,q,v,"[0, 5]"\n')
    run = write_lines(tmp_path / "mine.jsonl", run_rows(("q", [("v", [0, 5], 2)])))
    assert audited(capsys, raw, "--pairs", pairs, "--runs", run)["policies"]["first"]["systems"][0]["value"] == 1
    pairs.write_text('pair_id,query_id,video_name,timestamp\n1,q,v,"[5, 5]"\n2,q,v,\n')
    _, said = told(capsys, "audit", raw, "--pairs", pairs, code=2)
    assert "pairs.csv, line 2" in said and "pairs.csv, line 3" in said


FORMS = {
    "qrels": "q1 a v@0-5 3\nq1 b v@0-5 4\nq1 a w@0-5 -1\n",
    "tabs": "worker\trelevance\tpair_id\na\t3\t1\nb\t4\t1\n",
    "ten columns": "pair_id,query_id,query,video_name,timestamp,duration,caption,similarity,worker,relevance\n"
    '1,q,A man.,v,"[0, 5]",9,A man.,1.0,a,3\n1,q,A man.,v,"[0, 5]",9,A man.,1.0,b,4\n',
    "Label Studio": json.dumps(
        [
            {
                "id": 7,
                "data": {"query_id": "q", "video_name": "v", "timestamp": [0, 5]},
                "annotations": [
                    {"completed_by": 1, "result": [{"value": {"rating": 4}}]},
                    {"completed_by": {"id": 2}, "result": [{"value": {"choices": ["4"]}}]},
                    {"completed_by": 3, "was_cancelled": True, "result": []},
                ],
                "predictions": [{"result": [{"value": {"rating": 1}}]}],
            }
        ]
    ),
    "Label Studio's CSV": "annotator,annotation_id,id,relevance\n1,10,7,3\n2,11,7,4\n,,8,\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_each_format_is_told_by_its_content(form: str, tmp_path: Path) -> None:
    path = tmp_path / "judgments"
    path.write_text(FORMS[form])
    judgments = read_judgments(path)
    assert (judgments.grade.tolist(), len(judgments.workers), len(judgments.pair_ids)) == ([3, 4], 2, 1)
    if form not in ("tabs", "Label Studio's CSV"):
        moment = (judgments.moments or (None,))[0]
        assert moment is not None and moment[1:] == ("v", 0, 5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pair_id,worker,grade\n1,a,3\n", "line 1: found no column relevance"),
        ("pair_id,worker,relevance\n1,a,5\n", "line 2: found relevance '5', expected a whole number from 0 to 4"),
        ("pair_id,worker,relevance\n1,a,3,9\n", "line 2: found 4 columns, expected 3"),
        ("pair_id,worker,relevance\n1, ,3\n,a,3\n", "line 3: found pair_id ''"),
        ("pair_id,worker,relevance\n", "found no judgment"),
        ('pair_id,worker,relevance,query_id,video_name,timestamp\n1,a,3,q,v,"[5, 0]"\n', "a reversed interval"),
        ('pair_id,worker,relevance,query_id,video_name,timestamp\n1,a,3,q,v,"[0, 5]"\n1,b,3,q,w,"[0, 5]"\n', "line 3"),
        ("q1 a v@0-5 3\nq1 b v 4\n", "line 2: found 'v', expected a moment id like video@"),
        (
            '[{"id": 3, "data": {}, "annotations": [{"completed_by": "x@y", "result": []}]}]',
            "found completed_by: a mail",
        ),
        ("hello\n", "Label Studio's export; or qrels"),
        ("", "expected a CSV file with the columns"),
    ],
)
def test_a_fault_is_named_with_its_line(
    text: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "raw.csv"
    path.write_text(text)
    _, said = told(capsys, "audit", path, code=2)
    assert "raw.csv" in said and expected in said and "x@y" not in said


def test_ids_alike_in_unicode_are_one(tmp_path: Path) -> None:
    path = write_judgments(tmp_path / "raw.csv", [("1", "Zo\u00eb", 3), ("1", "Zoe\u0308", 4)])
    assert read_judgments(path).workers == ("Zo\u00eb",)


def test_text_markdown_csv_and_figures_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_judgments(tmp_path / "raw.csv", SMALL)
    for output in ("text", "markdown", "csv"):
        out, said = told(capsys, "audit", path, "--output", output, "--figures", tmp_path / "figures")
        assert "left-out" in out and "Lowest and highest grade" in out
        assert "3 pairs lack judgments" in said
    names = Counter(file.suffix for file in (tmp_path / "figures").iterdir())
    assert names == {".svg": 3}


def test_a_runs_pairs_must_be_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = write_judgments(tmp_path / "raw.csv", SMALL)
    run = write_lines(tmp_path / "mine.jsonl", run_rows(("q", [("v", [0, 5], 2)])))
    _, said = told(capsys, "audit", raw, "--runs", run, code=2)
    assert "--pairs FILE" in said
    val = write_json(tmp_path / "val.json", truth_rows(("q", [("v", [0, 5], 4)])))
    _, said = told(capsys, "audit", raw, "--pairs", val, code=2)
    assert "7 of 7 pairs aren't in the pairs' data" in said


def test_pairs_without_data_are_passed_over_unless_they_have_a_grade(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = write_judgments(tmp_path / "raw.csv", SMALL)
    pairs = tmp_path / "pairs.csv"
    pairs.write_text('pair_id,query_id,video_name,timestamp\np1,q,v,"[0, 5]"\np2,q,v,"[0, 9]"\n')
    run = write_lines(tmp_path / "mine.jsonl", run_rows(("q", [("v", [0, 5], 2)])))
    out, said = told(capsys, "audit", raw, "--pairs", pairs, "--runs", run, "--json")
    found = json.loads(out)
    assert (found["pairs"], found["pairs_without_data"]) == (7, 5)
    assert "5 pairs, none with a grade, aren't in the pairs' data" in said
    assert found["policies"]["first"]["graded"] == 3, "p6 is graded by another policy"
    values = {name: policy["systems"][0]["value"] for name, policy in found["policies"].items()}
    assert values["first"] == values["as-published"], "standings are without p6"
    judgments = replace(read_judgments(raw), moments=(("q", "v", 0, 5), ("q", "v", 0, 9), *[None] * 5))
    assert couples_of(judgments, 4).queries == 6, "each is a query of its own"
    out, _ = told(capsys, "audit", raw, "--pairs", pairs)
    assert "Pairs that the pairs' data lack, none with a grade: 5." in out and "judgments: pairs p4, p5, p7." in out
    pairs.write_text('pair_id,query_id,video_name,timestamp\np6,q,v,"[0, 5]"\n')
    _, said = told(capsys, "audit", raw, "--pairs", pairs, code=2)
    expected = "6 of 7 pairs aren't in the pairs' data (pairs.csv), 2 of them graded by the rule, the first is 'p1'"
    assert expected in said and "expected every graded pair" in said


def test_the_published_judgments_are_audited_with_data_of_graded_pairs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = real_files("tvr_ranking") / "raw_annotation.csv"
    judgments = read_judgments(path)
    # As val.json and test.json: no pair that was discarded.
    pairs = zip(judgments.pair_ids, decided(judgments).states, strict=True)
    rows = [f'{pair},q{int(pair) % 500},v,"[0, 5]"\n' for pair, state in pairs if state != "discarded"]
    about = tmp_path / "pairs.csv"
    about.write_text("pair_id,query_id,video_name,timestamp\n" + "".join(rows))
    found = audited(capsys, path, "--pairs", about, "--draws", 2)
    assert found["pairs_without_data"] == 2_039 and found["resampled"] == "queries and workers"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("before", [0, 20_000])
def test_a_file_that_is_not_utf_8_is_named_with_line_and_byte(
    before: int, packed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = b"pair_id,worker,relevance\n" + b"1,a,3\n" * before + "2,Zoë,3\n".encode("latin-1")
    path = tmp_path / "raw.csv"
    path.write_bytes(gzip.compress(content) if packed else content)
    _, said = told(capsys, "audit", path, code=2)
    assert f"raw.csv, line {before + 2}: found encoding b'\\xeb', expected UTF-8 (byte 5 of the line)" in said


@pytest.mark.parametrize("workers_too", [True, False])
def test_a_draw_weighs_each_couple_by_its_query_and_both_workers(workers_too: bool) -> None:
    judgments = drawn(3, judges=4)
    moments = tuple((f"q{number % 7}", "v", 0.0, 5.0) for number in range(60))
    couples = couples_of(replace(judgments, moments=moments), 4)
    draws = draws_for(couples, 20)
    by_hand = np.zeros((20, 5, 5))
    for query, (one, other), (first, second), weight in zip(
        couples.query, couples.worker, couples.grade, couples.weight, strict=True
    ):
        times = draws.queries[query] * weight
        if workers_too:
            times = times * draws.workers[one] * (draws.workers[other] if one != other else 1)
        by_hand[:, first, second] += times
    cell = couples.grade[:, 0].astype(np.int64) * 5 + couples.grade[:, 1]
    np.testing.assert_allclose(_drawn(couples, cell, draws, workers_too=workers_too), by_hand)


@pytest.mark.parametrize("people", [4, 40])
def test_rows_of_grades_that_are_alike_are_found_however_long(people: int) -> None:
    first = np.random.default_rng(0).integers(-1, 3, (50, people))
    rows, place = alike(first)
    assert [rows[each] for each in place] == first.tolist()
    assert len(rows) == len(set(map(tuple, first.tolist())))


def test_what_nobody_reads_is_left_out_and_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MOST_SINGLE", "MOST_COUPLED"):
        monkeypatch.setattr(audit_module, name, 2)
    rows = [("p1", f"w{number}", number % 5) for number in range(14)] + [("p2", "w0", 1), ("p2", "w1", 2)]
    out, _ = told(capsys, "audit", write_judgments(tmp_path / "raw.csv", rows))
    assert "Of a pair's judgments the first 12 are compared; pairs with more: 1." in out
    assert "12 workers with fewest judgments are left out." in out
    assert "64 couples of workers with fewest such pairs are left out." in out


def test_one_person_and_one_judgment_are_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(capsys, write_judgments(tmp_path / "raw.csv", [("p1", "a", 3)]))
    assert (found["open"], found["workers"], found["agreement"]["all"]["couples"]) == (1, 1, 0)
    assert found["agreement"]["all"]["alpha"] == {"value": None, "low": None, "high": None}
