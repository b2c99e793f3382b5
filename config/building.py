"""What the demo is preparing right now, which every page shows; kept in one file."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.http import HttpRequest

from config.embedded import var_folder


def _file() -> Path:
    return var_folder() / "run" / "building.json"


_lock = threading.Lock()
_said: dict[str, str] | None = None
"""What was told so far, by its part of the line; None while nothing is prepared."""


@contextmanager
def under_way() -> Iterator[None]:
    """Context in which this process builds a demo and `tell` takes effect."""
    global _said
    _said = {}
    try:
        yield
    finally:
        with _lock:
            _said = None
            _file().unlink(missing_ok=True)


def tell(now: str | None = None, *, done: str | None = None, then: str | None = None) -> None:
    """Show on every page what is prepared now. What isn't given stays; nothing is shown outside `under_way`.

    Args: now: the step under way, which ends the step told before with its `then`; done: what goes on beside it, a
        sentence such as "12 of 40 videos are drawn."; then: what comes next.
    """
    with _lock:
        if _said is None:
            return
        if now is not None:
            _said.update(now=f"Now: {now}.", then="")
        if done is not None:
            _said["done"] = done
        if then is not None:
            _said["then"] = f"Next: {then}." if then else ""
        _write(" ".join(filter(None, (_said.get(part, "") for part in ("now", "done", "then")))))


def _write(text: str) -> None:
    import psutil

    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps({"text": text, "pid": os.getpid(), "since": psutil.Process().create_time()}))
    part.replace(file)


def told() -> str:
    """What is being prepared, in sentences; "" if nothing is, or the building process was killed."""
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
    """Context processor: `building`, and whether there is `no_worker`, in every template, both read lazily."""
    from foundation.infra.worker_signs import no_worker

    def nobody_works() -> bool:
        runs = getattr(request, "worker_runs", None)
        return no_worker() if runs is None else not runs

    return {"building": told, "no_worker": nobody_works}
