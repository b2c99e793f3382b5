"""A release as researchers open it: by three lines, and by the notebook of the manual."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation import load, score
from tests.datasets.conftest import World
from tests.evaluation.files import REPOSITORY
from tests.evaluation.installing import cells_of, done, environment_of, under_its_own_name

pytestmark = pytest.mark.django_db(transaction=True)

NOTEBOOK = REPOSITORY / "docs" / "notebook.ipynb"


def released(world: World, folder: Path) -> Release:
    release = create_release(collection=world.collection, name="v1")
    write_release(release=release, folder=folder)
    return release


def test_folder_and_archive_give_what_the_release_says_of_itself(judged: World, tmp_path: Path) -> None:
    made = released(judged, tmp_path / "tiny-v1")
    (tmp_path / "tiny-v1.tar.gz").write_bytes(default_storage.open(made.archive).read())
    for path in (tmp_path / "tiny-v1", tmp_path / "tiny-v1.tar.gz"):
        release = load(path)
        counts = made.manifest["counts"]
        assert release.name == "tiny-v1" and release.splits == ("val", "test")
        assert [len(release.truth(split)) for split in release.splits] == [
            counts[split]["queries"] for split in ("val", "test")
        ]
        assert release.training_depths == (1, 20, 40)
        assert len(list(release.training())) == counts["training"]["queries"]
        assert set(release.files) == {*made.files, "manifest.json"}
        assert len(release.durations) == counts["videos"]["all"]
        assert release.texts["102"] == "A man pours coffee, and a dog watches."
        scores = score(release.val, release.sample_run)
        assert all(
            f"| {record.measure} | {record.value:.4f} |" in (tmp_path / "tiny-v1" / "README.md").read_text()
            for record in scores.records
        )
        opened = made.manifest["statistics"]["splits"]["val"]["queries_by_batches"]
        assert {row[1]: row[2] for row in scores.by("batches").rows} == opened
        assert [row[1:3] for row in scores.by("language").rows[:1]] == [["en", len(release.val)]]


def test_the_notebooks_cells_run(judged: World, tmp_path: Path) -> None:
    released(judged, tmp_path / "release")
    program = "\n".join(["import matplotlib", "matplotlib.use('Agg')", *cells_of(NOTEBOOK)])
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": under_its_own_name(tmp_path), "MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "102 A man pours coffee" in ended.stdout and "\\toprule" in ended.stdout


@pytest.mark.long
def test_the_notebook_runs_in_a_kernel_with_the_package_installed(judged: World, tmp_path: Path) -> None:
    released(judged, tmp_path / "release")
    packages = (f"{REPOSITORY / 'evaluation'}[notebook]", "nbclient", "ipykernel")
    python = environment_of(sys.executable, tmp_path / "env", *packages)
    program = (
        "import nbformat, nbclient, sys\n"
        "notebook = nbformat.read(sys.argv[1], 4)\n"
        "nbformat.validate(notebook)\n"
        "nbclient.NotebookClient(notebook, timeout=300).execute(cwd='.')\n"
        "print(nbformat.writes(notebook))\n"
    )
    ran = json.loads(done(python, "-c", program, NOTEBOOK, cwd=tmp_path))
    shown = [output.get("data", {}) for cell in ran["cells"] for output in cell.get("outputs", [])]
    tables = ["".join(one["text/html"]) for one in shown if "text/html" in one]
    assert len(tables) == 5 and "NDCG@20,IoU&gt;=0.5" in tables[0]
    assert sum("image/png" in one for one in shown) == 1
