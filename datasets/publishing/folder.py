"""Publish into a folder: files are written beside their place and renamed when complete."""

import shutil
from collections.abc import Callable
from pathlib import Path

from datasets.models import Release
from datasets.publishing.targets import Item, Target
from evaluation.releases.untrusted_files import sha256_of
from foundation.refused import Refused


class FolderTarget(Target):
    """A folder, which need not exist. What else lies in it is left alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def address(self, item: Item) -> str:
        return str(self.folder / item.goes_to)

    def refuse_unready(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise Refused(f"{self.folder} is a file, expected a folder.")

    def states(self, items: list[Item], release: Release) -> dict[str, str]:
        for item in items:
            self._refuse_way_out(item)
        return {item.goes_to: self._state(item) for item in items}

    def _refuse_way_out(self, item: Item) -> None:
        """Refuse links inside the folder that lead outside."""
        if not (self.folder / item.goes_to).parent.resolve().is_relative_to(self.folder):
            raise Refused(f"{self.address(item)} leads out of {self.folder} by a link.")

    def _state(self, item: Item) -> str:
        path = self.folder / item.goes_to
        if not path.exists():
            return "new"
        return "same" if path.is_file() and sha256_of(path) == item.sha256 else "differs"

    def send(self, items: list[Item], folder: Path, release: Release, arrived: Callable[[Item], None]) -> None:
        for item in items:
            path = self.folder / item.goes_to
            partial = path.with_name(f".{path.name}.partial")
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._refuse_way_out(item)
                partial.unlink(missing_ok=True)
                shutil.copyfile(folder / item.path, partial)
                partial.replace(path)
            except OSError as error:
                partial.unlink(missing_ok=True)
                raise Refused(f"{path} can't be written: {error.strerror}. What was sent stays.") from error
            arrived(item)
