"""The subtitles of one moment as WebVTT, which holds nothing from outside it. Pure."""

from collections.abc import Iterable, Sequence

Cue = Sequence[float | str]
"""[start, end, text], in seconds of the video."""


def webvtt(cues: Iterable[Cue], *, start: float, end: float) -> str:
    """What is said from `start` to `end` (s), with times from the clip's beginning, cut at its edges.

    Text stays text: a browser shows what looks like markup as it is written.

    >>> print(webvtt([[1.5, 4.0, "a < b"], [9.0, 9.5, "later"]], start=2.0, end=5.0))
    WEBVTT
    <BLANKLINE>
    00:00:00.000 --> 00:00:02.000
    a &lt; b
    <BLANKLINE>
    """
    parts = ["WEBVTT\n"]
    for said_from, said_to, text in cues:
        first = round(1000 * max(0.0, float(said_from) - start))
        last = round(1000 * (min(end, float(said_to)) - start))
        if first < last:
            shown = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            parts.append(f"{_time(first)} --> {_time(last)}\n{' '.join(shown.split())}\n")
    return "\n".join(parts)


def _time(milliseconds: int) -> str:
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{rest // 1000:02}.{rest % 1000:03}"
