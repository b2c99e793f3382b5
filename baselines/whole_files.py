"""Files that appear whole or not at all, whenever the process ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from baselines.errors import BaselineError


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write, beside ``path`` until the context ends well; its folder is made.

    Raises: BaselineError if the place can't be written.
    """
    aside = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except OSError as error:
        raise BaselineError(f"{path}: can't be written ({error.strerror})") from error
    finally:
        aside.unlink(missing_ok=True)
