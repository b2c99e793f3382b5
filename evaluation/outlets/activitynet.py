"""ActivityNet Captions' files: each video with its sentences and their times.

Source: Krishna et al., Dense-Captioning Events in Videos; train.json, val_1.json of its release.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..outlets.outlet import Left, LeftOut, Wanted, write_json
from ..outlets.release import Release

NAME = "activitynet"
READ_BY = "2D-TAN, densevid_eval and other readers of ActivityNet Captions"
LOSES = (
    "one sentence a query and relevant moment: a query's other relevant moments count as misses there; query_ids, "
    "pair_ids and relevances stand beside the video's timestamps and sentences, in their order"
)


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """train.json, val.json and test.json."""
    out = LeftOut(wanted.relevant)
    for split, queries in release.splits():
        videos: dict[str, dict[str, Any]] = {}
        for query in map(out.relevant, queries):
            for moment in query.moments:
                record = videos.setdefault(moment.video_name, {"duration": release.durations[moment.video_name]})
                for key, value in (
                    ("timestamps", [moment.start, moment.end]),
                    ("sentences", query.text),
                    ("query_ids", query.query_id),
                    ("pair_ids", moment.pair_id),
                    ("relevances", moment.grade),
                ):
                    record.setdefault(key, []).append(value)
        write_json(folder / f"{split}.json", videos)
    return out.told()
