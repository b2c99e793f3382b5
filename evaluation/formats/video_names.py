"""What a video's name says."""

from __future__ import annotations

import re

_SEASON = re.compile(r"(?:^|[_\W])s\d+[_\W]?e\d+", re.IGNORECASE)


def show_of(video_name: str) -> str:
    """The show in a video's name: the part before season and episode, or before the first `_`.

    A name that begins with the season has the show "", as TVR's videos of one show have.

    >>> show_of("friends_s01e03_seg02_clip_07"), show_of("s06e18_seg02_clip_17"), show_of("kitchen_004")
    ('friends', '', 'kitchen')
    """
    season = _SEASON.search(video_name)
    return video_name[: season.start()] if season else video_name.split("_", 1)[0]
