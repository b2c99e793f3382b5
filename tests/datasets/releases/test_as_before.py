"""A release of a collection that chooses nothing of its own has the files, columns, keys and words of before.

Its texts are held by a digest of their skeleton: what is counted, named or dated there is left out. Whoever changes a
sentence on purpose writes the digest that the failure shows.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from datasets.formats import FORMATS
from datasets.releases.make_release import create_release, write_release
from tests.datasets.conftest import World
from tests.datasets.releases.further import draw_pairs, plant

DIGESTS = {
    "plain": "47da720dc9c90d867c62b03dad566b3ad6443b8ff06ba204ac04cb085b0112fc",
    "further": "b00f872b3aa600563a5ab2c54bff1de0ae1de6aec154decd0c4716d57160bad3",
}


def keys_of(value: Any) -> Any:
    """The names in JSON, without what they hold."""
    if isinstance(value, dict):
        return {re.sub(r"\d+", "0", name): keys_of(of) for name, of in value.items()}
    if isinstance(value, list):
        return [keys_of(value[0])] if value else []
    return type(value).__name__


def skeleton_of(path: Path, name: str) -> str:
    """A file without its figures, hashes and dates."""
    if name == "manifest.json":
        manifest = json.loads(path.read_text())
        manifest["code"].pop("revision")
        return json.dumps(keys_of(manifest), sort_keys=True)
    if path.suffix in (".md", ".tex") or name.endswith("croissant.json") or name.startswith("tables/"):
        text = re.sub(r"\b[0-9a-f]{40,64}\b|, revision \w+\+?", "", path.read_text())
        return re.sub(r"[\d.,]*\d", "0", text)
    return path.read_text().partition("\n")[0] if path.suffix == ".csv" else ""


@pytest.mark.parametrize("which", DIGESTS)
def test_the_skeleton_of_a_release_is_that_of_before(which: str, judged: World, tmp_path: Path) -> None:
    asked: dict[str, Any] = {}
    if which == "further":
        plant(judged)
        draw_pairs(judged)
        asked = {"posteriors": True, "machine_judges": ["robot"]}
    formats = [name for name in FORMATS if name not in ("capsule", "ro-crate")]  # which came later
    release = create_release(collection=judged.collection, name="v1", formats=formats, **asked)
    write_release(release=release, folder=tmp_path / "out")
    files = sorted(str(path.relative_to(tmp_path / "out")) for path in tmp_path.glob("out/**/*") if path.is_file())
    whole = "\n".join(f"{name}\n{skeleton_of(tmp_path / 'out' / name, name)}" for name in files)
    assert hashlib.sha256(whole.encode()).hexdigest() == DIGESTS[which]
