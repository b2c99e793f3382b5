"""RO-Crate: every file of the release described, as the `rocrate` package reads it, and as the check compares it."""

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from datasets.publishing.publish import items_of
from datasets.releases.make_release import create_release, write_release
from evaluation.releases.check_release import check_release
from tests.datasets.conftest import World

pytestmark = pytest.mark.long
ABOUT = {"authors": "Carberry, Josiah (0000-0002-1825-0097); The Tiny Team", "licence": "CC-BY-4.0"}
READ = """
import json, sys
from rocrate.rocrate import ROCrate
crate = ROCrate(sys.argv[1])
root = crate.root_dataset
print(json.dumps({
    "files": {one.id: one.get("contentSize") for one in crate.data_entities},
    "authors": [one["name"] for one in root["author"]],
    "first": root["author"][0].id,
    "licence": root["license"].id,
    "published": root["datePublished"],
}))
"""


def test_the_rocrate_package_reads_every_file_and_the_check_finds_one_that_differs(
    judged: World, tmp_path: Path
) -> None:
    release = create_release(
        collection=judged.collection, name="v1", formats=["tvr-ranking", "trec", "ro-crate"], about=ABOUT
    )
    folder = tmp_path / "out"
    write_release(release=release, folder=folder)
    assert check_release(folder) == []
    top = [item.path for item in items_of(release, "ro-crate")]
    assert top == ["datacite.json", "ro-crate-metadata.json", "manifest.json"]
    assert "datacite.json" not in {item.path for item in items_of(release, "tvr-ranking")}
    assert json.loads((folder / "datacite.json").read_text())["creators"][0]["name"] == "Carberry, Josiah"

    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "--retries", "1", "install", "-q", "rocrate==0.16.0"]
    done = subprocess.run(list(map(str, install)), capture_output=True, text=True, check=False)
    if done.returncode and "connection broken" in done.stderr:
        pytest.skip("the package index can't be reached")
    assert done.returncode == 0, done.stderr
    done = subprocess.run([str(python), "-c", READ, str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    sizes = {path: str(facts["size"]) for path, facts in release.manifest["files"].items()}
    del sizes["ro-crate-metadata.json"]
    assert told["files"] == sizes | {"manifest.json": None}
    assert told["authors"] == ["Josiah Carberry", "The Tiny Team"]
    assert told["first"] == "https://orcid.org/0000-0002-1825-0097"
    assert told["licence"] == "https://spdx.org/licenses/CC-BY-4.0"
    assert told["published"] == release.manifest["created_at"][:10]

    crate = folder / "ro-crate-metadata.json"
    crate.write_text(crate.read_text().replace(f'"{sizes["test.json"]}"', '"7"'))
    assert any("found the size 7 of test.json" in problem for problem in check_release(folder))
