"""Small disks for tests: real file systems in memory, filled to the last byte and emptied again."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BLOCK = 1 << 16


@contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[Path]:
    """A file system of this size at `folder`. Skips the test where none can be mounted."""
    folder.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "qreels-test", str(folder)]
    mounted = subprocess.run(line, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a file system can't be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Take all of its space. Returns: the file that has it."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(BLOCK)) == BLOCK:
                pass
        except OSError:
            pass
    return filler
