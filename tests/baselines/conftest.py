"""Collections that the tests of training and search share."""

from pathlib import Path

import pytest

from tests.baselines.scenes import Collection, make_collection


@pytest.fixture(scope="session")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """With subtitles. Nobody writes into its folder."""
    return make_collection(tmp_path_factory.mktemp("scenes"))


@pytest.fixture
def own_scenes(tmp_path: Path) -> Collection:
    """One that a test may spoil."""
    return make_collection(tmp_path / "own", videos=4, queries=6)
