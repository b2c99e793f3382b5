"""What a judge on a server is declared with: all else that its grades follow from. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from foundation.refused import FieldsRefused

MOST_FRAMES, MOST_SAMPLES = 64, 50
USUAL_FRAMES = 8
_LIMITS: dict[str, tuple[float, float]] = {
    "samples": (1, MOST_SAMPLES),
    "temperature": (0, 2),
    "seed": (0, 2**31 - 1),
    "pixels": (32, 2048),
    "longest": (1, 8192),
    "least_mass": (0, 1),
}


@dataclass(frozen=True, slots=True)
class ServerParameters:
    """How a model is asked, and how its answers are read."""

    server: str = ""
    """The address that is asked, as people see it."""
    samples: int = 1
    """Answers to each pair; of more than one, the shares of the grades are the distribution."""
    temperature: float = 0.0
    seed: int = 0
    """Of the first answer; each further one has the next."""
    pixels: int = 512
    """That the longer side of a picture has at most."""
    longest: int = 16
    """Tokens of an answer at most; a model that thinks before it answers needs more."""
    least_mass: float = 0.5
    """With less of an answer on grades, the judge abstains."""

    def as_json(self) -> dict[str, Any]:
        """As `MachineJudge.parameters` has it."""
        return asdict(self)


def read_parameters(given: Mapping[str, Any]) -> ServerParameters:
    """Parameters from numbers by name; what isn't given is as usual.

    Raises: FieldsRefused, by name, for what is unknown, no number or out of its range.
    """
    usual, faults, read = ServerParameters(), {}, dict(given)
    known = {field.name for field in fields(ServerParameters)}
    for name in given.keys() - known:
        faults[name] = f"Found the parameter {name}, expected some of {', '.join(sorted(known))}."
    for name, (least, most) in _LIMITS.items():
        value = given.get(name, getattr(usual, name))
        kind = type(getattr(usual, name))
        good = isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most
        if not good or (kind is int and value != int(value)):
            number = "a whole number" if kind is int else "a number"
            faults[name] = f"Found {name} {value!r}, expected {number} from {least:g} to {most:g}."
        else:
            read[name] = kind(value)
    if not faults and read["samples"] > 1 and read["temperature"] == 0:
        faults["temperature"] = "Several answers at temperature 0 are one answer: expected a temperature above 0."
    if faults:
        raise FieldsRefused(faults)
    return ServerParameters(**read)
