"""A release as researchers open it: by three lines, and by the notebook of the manual."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from corpus.models import Description
from datasets.models import Release
from datasets.releases.make_release import create_release, write_release
from evaluation import load, score
from evaluation.releases.check_release import check_release
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


def test_a_release_in_several_languages_says_each_query_s_and_is_looked_at_by_them(
    judged: World, tmp_path: Path
) -> None:
    judged.collection.language = "en-GB"
    judged.collection.save()
    Description.objects.filter(source_id__in=("101", "104")).update(language="de")
    made = create_release(collection=judged.collection, name="v1", formats=["tvr-ranking", "beir"])
    folder = tmp_path / "tiny-v1"
    write_release(release=made, folder=folder)
    stated = {"101": "de", "102": "en-GB", "103": "en-GB", "104": "de"}
    for split in ("val", "test"):
        records = json.loads((folder / f"{split}.json").read_text())
        assert {str(one["query_id"]): one["language"] for one in records}.items() <= stated.items()
        assert dict(load(folder).truth(split).fact("language")).items() <= stated.items()
    lines = map(json.loads, (folder / "beir" / "queries.jsonl").read_text().splitlines())
    assert {one["_id"]: one["metadata"]["language"] for one in lines} == stated
    release = load(folder)
    rows = score(release.val, release.sample_run, ["AxIoU@5"]).by("language").rows
    assert [row[1:3] for row in rows] == [["de", 1], ["en-GB", 1]]
    assert check_release(folder) == []
    text = (folder / "val.json").read_text()
    (folder / "val.json").write_text(text.replace('"language": "de"', '"language": "sv"'))
    problem = "val.json, query 101: found the language 'sv', expected one of manifest.json: ['de', 'en-GB']"
    assert problem in check_release(folder)


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
