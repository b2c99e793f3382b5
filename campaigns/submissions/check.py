"""A run's file checked whole against a campaign's topics and videos: every fault with its line. No database.

The readers of `evaluation` decide what a run is, and read on past the records that they refuse.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from evaluation.errors import EvaluationError, Faults, InputError, shown
from evaluation.moments.run import Run
from evaluation.reading import read_run
from evaluation.reading.locate_in_run import locate_in_run
from evaluation.reading.runs import recognised
from queries.runs.outside import query_of_place, spans_outside, unknown_queries, unknown_videos

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
        said = f"found {self.found}, expected {self.expected}" if self.expected else self.found
        return f"{self.place}: {said}" if self.place else said


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that was checked. It may be taken if it has no fault; `more`: there may be faults that aren't listed."""

    format: str = ""
    predictions: int = 0
    unanswered: int = 0
    faults: list[Fault] = field(default_factory=list)
    more: bool = False


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
        locate = partial(locate_in_run, path, passed_over={one.place.partition(",")[0] for one in refused.first})
        for fault in _of_content(read, locate, topics, videos, end_slack, most_predictions):
            if len(faults) >= MOST_FAULTS:
                return CheckedFile(form, faults=_in_order(faults), more=True)
            faults.append(fault)
    if not len(read) and not faults:
        faults.append(Fault("", "no prediction", "at least one"))
    answered = {read.query_ids[row] for row in np.flatnonzero(np.diff(read.offset))}
    return CheckedFile(form, len(read), sum(topic not in answered for topic in topics), _in_order(faults))


def _told(refused: Faults) -> list[Fault]:
    return [Fault(one.place, one.found, one.expected) for one in refused.first]


def _of_content(
    read: Run,
    locate: Callable[..., str],
    topics: Collection[str],
    videos: Mapping[str, float | None],
    end_slack: float,
    most_predictions: int,
) -> Iterator[Fault]:
    for query_id in unknown_queries(read, topics):
        place = locate(query_id)
        yield Fault(place, f"query_id {shown(query_id)}", f"one of the campaign's {len(topics):,} topics")
    lengths = np.diff(read.offset)
    for row in np.flatnonzero(lengths > most_predictions):
        query_id = read.query_ids[row]
        found = f"{lengths[row]:,} predictions for query_id {shown(query_id)}"
        yield Fault(locate(query_id), found, f"at most {most_predictions:,}")
    query_of = query_of_place(read)

    def place_of(place: int) -> str:
        one = read.prediction(place)
        return locate(read.query_ids[query_of[place]], (one.video_name, one.start, one.end))

    for video in np.flatnonzero(unknown_videos(read, videos)):
        first = int(np.flatnonzero(read.video == video)[0])
        found = f"video_name {shown(read.video_names[video])}"
        yield Fault(place_of(first), found, f"one of the campaign's {len(videos):,} videos")
    durations = [videos.get(name) for name in read.video_names]
    for place in spans_outside(read, durations, end_slack=end_slack):
        one = read.prediction(int(place))
        lasts = videos.get(one.video_name)
        expected = f"a span within {one.video_name}" + ("" if lasts is None else f", which lasts {lasts:g} s")
        yield Fault(place_of(int(place)), f"timestamp [{one.start:g}, {one.end:g}]", expected)


def _in_order(faults: list[Fault]) -> list[Fault]:
    def line(fault: Fault) -> int:
        found = _LINE.match(fault.place)
        return int(found[1]) if found else 0

    return sorted(faults, key=line)
