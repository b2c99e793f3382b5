"""The demo's "being built" line, which every page shows; kept in one file."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.http import HttpRequest

from config.embedded import var_folder


def _file() -> Path:
    return var_folder() / "run" / "building.json"


_under_way = False


@contextmanager
def under_way() -> Iterator[None]:
    """Context in which this process builds a demo and `tell` takes effect."""
    global _under_way
    _under_way = True
    try:
        yield
    finally:
        _under_way = False
        _file().unlink(missing_ok=True)


def tell(text: str) -> None:
    """Show on every page what is being built now. Does nothing outside `under_way`."""
    if not _under_way:
        return
    import psutil

    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps({"text": text, "pid": os.getpid(), "since": psutil.Process().create_time()}))
    part.replace(file)


def told() -> str:
    """The line that says what is being built; "" if nothing is, or the building process was killed."""
    try:
        said = json.loads(_file().read_text())
    except (OSError, ValueError):
        return ""
    import psutil

    try:
        # Process ids are used again: only one of the same start is the builder.
        alive = abs(psutil.Process(said["pid"]).create_time() - said["since"]) < 1
    except psutil.NoSuchProcess:
        return ""
    return str(said["text"]) if alive else ""


def for_templates(request: HttpRequest) -> dict[str, object]:
    """Context processor: `building` in every template, read lazily."""
    return {"building": told}
