"""What a run names that isn't there: unknown queries and videos, and spans outside their videos. Pure."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from evaluation.errors import shown
from evaluation.moments.run import Run
from evaluation.reading.locate_in_run import Moment


class Misfit(NamedTuple):
    """A query of a run that doesn't fit, or one of its predictions; `more`: how many others of the kind, in words."""

    query_id: str
    moment: Moment | None
    found: str
    expected: str
    more: str


def misfits(
    read: Run,
    queries: Collection[str],
    videos: Mapping[str, float | None],
    *,
    end_slack: float,
    of_queries: str,
    of_videos: str,
    most_predictions: int | None = None,
) -> Iterator[Misfit]:
    """What of a run doesn't fit the queries and videos that there are, kind by kind.

    Args:
        videos: name -> seconds; None: unknown, so that nothing is after it.
        end_slack: seconds that a moment may end after its video's stated duration.
        of_queries, of_videos: what is expected, in words.
        most_predictions: of one query; None: any number.
    """
    unknown = [query_id for query_id in read.query_ids if query_id not in queries]
    for query_id in unknown:
        more = _more(len(unknown), "unknown query", "unknown queries")
        yield Misfit(query_id, None, f"query_id {shown(query_id)}", of_queries, more)
    lengths = np.diff(read.offset)
    for row in () if most_predictions is None else np.flatnonzero(lengths > most_predictions):
        found = f"{lengths[row]:,} predictions for query_id {shown(read.query_ids[row])}"
        yield Misfit(read.query_ids[row], None, found, f"at most {most_predictions:,}", "")
    query_of = np.repeat(np.arange(len(read.query_ids)), lengths)

    def misfit(place: int, found: str, expected: str, more: str) -> Misfit:
        prediction = read.prediction(place)
        moment = (prediction.video_name, prediction.start, prediction.end)
        return Misfit(read.query_ids[query_of[place]], moment, found, expected, more)

    missing = [video for video, name in enumerate(read.video_names) if name not in videos]
    for video in missing:
        first = int(np.flatnonzero(read.video == video)[0])
        more = _more(len(missing), "unknown video", "unknown videos")
        yield misfit(first, f"video_name {shown(read.video_names[video])}", of_videos, more)
    durations = [videos.get(name) for name in read.video_names]
    ends = np.array([np.inf if lasts is None else lasts + end_slack for lasts in durations], dtype=np.float64)
    outside = np.flatnonzero((read.start < 0) | (read.end > ends[read.video]))
    for place in outside:
        prediction, lasts = read.prediction(int(place)), durations[read.video[place]]
        within = f"a span within {prediction.video_name}" + ("" if lasts is None else f", which lasts {lasts:g} s")
        more = _more(len(outside), "outside their videos", "outside their videos")
        yield misfit(int(place), f"timestamp [{prediction.start:g}, {prediction.end:g}]", within, more)


def _more(count: int, single: str, plural: str) -> str:
    return f" and {count - 1:,} more {single if count == 2 else plural}" if count > 1 else ""
