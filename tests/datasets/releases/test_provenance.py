"""A release says of each judgment and caption what it comes from, where that is asked for."""

from pathlib import Path

from tests.datasets.conftest import World
from tests.datasets.releases.test_further_files import released


def test_it(judged: World, tmp_path: Path) -> None:
    r = released(judged, tmp_path / "out", provenance=True)
    print((tmp_path / "out" / "judgment_origins.csv").read_text())
    print((tmp_path / "out" / "caption_origins.csv").read_text())
    import shutil

    shutil.copytree(tmp_path / "out", "/tmp/prel", dirs_exist_ok=True)
