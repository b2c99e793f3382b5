"""What a run names that isn't there: unknown queries and videos, and spans outside their videos. Pure."""

from collections.abc import Container, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.moments.run import Run


def unknown_queries(read: Run, known: Container[str]) -> list[str]:
    """The run's query ids that aren't known, in file order."""
    return [query_id for query_id in read.query_ids if query_id not in known]


def unknown_videos(read: Run, known: Container[str]) -> NDArray[np.bool_]:
    """Which of the run's V videos aren't known, shape (V,)."""
    return np.array([name not in known for name in read.video_names], dtype=np.bool_)


def spans_outside(read: Run, durations: Sequence[float | None], *, end_slack: float) -> NDArray[np.intp]:
    """The places of predictions that begin before their video or end after it.

    Args:
        durations: of the run's V videos, in seconds; None: unknown, so that nothing is after it.
        end_slack: seconds that a moment may end after its video's stated duration.
    """
    ends = np.array([np.inf if lasts is None else lasts + end_slack for lasts in durations], dtype=np.float64)
    return np.flatnonzero((read.start < 0) | (read.end > ends[read.video]))


def query_of_place(read: Run) -> NDArray[np.intp]:
    """For each prediction the row of its query, shape (N,)."""
    return np.repeat(np.arange(len(read.query_ids)), np.diff(read.offset))
