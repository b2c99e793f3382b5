"""ir_datasets and mteb load what is exported for them, in environments of their own.

They come from the package index that pip is configured for. mteb stands on torch and sentence-transformers, which it
takes from the environment that runs the tests.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

from evaluation.formats.trec_ids import moment_id, written_id
from tests.evaluation.files import told
from tests.evaluation.outlets.releases import PAIRS, graded, write_release

pytestmark = pytest.mark.long
IR_DATASETS, MTEB = "ir_datasets==0.6.3", "mteb==2.26.24"

WITH_IR_DATASETS = """
import json, ir_datasets, qreels_release
name = qreels_release.register()
told = {"name": name, "docs": len(ir_datasets.load(name).docs)}
for split in ("val", "test"):
    dataset = ir_datasets.load(f"{name}/{split}")
    told[split] = {
        "queries": {query.query_id: query.text for query in dataset.queries},
        "qrels": dataset.qrels.asdict(),
        "counts": [len(dataset.docs), len(dataset.queries), len(dataset.qrels)],
        "places": {own.doc_id: own[2:5] for own in dataset.docs},
        "looked up": dataset.docs.lookup("alpha@0.0-4.25").text,
        "grades": dataset.qrels.defs,
    }
print(json.dumps(told))
"""
WITH_MTEB = """
import json, mteb, qreels_tasks
tasks = qreels_tasks.tasks()
told = {}
for task in tasks:
    task.load_data()
    told[task.metadata.name] = {
        split: {
            "qrels": own["relevant_docs"],
            "queries": list(own["queries"]["id"]),
            "corpus": list(own["corpus"]["id"]),
        }
        for split, own in task.dataset["default"].items()
    }
results = mteb.evaluate(mteb.get_model("mteb/baseline-random-encoder"), tasks, cache=None)
told["scores"] = {one.task_name: {split: own[0]["ndcg_at_10"] for split, own in one.scores.items()} for one in results}
print(json.dumps(told))
"""


def said_by(program: str, package: str, tmp_path: Path, *, above: bool = False) -> dict[str, Any]:
    """What a program prints in the folder `out`, where a package is installed; `above`: over this environment."""
    place = tmp_path / "environment"
    venv.create(place, with_pip=False)
    python = str(place / "bin" / "python")
    if above:
        packages = next(place.glob("lib/*/site-packages"))
        (packages / "above.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--retries", "1"]
    done = subprocess.run(
        [*pip, "install", "--quiet", "--no-compile", package], capture_output=True, text=True, check=False
    )
    if done.returncode and ("connection broken" in done.stderr or "No matching distribution" in done.stderr):
        pytest.skip("the package index can't be reached, or hasn't this version")
    assert done.returncode == 0, done.stderr
    home = str(tmp_path / "home")
    environment = {"HOME": home, "PATH": "/usr/bin:/bin", "HF_HUB_OFFLINE": "1", "PYTHONUTF8": "1"}
    ran = subprocess.run(
        [python, "-c", program], cwd=tmp_path / "out", env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
    return told


def qrels(split: str) -> dict[str, dict[str, int]]:
    """Grades by query and moment, as files have their ids."""
    found: dict[str, dict[str, int]] = {}
    for query, *place, grade in graded(split):
        found.setdefault(written_id(query), {})[moment_id(*place)] = grade  # type: ignore[arg-type]
    return found


def test_ir_datasets_loads_the_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    release = write_release(tmp_path / "mine-v1", manifest={"languages": ["en"]})
    told(capsys, "export", release, tmp_path / "out", "--to", "ir-datasets")
    loaded = said_by(WITH_IR_DATASETS, IR_DATASETS, tmp_path)
    assert (loaded["name"], loaded["docs"]) == ("mine-v1", 5)
    for split, queries in PAIRS.items():
        found, expected = loaded[split], qrels(split)
        assert found["qrels"] == expected
        assert found["queries"] == {written_id(str(query["query_id"])): query["query"] for query in queries}
        assert found["counts"] == [5, len(queries), len(graded(split))]
        for _, *place, _grade in graded(split):
            assert found["places"][moment_id(*place)] == place  # type: ignore[arg-type]
        assert found["looked up"] == "A man leaves."
        assert found["grades"]["4"] == "perfect"


def test_mteb_loads_both_tasks_and_scores_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sentence_transformers")
    release = write_release(tmp_path / "mine-v1", manifest={"languages": ["en"], "about": {"licence": "Ask us"}})
    told(capsys, "export", release, tmp_path / "out", "--to", "mteb")
    loaded = said_by(WITH_MTEB, MTEB, tmp_path, above=True)
    moments, videos = loaded["MineV1Moments"], loaded["MineV1Videos"]
    without = moment_id("gamma", 1.0, 2.0)  # it has no caption
    for split in PAIRS:
        captioned = {
            query: {own: grade for own, grade in of.items() if own != without} for query, of in qrels(split).items()
        }
        assert moments[split]["qrels"] == captioned
        assert sorted(moments[split]["queries"]) == sorted(captioned)
        assert set(moments[split]["corpus"]) == {
            *(own for split in PAIRS for of in qrels(split).values() for own in of if own != without),
            moment_id("silent", 2.0, 7.0),
        }
        best: dict[str, dict[str, int]] = {}
        for query, video, _, _, grade in graded(split):
            if video != "gamma":
                own = best.setdefault(written_id(query), {})
                own[written_id(video)] = max(own.get(written_id(video), 0), grade)
        assert videos[split]["qrels"] == best
    assert set(loaded["scores"]) == {"MineV1Moments", "MineV1Videos"}
    assert all(0 <= score <= 1 for own in loaded["scores"].values() for score in own.values())
