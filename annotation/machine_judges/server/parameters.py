"""What a judge on a server is declared with: all else that its grades follow from. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.utils.translation import gettext as _

from foundation.refused import Refused

MOST_FRAMES, MOST_SAMPLES = 64, 50
USUAL_FRAMES = 8
CLIP, DESCRIPTION = SEEN = ("clip", "description")
"""What a judge is shown of a pair: its clip, or what is written of it."""
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
    sees: str = CLIP
    """One of `SEEN`: pictures of the clip or the clip itself, or its moment's description instead."""
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
    """Parameters from `sees` and numbers by name, without a server; what isn't given is as usual.

    Raises: Refused for what is unknown, no number or out of its range.
    """
    usual, faults = ServerParameters(), []
    read: dict[str, Any] = {"sees": given.get("sees", usual.sees)}
    for name in sorted(given.keys() - _LIMITS.keys() - {"sees"}):
        expected = {"found": name[:40], "names": ", ".join((*_LIMITS, "sees"))}
        faults.append(_("Found “%(found)s”, expected some of %(names)s.") % expected)
    if read["sees"] not in SEEN:
        expected = {"found": str(read["sees"])[:40], "names": ", ".join(SEEN)}
        faults.append(_("sees: found “%(found)s”, expected one of %(names)s.") % expected)
    for name, (least, most) in _LIMITS.items():
        value = given.get(name, getattr(usual, name))
        is_whole = isinstance(getattr(usual, name), int)
        good = isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most
        if good and not (is_whole and value != int(value)):
            read[name] = int(value) if is_whole else float(value)
            continue
        expected = {"name": name, "found": str(value)[:40], "least": f"{least:g}", "most": f"{most:,}"}
        faults.append(
            _("%(name)s: found “%(found)s”, expected a whole number from %(least)s to %(most)s.") % expected
            if is_whole
            else _("%(name)s: found “%(found)s”, expected a number from %(least)s to %(most)s.") % expected
        )
    if not faults and read["samples"] > 1 and read["temperature"] == 0:
        faults.append(_("Several samples at temperature 0 are one answer: expected a temperature above 0."))
    if faults:
        raise Refused(" ".join(faults), "parameters")
    return ServerParameters(**read)
