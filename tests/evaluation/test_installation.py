"""The evaluation installed alone: an empty environment, `pip install ./evaluation`, the command.

It takes numpy, scipy and the build's backend from the package index that pip is configured for, as script/test does.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from benchmarks.verify import Written
from tests.evaluation import oracle
from tests.evaluation.files import REPOSITORY, run_rows, truth_rows, write_json, write_lines

pytestmark = pytest.mark.long


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, check=False)


def test_it_installs_alone_and_scores_in_an_empty_environment(tmp_path: Path) -> None:
    venv.create(tmp_path / "empty", with_pip=False)
    python = tmp_path / "empty" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--retries", "1"]
    before = run("git", "status", "--short", "--ignored", "evaluation", cwd=REPOSITORY).stdout
    done = run(*pip, "install", "--quiet", "--no-compile", "./evaluation", cwd=REPOSITORY)
    if done.returncode and "connection broken" in done.stderr:
        pytest.skip("the package index can't be reached")
    assert done.returncode == 0, done.stderr
    assert run("git", "status", "--short", "--ignored", "evaluation", cwd=REPOSITORY).stdout == before
    there = {path.name.split("-")[0] for path in (tmp_path / "empty").glob("lib/*/site-packages/*.dist-info")}
    assert there == {"numpy", "scipy", "qreels_eval"}
    assert list((tmp_path / "empty").glob("lib/*/site-packages/qreels_eval/py.typed")), (
        "its types are for who installs it"
    )

    judged = [("a", 0.0, 10.0, 4.0), ("b", 0.0, 10.0, 2.0)]
    ranked = [("b", 0.0, 8.0), ("a", 0.0, 6.0)]
    write_json(tmp_path / "val.json", truth_rows((1, [(video, [s, e], grade) for video, s, e, grade in judged])))
    write_lines(tmp_path / "mine.jsonl", run_rows((1, [(video, [s, e], -i) for i, (video, s, e) in enumerate(ranked)])))
    command = tmp_path / "empty" / "bin" / "qreels-eval"
    done = run(command, "score", "val.json", "mine.jsonl", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (scored,) = json.loads(done.stdout).values()
    assert scored == {
        f"NDCG@{k},IoU>={mu}": pytest.approx(oracle.ndcg(judged, ranked, k, mu, strict=False))
        for k in (10, 20, 40)
        for mu in (0.3, 0.5, 0.7)
    }
    # Everything but plain IR measures is there: the studies, which need scipy, and their figures.
    done = run(
        command, "stability", "val.json", "mine.jsonl", "--studies", "theory", "--figures", "drawn", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "drawn").glob("*.svg"))
    assert run(command, "--help", cwd=tmp_path).stdout.startswith("usage: qreels-eval ")
    (tmp_path / "release").mkdir()
    Written(tmp_path / "release", small=True).write()
    done = run(command, "verify", "release", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "grades: holds: " in done.stdout


def test_it_has_the_products_version_and_runs_on_its_pythons() -> None:
    product, alone = (
        tomllib.loads((REPOSITORY / folder / "pyproject.toml").read_text())["project"] for folder in ("", "evaluation")
    )
    assert all(product[key] == alone[key] for key in ("version", "requires-python"))
