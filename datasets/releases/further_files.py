"""Files that a release has beside those of its formats where a lead asks for them, or the collection has what they say:
what machine judges said, how the judged pairs were drawn, and how likely each grade of a pair is.

None of them is ground truth: no other file of a release is read from them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datasets.content.splits import Splits
from datasets.releases.asked import Asked, refuse_unknown_judges
from datasets.releases.machine_judgments_csv import describe_machine_judgments, write_machine_judgments
from datasets.releases.posteriors_csv import describe_posteriors, posteriors_of, write_posteriors
from datasets.releases.sampling_csv import describe_sampling, design_of, write_sampling
from foundation.infra.progress import Stage


@dataclass(frozen=True, slots=True)
class FurtherFile:
    """A file to be written into a release's folder, and what its manifest says of it under a key."""

    key: str
    facts: Mapping[str, Any]
    write: Callable[[Path], None]


def further_files(splits: Splits, asked: Asked, stage: Stage) -> list[FurtherFile]:
    """The files that this release has. Raises: Refused where a machine judge is asked for that there isn't."""
    return list(_files(splits, asked, stage))


def _files(splits: Splits, asked: Asked, stage: Stage) -> Iterator[FurtherFile]:
    if asked.machine_judges:
        refuse_unknown_judges(splits.collection, asked.machine_judges)
        facts, names = describe_machine_judgments(splits.collection, asked.machine_judges), asked.machine_judges
        yield FurtherFile("machine_judgments", facts, lambda folder: write_machine_judgments(splits, names, folder))
    if (design := design_of(splits.collection)) is not None:
        own = design
        yield FurtherFile("sampling", describe_sampling(own), lambda folder: write_sampling(splits, own, folder))
    if asked.posteriors:
        found = posteriors_of(splits, stage)
        yield FurtherFile("posteriors", describe_posteriors(found), lambda folder: write_posteriors(found, folder))
