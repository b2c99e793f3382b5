"""A run's file checked whole against a campaign's topics and videos: every fault with its line. No database.

The readers of `evaluation` decide what a run is. They stop at the first fault, so in formats with a query or a
prediction a line they go on after the line that they refused, in a copy without what comes before, and read the whole
file once more without the refused lines. So a file with many faults is read about twice, not once a fault.
"""

import gzip
import mmap
import re
import shutil
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from evaluation.errors import EvaluationError, InputError, shown
from evaluation.reading import read_run
from evaluation.reading.locate_in_run import locate_in_run
from evaluation.reading.runs import recognised
from evaluation.run import Run
from queries.runs.outside import query_of_place, spans_outside, unknown_queries, unknown_videos

MOST_FAULTS = 20
"""So many are told with their lines."""
MOST_READINGS = 3
"""Of the whole file: what one line has against another, such as a query that comes twice, shows in these alone."""
OF_LINES = ("qreels", "qvhighlights", "trec")
_LINE = re.compile(r"line (\d+)")
_ENDS = re.compile(rb"\r\n|\r|\n")


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
        path: in a folder of ours: a copy is written beside it.
        topics: ids. videos: name -> seconds, None where that isn't known.
        end_slack: seconds that a moment may end after its video.
        most_predictions: of one topic.
    """
    plain = path.with_name("plain.jsonl")
    try:
        _unpack(path, plain)
        form = recognised(plain)
    except InputError as error:
        return CheckedFile(faults=[Fault(error.place, error.found, error.expected)])
    read, faults = _read(plain, form)
    if read is None:
        return CheckedFile(form, faults=faults, more=True)
    if read.ranks_videos:
        faults.append(Fault("", "a ranking of videos", "moments with times"))
    else:
        for fault in _of_content(read, plain, topics, videos, end_slack, most_predictions):
            if len(faults) >= MOST_FAULTS:
                return CheckedFile(form, faults=_in_order(faults), more=True)
            faults.append(fault)
    if not len(read) and not faults:
        faults.append(Fault("", "no prediction", "at least one"))
    answered = {read.query_ids[row] for row in np.flatnonzero(np.diff(read.offset))}
    return CheckedFile(form, len(read), sum(topic not in answered for topic in topics), _in_order(faults))


def _unpack(path: Path, plain: Path) -> None:
    """Raises: InputError if it can't be unpacked."""
    with path.open("rb") as probe:
        packed = probe.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path, "rb") if packed else path.open("rb") as source, plain.open("wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
    except (EOFError, gzip.BadGzipFile) as error:
        raise InputError(path, "", found=f"broken compression ({error})", expected="a whole gzip file") from error


def _read(plain: Path, form: str) -> tuple[Run | None, list[Fault]]:
    """The run without the lines that its reader refuses, and what was wrong with these; None: it can't be read."""
    faults: list[Fault] = []
    refused: list[int] = []
    rest = plain.with_name("rest.jsonl")
    for _ in range(MOST_READINGS):
        reading = plain
        while reading == plain or _has_more(rest):
            try:
                read = read_run(reading, format=form)
            except InputError as error:
                faults.append(Fault(error.place, error.found, error.expected))
                line = _LINE.match(error.place)
                if form not in OF_LINES or line is None or len(faults) == MOST_FAULTS:
                    return None, faults
                refused.append(int(line[1]))
                _write_rest(reading, refused[-1], rest)
                reading = rest
            except EvaluationError as error:
                return None, [*faults, Fault("", str(error), "")]
            else:
                if reading == plain:
                    return read, faults
                break
        _blank(plain, refused)
    return None, faults


def _write_rest(path: Path, number: int, rest: Path) -> None:
    """Write what follows this line, after as many empty ones: lines keep their numbers."""
    ((_, end),) = _spans(path, [number])
    rest.write_bytes(b"\n" * number + _ENDS.sub(b"", path.read_bytes()[end:], count=1))


def _has_more(path: Path) -> bool:
    return bool(path.read_bytes().strip())


def _blank(path: Path, numbers: list[int]) -> None:
    """Overwrite lines with spaces: readers pass over them, and the others keep their numbers."""
    spans = _spans(path, numbers)
    with path.open("r+b") as file:
        for start, end in spans:
            file.seek(start)
            file.write(b" " * (end - start))


def _spans(path: Path, numbers: list[int]) -> list[tuple[int, int]]:
    """Where lines begin and end, without their line ends."""
    wanted, spans, start = set(numbers), [], 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        for place, end in enumerate(_ENDS.finditer(content), start=1):
            if place in wanted:
                spans.append((start, end.start()))
                if len(spans) == len(wanted):
                    return spans
            start = end.end()
        return [*spans, (start, len(content))]


def _of_content(
    read: Run,
    plain: Path,
    topics: Collection[str],
    videos: Mapping[str, float | None],
    end_slack: float,
    most_predictions: int,
) -> Iterator[Fault]:
    for query_id in unknown_queries(read, topics):
        place = locate_in_run(plain, query_id)
        yield Fault(place, f"query_id {shown(query_id)}", f"one of the campaign's {len(topics):,} topics")
    lengths = np.diff(read.offset)
    for row in np.flatnonzero(lengths > most_predictions):
        query_id = read.query_ids[row]
        found = f"{lengths[row]:,} predictions for query_id {shown(query_id)}"
        yield Fault(locate_in_run(plain, query_id), found, f"at most {most_predictions:,}")
    query_of = query_of_place(read)

    def place_of(place: int) -> str:
        one = read.prediction(place)
        return locate_in_run(plain, read.query_ids[query_of[place]], (one.video_name, one.start, one.end))

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
