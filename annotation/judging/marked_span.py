"""From the marks on a clip to a stretch of its video, checked. Pure.

>>> in_video((1.0, 2.5), moment=Span(10.0, 14.0), clip_seconds=4.0)
Span(start=11.0, end=12.5)
>>> in_video((0.0, 3.98), moment=Span(10.0, 14.0), clip_seconds=4.0) is None
True
"""

from annotation.span_consensus import Span

LEAST_SECONDS = 0.5
"""No span is shorter; `static/js/judging/span.js` has it, too."""
EDGE = 0.05
"""Seconds from an edge of the clip within which a mark is at the edge: about a frame."""


def in_video(marks: tuple[float, float], *, moment: Span, clip_seconds: float | None) -> Span | None:
    """The marked stretch in seconds of the video; None if it is all of the moment.

    A clip begins where its moment begins, so marks only narrow; one at the clip's end is the moment's end.

    Args:
        marks: start and end in seconds of the clip.
        moment: the moment's own span.
        clip_seconds: how long the clip plays; None: as long as the moment.

    Raises: ValueError that says what was found and expected.
    """
    start, end = marks
    length = moment.end - moment.start
    clip = length if clip_seconds is None else min(clip_seconds, length)
    if not 0 <= start < end <= clip + EDGE or (end - start < LEAST_SECONDS - EDGE and end - start < clip - EDGE):
        raise ValueError(
            f"found the span {start:g} to {end:g}, expected at least {LEAST_SECONDS} s between 0 and {clip:.2f}"
        )
    begin = moment.start if start <= EDGE else moment.start + start
    finish = moment.end if end >= clip - EDGE else moment.start + end
    return None if (begin, finish) == (moment.start, moment.end) else Span(round(begin, 3), round(finish, 3))
