"""A folder of videos of the test's own."""

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    """The installation's folder of videos, in which files in pieces lie."""
    settings.VIDEO_FOLDER, settings.FREE_SPACE = tmp_path / "videos", 0
    return tmp_path / "videos"
