"""A run's file checked whole against a campaign's topics and videos: every fault with its line. No database.

The readers of `evaluation` decide what a run is, and read on past the records that they refuse.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from evaluation.errors import EvaluationError, Faults, InputError
from evaluation.moments.run import Run
from evaluation.reading import read_run
from evaluation.reading.locate_in_run import locate_all
from evaluation.reading.runs import recognised
from queries.runs.outside import misfits

MOST_FAULTS = 20
"""So many are told with their lines."""
_LINE = re.compile(r"line (\d+)")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at a place of the file, "" for the whole of it."""

    place: str
    found: str
    expected: str

    def __str__(self) -> str:
        what = f"found {self.found}, expected {self.expected}" if self.expected else self.found
        return f"{self.place}: {what}" if self.place else what


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that was checked. It may be taken if it has no fault, and is `read` then; `more`: there may be faults that
    aren't listed."""

    format: str = ""
    predictions: int = 0
    unanswered: int = 0
    faults: list[Fault] = field(default_factory=list)
    more: bool = False
    read: Run | None = None


def check_run(
    path: Path,
    *,
    topics: Collection[str],
    videos: Mapping[str, float | None],
    end_slack: float,
    most_predictions: int,
) -> CheckedFile:
    """Check a run's file, gzipped or not.

    Args:
        topics: ids. videos: name -> seconds, None where that isn't known.
        end_slack: seconds that a moment may end after its video.
        most_predictions: of one topic.
    """
    form = ""
    refused = Faults(MOST_FAULTS)
    try:
        form = recognised(path)
        read = read_run(path, format=form, queries=topics, videos=videos, faults=refused)
    except InputError as error:
        if not refused.total:
            refused.add(error)
        return CheckedFile(form, faults=_in_order(_told(refused)), more=bool(form))
    except EvaluationError as error:
        return CheckedFile(form, faults=[*_told(refused), Fault("", str(error), "")], more=True)
    faults = _told(refused)
    if refused.total > len(faults):
        return CheckedFile(form, faults=_in_order(faults), more=True)
    if read.ranks_videos:
        faults.append(Fault("", "a ranking of videos", "moments with times"))
    else:
        content = misfits(
            read,
            topics,
            videos,
            end_slack=end_slack,
            of_queries=f"one of the campaign's {len(topics):,} topics",
            of_videos=f"one of the campaign's {len(videos):,} videos",
            most_predictions=most_predictions,
        )
        first = list(islice(content, MOST_FAULTS - len(faults)))
        refused_lines = {error.place.partition(",")[0] for error in refused.first}
        moments = [(misfit.query_id, misfit.moment) for misfit in first]
        places = locate_all(path, moments, passed_over=refused_lines) if moments else []
        faults += [Fault(place, misfit.found, misfit.expected) for place, misfit in zip(places, first, strict=True)]
        if next(content, None) is not None:
            return CheckedFile(form, faults=_in_order(faults), more=True)
    if not len(read) and not faults:
        faults.append(Fault("", "no prediction", "at least one"))
    if faults:
        return CheckedFile(form, faults=_in_order(faults))
    answered = {read.query_ids[row] for row in np.flatnonzero(np.diff(read.offset))}
    return CheckedFile(form, len(read), sum(topic not in answered for topic in topics), read=read)


def _told(refused: Faults) -> list[Fault]:
    return [Fault(error.place, error.found, error.expected) for error in refused.first]


def _in_order(faults: list[Fault]) -> list[Fault]:
    def line(fault: Fault) -> int:
        match = _LINE.match(fault.place)
        return int(match[1]) if match else 0

    return sorted(faults, key=line)
