"""Films of the paper theatre, drawn once for all tests of a run: drawing one takes 4 s."""

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from demo.theatre import Scene, build_theatre, read_scenes

SEED = 7


@dataclass(frozen=True)
class TwoFilms:
    """A finished theatre of two films, which nobody changes."""

    folder: Path
    scenes: list[Scene]
    told: list[tuple[int, int]]
    """What the progress was while they were drawn."""

    def build(self, folder: Path, *, videos: int) -> None:
        """A theatre of the first, or both, without drawing them again."""
        (folder / "videos").mkdir(parents=True)
        for film in sorted((self.folder / "videos").iterdir())[:videos]:
            shutil.copy(film, folder / "videos")
        build_theatre(folder, videos=videos, seed=SEED)


@pytest.fixture(scope="session")
def two_films(tmp_path_factory: pytest.TempPathFactory) -> TwoFilms:
    """The first process draws them for all."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "two-films"
    note = folder.with_suffix(".json")
    with FileLock(f"{folder}.lock"):
        if not note.exists():
            told: list[tuple[int, int]] = []
            build_theatre(folder, videos=2, seed=SEED, progress=lambda done, videos: told.append((done, videos)))
            note.write_text(json.dumps(told))
    return TwoFilms(folder, read_scenes(folder), [(done, videos) for done, videos in json.loads(note.read_text())])
