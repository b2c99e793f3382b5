"""Charades-STA's text files: a line a sentence, `VIDEO START END##SENTENCE`.

Source: jiyanggao/TALL; the lengths of videos: Charades_v1_SPLIT.csv of Charades.
"""

from __future__ import annotations

from pathlib import Path

from ..formats.trec_ids import written_id
from ..outlets.outlet import Left, LeftOut, Wanted, one_line, write_rows
from ..outlets.release import Release

NAME = "charades-sta"
READ_BY = "2D-TAN, CTRL and other readers of charades_sta_SPLIT.txt"
LOSES = (
    "one line a query and relevant moment: a query's other relevant moments count as misses there; lines.csv says "
    "which query, pair and grade each line is; videos' names are percent-encoded, as in trec/"
)


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """charades_sta_SPLIT.txt and Charades_v1_SPLIT.csv for train, val and test, and lines.csv."""
    out = LeftOut(wanted.relevant)
    whose = []
    for split, queries in release.splits():
        name = f"charades_sta_{split}.txt"
        line, videos = 0, set()
        with (folder / name).open("w", encoding="utf-8") as file:
            for query in map(out.relevant, queries):
                for moment in query.moments:
                    line += 1
                    video, sentence = written_id(moment.video_name), one_line(query.text).replace("##", "# #")
                    file.write(f"{video} {moment.start!r} {moment.end!r}##{sentence}\n")
                    videos.add(moment.video_name)
                    whose.append([name, line, query.query_id, moment.pair_id, moment.grade])
        lengths = [[written_id(video), seconds] for video, seconds in release.durations.items() if video in videos]
        write_rows(folder / f"Charades_v1_{split}.csv", ("id", "length"), lengths)
    write_rows(folder / "lines.csv", ("file", "line", "query_id", "pair_id", "relevance"), whose)
    return out.told()
