"""Posteriors of grades: against a plain writing of the formulas, on drawn judgments, and at the edges."""

from __future__ import annotations

import csv
import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from evaluation.errors import EvaluationError
from evaluation.judgments.annotator_model import SLIP, STRENGTH
from evaluation.judgments.consensus import PAPER
from evaluation.judgments.posteriors import Posteriors, posteriors
from evaluation.judgments.repeats import decided
from evaluation.reading.judgments import Judgments, read_judgments
from tests.evaluation.files import real_files, run_rows, told, write_json, write_lines


def drawn(pairs: int = 800, workers: int = 6, each: int = 2) -> tuple[Judgments, list[int]]:
    """Judgments by workers of whom the first always tells the truth and the last guesses; true grades."""
    rng = np.random.default_rng(9)
    true = rng.integers(0, 5, pairs)
    rows = []
    for pair, grade in enumerate(true.tolist()):
        for worker in rng.choice(workers, each, replace=False).tolist():
            off = 0 if worker == 0 else int(rng.integers(-1, 2))
            rows.append(
                (pair, worker, int(rng.integers(0, 5)) if worker == workers - 1 else min(4, max(0, grade + off)))
            )
    pair, worker, grade = np.array(rows).T
    names = tuple(f"w{place}" for place in range(workers))
    return Judgments("drawn", tuple(map(str, range(pairs))), names, pair, worker, grade), true.tolist()


def step(found: Posteriors) -> list[list[float]]:
    """One round more, written as the formulas stand in the paper."""
    own, q = found.judgments, found.fit.posterior
    grades, workers = range(q.shape[1]), range(len(own.workers))
    rows = list(zip(own.pair.tolist(), own.worker.tolist(), own.grade.tolist(), strict=True))
    confusion = {}
    for w, k in product(workers, grades):
        pull = [SLIP ** abs(k - grade) for grade in grades]
        counts = [STRENGTH * one / sum(pull) for one in pull]
        for pair, worker, grade in rows:
            if worker == w:
                counts[grade] += q[pair, k]
        confusion[w, k] = [one / sum(counts) for one in counts]
    prior = [(sum(q[:, k]) + 1) / (len(q) + len(grades)) for k in grades]
    posterior = []
    for place in range(len(q)):
        likelihood = list(prior)
        for pair, worker, grade in rows:
            if pair == place:
                likelihood = [one * confusion[worker, k][grade] for k, one in enumerate(likelihood)]
        posterior.append([one / sum(likelihood) for one in likelihood])
    return posterior


def test_another_round_by_the_formulas_changes_nothing() -> None:
    judgments, _ = drawn(pairs=60)
    found = posteriors(judgments)
    assert found.fit.converged
    np.testing.assert_allclose(step(found), found.fit.posterior, atol=1e-3)
    np.testing.assert_allclose(found.fit.posterior.sum(axis=1), 1)
    np.testing.assert_allclose(found.fit.confusion.sum(axis=2), 1)


def test_who_judges_well_counts_more() -> None:
    judgments, true = drawn(each=4)
    found = posteriors(judgments)
    hit = [float(np.diag(confusion) @ found.fit.prior) for confusion in found.fit.confusion]
    assert hit[0] == max(hit) > 0.8 and hit[-1] == min(hit) < 0.4
    alone = (found.fit.multinomial.argmax(axis=1) == true).mean()
    assert (found.fit.posterior.argmax(axis=1) == true).mean() > alone + 0.05
    sure = found.fit.posterior.max(axis=1) > 0.9
    assert (found.fit.posterior.argmax(axis=1) == true)[sure].mean() > 0.85, "what is said to be sure is right as often"


def test_what_another_judge_would_change() -> None:
    table = np.array(
        [(0, 0, 2), (0, 1, 2), (1, 0, 0), (1, 1, 3), (2, 0, 4), *((3, w, g) for w, g in enumerate((1, 1, 4, 1)))]
    )
    pair, worker, grade = table.T
    judgments = Judgments("four", ("a", "b", "c", "d"), ("w0", "w1", "w2", "w3"), pair, worker, grade)
    found = posteriors(judgments)
    changed, states = found.changed_by_another()
    assert states == ["graded", "open", "open", "graded"] and np.isnan(changed[1:3]).all()
    said = found.of_another[0]
    # 2 and 2: another 0 or 4 would be a dispute, 3 would make it 3; 1 and 2 still make 2.
    assert changed[0] == pytest.approx(said[0] + said[3] + said[4])


def test_the_command_writes_each_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judgments, _ = drawn(pairs=50)
    path, out = tmp_path / "raw.csv", tmp_path / "posteriors.csv"
    rows = zip(judgments.pair.tolist(), judgments.worker.tolist(), judgments.grade.tolist(), strict=True)
    path.write_text("pair_id,worker,relevance\n" + "".join(f"{p},w{w},{g}\n" for p, w, g in rows))
    printed, _ = told(capsys, "posteriors", path, "--output", out)
    assert printed.startswith("raw.csv: 100 judgments, 50 pairs, 6 workers") and "would end otherwise" in printed
    with out.open() as file:
        table = list(csv.DictReader(file))
    assert len(table) == 50
    for row in table:
        assert sum(float(row[f"p{grade}"]) for grade in range(5)) == pytest.approx(1, abs=1e-5)
        assert (row["changed"] == "") == (row["state"] == "open")
    data = json.loads(told(capsys, "posteriors", path, "--json")[0])
    assert data["pairs"] == 50 and set(data["confusion"]) == {f"w{worker}" for worker in range(6)}
    _, errors = told(capsys, "posteriors", path, "--output", tmp_path / "no" / "where.csv", code=2)
    assert "cannot be written" in errors
    with pytest.raises(EvaluationError, match="found the grade 4, expected 0 to 3"):
        posteriors(read_judgments(path), top_grade=3)


def test_of_published_judgments_all_states_are_the_rule_s(tmp_path: Path) -> None:
    lines = (real_files("tvr_ranking") / "raw_annotation.csv").read_text().splitlines(keepends=True)
    (tmp_path / "raw.csv").write_text("".join(lines[:20_001]))
    judgments = read_judgments(tmp_path / "raw.csv")
    found = posteriors(judgments)
    changed, states = found.changed_by_another()
    assert list(decided(judgments, "as-published", PAPER).states) == states
    assert 0.3 < float(np.nanmean(changed)) < 0.5


def test_four_grades_end_as_four_whatever_the_first_two_say() -> None:
    pair, worker, grade = np.zeros(4, dtype=np.int64), np.arange(4), np.array([0, 0, 1, 1])
    found = posteriors(Judgments("one", ("a",), ("w0", "w1", "w2", "w3"), pair, worker, grade))
    changed, states = found.changed_by_another()
    assert states == ["graded"]
    # The mean of 0 and 1 is rounded up to 1. With 0 in a 1's place, half of them all, it is 0; with more in a 0's place
    # it is 1 still.
    assert changed[0] == pytest.approx(found.of_another[0][0] / 2)


def test_a_lower_highest_grade_is_the_rule_s_too_and_its_file_is_read_by_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw, out = tmp_path / "raw.csv", tmp_path / "posteriors.csv"
    raw.write_text("pair_id,worker,relevance\n" + "".join(f"{n},a,{n % 3}\n{n},b,{n % 3}\n" for n in range(9)))
    told(capsys, "posteriors", raw, "--top-grade", "2", "--output", out)
    rows = list(csv.DictReader(out.open()))
    assert {row["p3"] for row in rows} == {row["multinomial4"] for row in rows} == {"0.000000"}
    truth = write_json(
        tmp_path / "truth.json",
        [
            {
                "query_id": "q",
                "relevant_moment": [{"video_name": "v", "timestamp": [0, 9], "relevance": 1, "pair_id": 4}],
            }
        ],
    )
    run = write_lines(tmp_path / "run.jsonl", run_rows(("q", [("v", [0, 9], 1.0)])))
    told(capsys, "score", truth, run, "--posteriors", out, "--measures", "R@1,IoU>=0.5", "--draws", "2")
    with pytest.raises(SystemExit) as ended:
        told(capsys, "posteriors", raw, "--top-grade", "5")
    assert ended.value.code == 2 and "invalid choice: 5 (choose from 1, 2, 3, 4)" in capsys.readouterr().err
