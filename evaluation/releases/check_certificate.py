"""Compute a reusability certificate anew, and compare."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..arrays import json_ready
from ..errors import InputError, shown
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..pooling.certificate import certify
from ..progress import Advance, Stage, untold
from .check_files import MANIFEST, SPLITS
from .claims import Claims
from .differing import differing
from .manifest import content_hash
from .untrusted_files import read_object

MORE = 1000
"""Further judgments whose gain is estimated, where the pool has as many left."""
EXPECTED = "a certificate of val or test as `certificate --json` or a release's page writes it"
NEEDED = {"measure", "iou", "depth", "least_grade", "runs"}
CLOSE = 1e-9


@dataclass(frozen=True)
class Certified:
    """A split of a certificate. Attributes: figures: of `Certificate`; sha256: of its runs' files by name, if known."""

    figures: Mapping[str, Any]
    sha256: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """Its runs."""
        return [run["run"] for run in self.figures["runs"]]


def read_certificate(path: Path) -> dict[str, Certified]:
    """Split -> what is certified of it. Raises: EvaluationError for a file that is no certificate."""
    whole = read_object(path)
    # The command names the ground truth's file, a site release and split.
    named = re.findall(r"\b(?:val|test)\b", str(whole.get("ground_truth")))
    splits = whole.get("splits", {"".join(named[-1:]): whole})
    try:
        systems = {
            split: {one["name"]: one["sha256"] for one in own} for split, own in whole.get("systems", {}).items()
        }
        read = {split: Certified(figures, systems.get(split, {})) for split, figures in splits.items()}
        for split, certified in read.items():
            if split not in SPLITS or not set(certified.figures) >= NEEDED or not certified.names:
                raise ValueError
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(path, "", found=shown(whole), expected=EXPECTED) from error
    return read


def check_certificate(
    path: Path,
    folder: Path,
    splits: Mapping[str, tuple[Certified, GroundTruth, Sequence[Run]]],
    claims: Claims,
    stage: Stage = untold,
    *,
    draws: int,
    seed: int,
) -> None:
    """Tell where the certificate isn't what these runs give.

    Args: path: its file. splits: of each what is certified, the release's ground truth, and the runs under its names.
        draws, seed: of `certify`, which the file doesn't tell.
    """
    claims.check("certificate")
    stated, own = read_object(path).get("content_hash"), content_hash(read_object(folder / MANIFEST))
    if stated not in (None, own):
        claims.tell("certificate", f"{path.name}: found the content {stated} certified, and this release's is {own}")
    for split, (certified, truth, runs) in splits.items():
        figures = certified.figures
        done = stage(f"Certificate of {split}", None, "orders")
        found = certify(
            truth,
            runs,
            measure=figures["measure"],
            teams={run["run"]: run["team"] for run in figures["runs"]},
            iou=figures["iou"],
            depth=figures["depth"],
            least_grade=figures["least_grade"],
            more=_more(figures),
            draws=draws,
            seed=seed,
            progress=partial(_another, done),
        )
        expected = json.loads(json.dumps(json_ready(asdict(found)))) | {"ground_truth": figures.get("ground_truth")}
        for place, one, other in differing(figures, expected, split, close=CLOSE):
            claims.tell("certificate", f"{path.name}, {place}: found {one!r}, but these runs give {other!r}")


def _another(done: Advance, number: int, of: int) -> None:
    done(1)


def _more(figures: Mapping[str, Any]) -> int:
    """As many further judgments as were asked for: fewer are told of where fewer are left."""
    told = figures.get("next_judgments") or {}
    few = told.get("judgments", MORE) < told.get("left", 0)
    return int(told["judgments"]) if few else MORE
