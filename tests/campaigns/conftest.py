"""A campaign with two teams, its files in a folder of its own."""

from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.worlds import Shared, build_shared


@pytest.fixture(autouse=True)
def media(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture
def shared(db: None) -> Shared:
    return build_shared()
