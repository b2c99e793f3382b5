"""How well somebody grades gold: mean error, share within the rule's tolerance, drift. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev

SHIFT = 0.5
"""The shift, in grades of the scale 0-4, that drift is to find: what an alert calls harsh or lenient of partners."""
LIMIT = 6.0
"""Sum of errors from which drift is told. Of somebody whose errors spread by 0.7 grades around none it happens once in
some thousand gold pairs, and after some twenty once the shift is there."""
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class GoldFigures:
    """Errors of gold, grade minus known grade: above 0 is lenient. `low` to `high` is the 95 % interval of `bias`."""

    answered: int
    bias: float
    low: float | None
    high: float | None
    within: float


@dataclass(frozen=True, slots=True)
class Drift:
    """The two sums after the last gold, at least 0. `began`: the place of the first gold of the standing drift, None
    where there is none; it is `lenient` or harsh."""

    up: float
    down: float
    began: int | None
    lenient: bool


def figures(errors: Sequence[float], *, tolerance: float) -> GoldFigures | None:
    """None without gold.

    Args: tolerance: the largest difference at which the consensus rule calls two grades agreed.

    The interval is Student's for a mean; without at least two errors there is none.

    >>> figures([0, 1, -1, 2], tolerance=1)
    GoldFigures(answered=4, bias=0.5, low=-1.554, high=2.554, within=0.75)
    """
    from evaluation.guarantees.critical_values import student

    if not errors:
        return None
    mean, half = fmean(errors), None
    if len(errors) > 1:
        half = student(len(errors) - 1, LEVEL) * stdev(errors) / sqrt(len(errors))
    low, high = (None, None) if half is None else (round(mean - half, 3), round(mean + half, 3))
    within = sum(abs(error) <= tolerance for error in errors) / len(errors)
    return GoldFigures(len(errors), round(mean, 4), low, high, round(within, 4))


def drift(errors: Sequence[float], *, scale: float = 1.0) -> Drift:
    """The tabular cumulative sum of errors, in both directions: each error beyond half the shift adds to it.

    Args: errors: in the order given. scale: the top grade's share of 4, for other scales.

    Source: E. S. Page, "Continuous Inspection Schemes", Biometrika 41 (1954); the change is put where the sum last was
    0, as there.

    >>> drift([0, 1, 0, -1, 2, 2, 2, 2]).began, drift([0, 1, 0, -1, 0, 1]).began
    (4, None)
    """
    allowance, limit = SHIFT / 2 * scale, LIMIT * scale
    sums, begins = {1: 0.0, -1: 0.0}, {1: 0, -1: 0}
    for place, error in enumerate(errors):
        for sign in sums:
            sums[sign] = max(0.0, sums[sign] + sign * error - allowance)
            if not sums[sign]:
                begins[sign] = place + 1
    worse = max(sums, key=lambda sign: sums[sign])
    began = begins[worse] if sums[worse] > limit else None
    return Drift(round(sums[1], 4), round(sums[-1], 4), began, worse == 1)


def last_good(errors: Sequence[float], *, tolerance: float, scale: float = 1.0) -> int | None:
    """The place of the last gold within tolerance, before the drift where there is one. None: there is no such.

    >>> last_good([0, 0, 3], tolerance=1), last_good([0, 0, -1, 2, 1, 2, 2, 2], tolerance=1)
    (1, 2)
    """
    began = drift(errors, scale=scale).began
    before = errors if began is None else errors[:began]
    good = [place for place, error in enumerate(before) if abs(error) <= tolerance]
    return good[-1] if good else None
