"""Measures of other packages, which they offer by an entry point."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import isabstract

from ..errors import EvaluationError, shown
from ..measures.measure import Measure

GROUP = "qreels_eval.measures"


@cache
def offered() -> dict[str, tuple[EntryPoint, ...]]:
    """The entry points of the group by name; nothing of them is imported."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for point in entry_points(group=GROUP):
        found[point.name] = (*found.get(point.name, ()), point)
    return found


@cache
def installed(name: str) -> type[Measure] | None:
    """The measure that an installed package offers under a name which isn't ours; None if none does.

    A package offers a measure by an entry point whose name is the class's NAME::

        [project.entry-points."qreels_eval.measures"]
        FirstHit = "their_package.measures:FirstHit"

    Raises: EvaluationError naming the distribution, if the entry point can't be imported or isn't a measure of that
    name, or if two packages, or one and ir_measures, have the name.
    """
    points = offered().get(name, ())
    if not points:
        return None
    refuse_clash(name, ir_measures_has(name) and "ir_measures")
    (point,) = points
    told = f"the measure {name!r} of {distribution(point)} ({point.value})"
    try:
        measure = point.load()
    except Exception as error:  # whatever their module does when it is imported
        raise EvaluationError(f"{told} can't be imported: {type(error).__name__}: {error}") from error
    if not (isinstance(measure, type) and issubclass(measure, Measure)) or isabstract(measure):
        base = f"{Measure.__module__}.{Measure.__name__}"
        raise EvaluationError(f"{told}: found {shown(measure)}, expected a class derived from {base} with per_query")
    if not is_dataclass(measure) or getattr(measure, "NAME", None) != name or not hasattr(measure, "WRITTEN"):
        raise EvaluationError(f"{told}: expected a frozen dataclass with NAME = {name!r} and WRITTEN")
    return measure


def refuse_clash(name: str, other: str | bool = False) -> None:
    """Raises: EvaluationError if packages offer a measure of this name that somebody else has.

    Args: other: who has the name already, if anybody has.
    """
    owners = [*([str(other)] if other else []), *map(distribution, offered().get(name, ()))]
    if len(owners) > 1:
        raise EvaluationError(f"the measure {name!r} is declared by {' and by '.join(owners)}: uninstall all but one")


def distribution(point: EntryPoint) -> str:
    """Which distribution an entry point is of, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else "a package without a name"


def ir_measures_has(name: str) -> bool:
    """Whether ir_measures is installed and has a measure of this name."""
    try:
        from ir_measures.measures import registry
    except ImportError:
        return False
    return name in registry
