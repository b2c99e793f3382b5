"""WebVTT: a track a video with the graded moments as cues, for players.

Source: W3C, WebVTT.
"""

from __future__ import annotations

from collections import defaultdict
from html import escape
from pathlib import Path

from ..outlets.outlet import Left, Wanted, one_line
from ..outlets.release import Release
from ..releases.queries import Moment, Query

NAME = "webvtt"
READ_BY = "browsers (<track>), VLC, FFmpeg and other players"
LOSES = "times in milliseconds; a / in a video's name is written %2F, a % as %25"
Shown = tuple[Moment, Query]


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """SPLIT/VIDEO.vtt for val and test: each judged pair from the least grade on, its grade, and the query."""
    below = 0
    for split, queries in release.judged.items():
        videos: dict[str, list[Shown]] = defaultdict(list)
        for query in queries:
            for moment in query.moments:
                if moment.is_relevant(wanted.relevant):
                    videos[moment.video_name].append((moment, query))
                else:
                    below += 1
        (folder / split).mkdir()
        for video, shown in videos.items():
            shown.sort(key=lambda one: (one[0].start, one[0].end, -(one[0].grade or 0)))
            text = "\n".join(["WEBVTT\n", *(_cue(*one, release) for one in shown)])
            (folder / split / f"{file_name(video)}.vtt").write_text(text, encoding="utf-8")
    return [(below, "pair", f"below grade {wanted.relevant:g} left out")]


def _cue(moment: Moment, query: Query, release: Release) -> str:
    grade = moment.grade or 0
    word = release.grade_words.get(grade)
    told = f"[{grade}: {word}] {query.text}" if word else f"[{grade}] {query.text}"
    name = one_line(moment.pair_id or query.query_id).replace("-->", "--\u203a")
    return f"{name}\n{time(moment.start)} --> {time(moment.end)}\n{escape(one_line(told), quote=False)}\n"


def time(seconds: float) -> str:
    """Seconds as WebVTT writes them.

    >>> time(3725.5)
    '01:02:05.500'
    """
    milliseconds = round(seconds * 1000)
    hours, rest = divmod(milliseconds, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    return f"{hours:02d}:{minutes:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


def file_name(video: str) -> str:
    """A video's name as a file can have it.

    >>> file_name("a/b 50%")
    'a%2Fb 50%25'
    """
    return video.replace("%", "%25").replace("/", "%2F").replace("\0", "%00")
