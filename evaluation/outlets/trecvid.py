"""TRECVID's files for Ad-hoc Video Search: topics, qrels, the shot reference, and a run in its XML.

A moment is a shot; its id is the one from elsewhere (`Wanted.moment_ids`, or else the release's own), or `shotV_N` as
TRECVID numbers them: the N-th moment of the V-th video. Source: NIST's TRECVID, videoAdhocSearchResults.dtd of 2018;
trec_eval's qrels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from ..errors import EvaluationError
from ..outlets.outlet import Left, Wanted, one_line, write_rows
from ..outlets.release import Release
from ..releases.queries import Query

NAME = "trecvid"
READ_BY = "TRECVID's sample_eval and trec_eval, and what reads videoAdhocSearchResults"
LOSES = (
    "moments are shots: a run has to return exactly these; topics have numbers, topics.csv says whose they are; "
    "the grades stay in the qrels, which sample_eval takes for relevant from 1 on"
)
FIRST_TOPIC = 1001
LONGEST = 1_000
"""Shots a topic in a run of TRECVID's."""


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """shots.csv, topics.csv, and for val and test topics.SPLIT.txt, qrels.SPLIT.txt and ideal.SPLIT.xml."""
    ids = wanted.moment_ids or release.moment_ids
    shots = _shots(release, ids)
    documents = release.documents
    places = ([shot, own.video_name, own.start, own.end] for key, shot in shots.items() if (own := documents[key]))
    write_rows(folder / "shots.csv", ("shot_id", "video_name", "start", "end"), places)
    number, whose = FIRST_TOPIC, []
    for split, queries in release.judged.items():
        numbers = range(number, number + len(queries))
        number = numbers.stop
        numbered = list(zip(numbers, queries, strict=True))
        whose += [[topic, split, query.query_id] for topic, query in numbered]
        topics = "".join(f"{topic} {one_line(query.text)}\n" for topic, query in numbered)
        qrels = "".join(
            f"{topic} 0 {shots[moment.moment_id]} {moment.grade}\n"
            for topic, query in numbered
            for moment in query.moments
        )
        (folder / f"topics.{split}.txt").write_text(topics, encoding="utf-8")
        (folder / f"qrels.{split}.txt").write_text(qrels, encoding="utf-8")
        (folder / f"ideal.{split}.xml").write_text(_ideal_run(release, wanted, numbered, shots), encoding="utf-8")
    write_rows(folder / "topics.csv", ("topic", "split", "query_id"), whose)
    if not ids:
        return []
    given = set(ids.values())
    return [(sum(shot not in given for shot in shots.values()), "moment", "without an id elsewhere, numbered here")]


def _shots(release: Release, ids: Mapping[tuple[str, float, float], str]) -> dict[str, str]:
    """Each moment's shot id by its own, video by video, by start."""
    numbers = {video: number for number, video in enumerate(release.stated, start=1)}
    within: Counter[str] = Counter()
    shots = {}
    in_order = sorted(release.documents.values(), key=lambda own: (numbers[own.video_name], own.start, own.end))
    for document in in_order:
        video = document.video_name
        within[video] += 1
        usual = f"shot{numbers[video]}_{within[video]}"
        shots[document.document_id] = ids.get((video, document.start, document.end), usual)
    again = [shot for shot, times in Counter(shots.values()).items() if times > 1]
    if again:
        raise EvaluationError(f"found the moment id {again[0]} for two moments, expected ids unlike shotV_N, or of all")
    return shots


def _ideal_run(release: Release, wanted: Wanted, numbered: list[tuple[int, Query]], shots: dict[str, str]) -> str:
    """The run that returns a topic's relevant shots by their grades, best first."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<videoAdhocSearchResults>",
        '<videoAdhocSearchRunResult trType="D" class="F" task="M" novelty="C" pid="ideal" priority="1" '
        f"desc={quoteattr(f'the judged moments of {release.name} by grade')}>",
    ]
    for topic, query in numbered:
        lines.append(f'<videoAdhocSearchTopicResult tNum="{topic}" elapsedTime="0">')
        best = sorted(query.relevant(wanted.relevant), key=lambda moment: -(moment.grade or 0))[:LONGEST]
        lines += [
            f'<item seqNum="{rank}" shotId={quoteattr(shots[moment.moment_id])}/>'
            for rank, moment in enumerate(best, start=1)
        ]
        lines.append("</videoAdhocSearchTopicResult>")
    return "\n".join([*lines, "</videoAdhocSearchRunResult>", "</videoAdhocSearchResults>", ""])
