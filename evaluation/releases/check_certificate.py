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
from ..formats.system_names import SPLITS
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..pooling.certificate import certify
from ..progress import Advance, Stage, untold
from .claims import Claims
from .differing import differing
from .manifest import MANIFEST, content_hash
from .untrusted_files import read_object

MORE = 1000
"""Further judgments whose gain is estimated, where the pool has as many left."""
EXPECTED = "a certificate of val or test as `certificate --json` or a release's page writes it"
CLOSE = 1e-9


@dataclass(frozen=True)
class Certified:
    """A split of a certificate.

    Attributes: figures: as of `Certificate`. arguments: of `certify`, by which they were computed, as far as the file
    tells. sha256: of its runs' files by name, where it tells them.
    """

    figures: Mapping[str, Any]
    arguments: Mapping[str, Any]
    sha256: Mapping[str, str]

    @classmethod
    def of(cls, figures: Mapping[str, Any], systems: Sequence[Mapping[str, Any]]) -> Certified:
        """Raises: AttributeError, KeyError, TypeError or ValueError if they aren't those of a certificate."""
        told = figures["next_judgments"]
        # Fewer further judgments than were asked for are told of where fewer are left.
        more = int(told["judgments"]) if told["judgments"] < told["left"] else MORE
        arguments = {
            "measure": str(figures["measure"]),
            "teams": {str(run["run"]): str(run["team"]) for run in figures["runs"]},
            "iou": float(figures["iou"]),
            "depth": int(figures["depth"]),
            "least_grade": float(figures["least_grade"]),
            "more": more,
        }
        return cls(figures, arguments, {str(one["name"]): str(one["sha256"]) for one in systems})

    @property
    def names(self) -> list[str]:
        """Its runs."""
        return list(self.arguments["teams"])


def read_certificate(path: Path) -> dict[str, Certified]:
    """Split -> what is certified of it. Raises: EvaluationError for a file that is no certificate."""
    whole = read_object(path)
    # The command names the ground truth's file, a site release and split.
    named = re.findall(r"\b(?:val|test)\b", str(whole.get("ground_truth")))
    splits = whole.get("splits", {"".join(named[-1:]): whole})
    try:
        systems = whole.get("systems", {})
        read = {split: Certified.of(figures, systems.get(split, [])) for split, figures in splits.items()}
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise InputError(path, "", found=shown(whole), expected=EXPECTED) from error
    if not read or not read.keys() <= set(SPLITS):
        raise InputError(path, "", found=f"the ground truth {shown(', '.join(read))}", expected=EXPECTED)
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
        figures, done = certified.figures, stage(f"Certificate of {split}", None, "orders")
        progress = partial(_another, done)
        found = certify(truth, runs, **certified.arguments, draws=draws, seed=seed, progress=progress)
        expected = json.loads(json.dumps(json_ready(asdict(found)))) | {"ground_truth": figures.get("ground_truth")}
        for place, one, other in differing(figures, expected, split, close=CLOSE):
            claims.tell("certificate", f"{path.name}, {place}: found {one!r}, but these runs give {other!r}")


def _another(done: Advance, number: int, of: int) -> None:
    done(1)
