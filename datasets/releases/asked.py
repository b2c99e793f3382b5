"""What a new release is asked to have, and whether one that stands has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from annotation.models import MachineJudge
from datasets.formats import DEFAULT_FORMATS, FORMATS, with_needed
from datasets.formats.tvr_ranking import TRAINING_DEPTHS
from datasets.models import Release
from foundation.models import Collection
from foundation.refused import Refused

LEAST_COSINE = 0.5
"""Below it captions of other scenes would be left out of training."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The choices of a release; see `create_release`. What is empty is by default, or as an existing release has it."""

    formats: Sequence[str]
    depths: Sequence[int]
    adjudicated: bool
    train_below: float | None
    posteriors: bool
    machine_judges: Sequence[str]
    about: Mapping[str, str]

    @property
    def to_write(self) -> list[str]:
        """The formats of a new release."""
        return with_needed(set(self.formats or DEFAULT_FORMATS))

    @property
    def tops(self) -> tuple[int, ...]:
        """Moments a query of a new release's training files."""
        return tuple(sorted(set(self.depths or TRAINING_DEPTHS)))

    def refuse_impossible(self) -> None:
        """Raises: Refused for an unknown format, or a depth or cosine out of range."""
        for name in self.formats:
            if name not in FORMATS:
                raise Refused(f"there is no format {name!r}; formats: {', '.join(sorted(FORMATS))}")
        refuse_bad_cosine(self.train_below)
        for depth in self.depths:
            if depth < 1:
                raise Refused(f"found {depth} moments a training query, expected at least 1")

    def had_by(self, release: Release) -> Release:
        """The existing release, if it has what was asked for. Raises: Refused."""
        manifest = release.manifest
        made_below = manifest.get("leakage", {}).get("train_below")
        if any(self.about.values()) and self.about != manifest["about"]:
            differing = "made with other words of its authors (licence, citation, limitations and the like)", "these"
        elif self.train_below is not None and self.train_below != made_below:
            made = "without a limit" if made_below is None else f"with the limit {made_below:g}"
            differing = f"made {made} to the cosine of training captions", f"{self.train_below:g}"
        elif self.adjudicated and not manifest["adjudication"]["included"]:
            differing = "made without adjudicated grades", "them"
        elif self.posteriors and "posteriors" not in manifest:
            differing = "made without posteriors", "them"
        elif self.machine_judges and set(self.machine_judges) != set(_judges_in(manifest)):
            named = ", ".join(_judges_in(manifest)) or "none"
            differing = f"made with other machine judges ({named})", "these"
        else:
            tops = sorted(set(self.depths) - set(release.training_depths))
            missing = sorted(set(self.formats) - set(release.formats)) + [f"a top {top} for training" for top in tops]
            if not missing:
                return release
            differing = f"made without {', '.join(missing)}", ""
        needs = f"with {differing[1]} it needs another name" if differing[1] else "that needs another name"
        raise Refused(f"release {release.name} was {differing[0]} and never changes: {needs}")


def _judges_in(manifest: Mapping[str, Any]) -> list[str]:
    return [judge["name"] for judge in manifest.get("machine_judgments", {}).get("judges", ())]


def refuse_bad_cosine(train_below: float | None) -> None:
    """Raises: Refused."""
    if train_below is not None and not LEAST_COSINE <= train_below <= 1:
        limits = {"found": f"{train_below:g}", "least": f"{LEAST_COSINE:g}"}
        raise Refused(
            gettext("Found the cosine %(found)s for training, expected %(least)s to 1.") % limits, field="train_below"
        )


def refuse_unknown_judges(collection: Collection, names: Sequence[str]) -> None:
    """Raises: Refused where one of the names is no machine judge of the collection's."""
    known = set(MachineJudge.objects.filter(collection=collection).values_list("name", flat=True))
    if unknown := sorted(set(names) - known):
        values = {"name": repr(unknown[0][:60]), "known": ", ".join(sorted(known)) or gettext("none")}
        fault = gettext("There is no machine judge %(name)s here. There are: %(known)s.") % values
        raise Refused(fault, field="machine_judges")
