"""What a run's name says: system, size of its training set, split, seed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..errors import EvaluationError

SPLITS = ("val", "test")
_TOP = re.compile(r"(?:top|N=?)0*([1-9]\d*)", re.IGNORECASE)
_SEED = re.compile(r"(?:seed|run)\d+", re.IGNORECASE)
_ENDING = re.compile(r"\.(?:json|trec|txt)(?:\.gz)?\Z")
"""What files of other formats than JSON Lines end in: `run_name` leaves it."""


@dataclass(frozen=True)
class NamedRun:
    """Attributes: system: its name; top: N, the moments a query in its pseudo-training set, None if
    the name doesn't say; split: val or test; seed: what distinguishes runs of one system, "" if nothing does."""

    system: str
    top: int | None = None
    split: str = ""
    seed: str = ""


def named_run(name: str) -> NamedRun:
    """Read a name such as ``ReLoCLNet-top40-val-seed1``: parts joined by hyphens, the system first.

    After the system come, in any order, ``topN`` (or ``N40``), ``val`` or ``test``, and ``seedS`` (or
    ``runS``); ``topN`` and ``seedS`` may be missing. The system's own name may have hyphens. ``.json``, ``.trec`` and
    ``.txt`` at the end, gzipped or not, are the file's.
    Raises: EvaluationError if there is no split or no system, or a part comes twice.

    >>> named_run("ReLoCLNet-top40-val-seed1")
    NamedRun(system='ReLoCLNet', top=40, split='val', seed='seed1')
    >>> named_run("2D-TAN-test")
    NamedRun(system='2D-TAN', top=None, split='test', seed='')
    >>> named_run("XML-top1-val.json").split
    'val'
    """
    run = NamedRun("")
    system: list[str] = []
    for part in _ENDING.sub("", name).split("-"):
        top = _TOP.fullmatch(part)
        if part in SPLITS and not run.split:
            run = replace(run, split=part)
        elif top and run.top is None:
            run = replace(run, top=int(top[1]))
        elif _SEED.fullmatch(part) and not run.seed:
            run = replace(run, seed=part)
        elif run == NamedRun(""):
            system.append(part)
        else:
            raise _not_named(name)
    if not run.split or not any(system):
        raise _not_named(name)
    return replace(run, system="-".join(system))


def _not_named(name: str) -> EvaluationError:
    return EvaluationError(
        f"found a run named {name!r}, expected SYSTEM-topN-SPLIT-seedS with val or test as SPLIT "
        "(-topN and -seedS may be missing), such as ReLoCLNet-top40-val-seed1"
    )
