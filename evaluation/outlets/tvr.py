"""TVR's files for retrieving moments in a corpus (VCMR), with subtitles.

Source: jayleicn/TVRetrieval, data/README.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from ..outlets.outlet import Left, LeftOut, Wanted, write_json, write_lines
from ..outlets.release import Release
from ..releases.queries import Query

NAME = "tvr"
READ_BY = "TVR's standalone_eval, XML, ReLoCLNet, CONQUER"
LOSES = (
    "one line a query and relevant moment, numbered by desc_id (query_id says whose it is): a query's other relevant "
    "moments count as misses there; query_id, relevance and pair_id stand beside TVR's own fields"
)


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """tvr_SPLIT_release.jsonl for train, val and test, tvr_video2dur_idx.json, and the subtitles, if there are any."""
    out, numbers = LeftOut(wanted.relevant), count(1)
    written = []
    for split, queries in release.splits():
        records = _records(map(out.relevant, queries), release, numbers)
        write_lines(folder / f"tvr_{split}_release.jsonl", records)
        written.append(split)
    corpus = {video: [seconds, index] for index, (video, seconds) in enumerate(release.durations.items())}
    write_json(folder / "tvr_video2dur_idx.json", dict.fromkeys(written, corpus))
    left = [*out.told(), (len(release.stated) - len(corpus), "video", "without a known duration left out")]
    if wanted.subtitles:
        said = (
            {
                "vid_name": video,
                "sub": [{"text": line.text, "start": line.start, "end": line.end} for line in wanted.subtitles[video]],
            }
            for video in corpus
            if video in wanted.subtitles
        )
        lines = write_lines(folder / "tvqa_preprocessed_subtitles.jsonl", said)
        left.append((len(corpus) - lines, "video", "without subtitles"))
    return left


def _records(queries: Iterable[Query], release: Release, numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
    for query in queries:
        for moment in query.moments:
            record = {
                "vid_name": moment.video_name,
                "duration": release.durations[moment.video_name],
                "ts": [moment.start, moment.end],
                "desc": query.text,
                "type": kind_of(release),
                "desc_id": next(numbers),
                "query_id": query.query_id,
            }
            if moment.grade is not None:
                record |= {"relevance": moment.grade, "pair_id": moment.pair_id}
            yield record


def kind_of(release: Release) -> str:
    """What TVR says that a description is about: `vt` where annotators could use sound or subtitles, else `v`."""
    settings = release.manifest.get("settings")
    evidence = settings.get("evidence") if isinstance(settings, dict) else None
    heard = isinstance(evidence, list) and not {"sound", "subtitles"}.isdisjoint(map(str, evidence))
    return "vt" if heard else "v"
