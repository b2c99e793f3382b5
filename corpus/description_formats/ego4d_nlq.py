"""Ego4D's natural language queries: one JSON object whose `videos` have clips, annotations and language_queries."""

from collections.abc import Iterator
from typing import Any, BinaryIO

from corpus.description_formats import fields
from corpus.description_formats.json_stream import json_items
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece

OF_CLIP = ("clip_uid", "video_start_sec", "video_end_sec", "annotations")
OF_ANNOTATION = ("annotation_uid", "language_queries")
TIMES = ("clip_start_sec", "clip_end_sec")
FIELDS = ("query", *TIMES)


def ego4d_nlq_pieces(file: BinaryIO) -> Iterator[FilePiece]:
    """One piece a query: {"query", its times, "number", and the facts of its clip and annotation}."""
    for place, (line, video) in enumerate(json_items(file, of="videos"), start=1):
        entry = f"video {place}"
        try:
            queries = list(_queries(video))
        except BadRow as fault:
            yield FilePiece(line, entry, video, fault)
            continue
        for position, query in enumerate(queries, start=1):
            yield FilePiece(line, f"{entry}, query {position}", query)


def _queries(video: Any) -> Iterator[dict[str, Any]]:
    for clip in _objects(video, "clips", OF_CLIP):
        of_clip = {name: clip[name] for name in OF_CLIP[:-1]}
        for annotation in _objects(clip, "annotations", OF_ANNOTATION):
            for number, query in enumerate(_objects(annotation, "language_queries", ())):
                asked = {name: query[name] for name in FIELDS if name in query}
                yield {**of_clip, "annotation_uid": annotation["annotation_uid"], "number": number, **asked}


def _objects(record: Any, field: str, names: tuple[str, ...]) -> Iterator[Any]:
    """The objects of the list in a field, each of which has the fields of these names."""
    fields.require(record, (field,))
    if not isinstance(record[field], list):
        raise BadRow(field, record[field], "a list")
    for one in record[field]:
        fields.require(one, names)
        yield one


def ego4d_nlq_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: EGO4D/episodic-memory, whose baselines search the clip. A query's number is its place, from 0.

    Raises: BadRow.
    """
    record = piece.value
    fields.require(record, FIELDS)
    video = fields.video_name(record["clip_uid"], "clip_uid")
    text = fields.sentence(record["query"], "query")
    annotation = fields.source_id(record["annotation_uid"], "annotation_uid", longest=56)
    begin, stop = fields.start_and_end(
        record["video_start_sec"], record["video_end_sec"], None, 0, ("video_start_sec", "video_end_sec")
    )
    start, end = fields.start_and_end(record[TIMES[0]], record[TIMES[1]], stop - begin, slack, TIMES)
    source_id = f"{annotation}_{record['number']}"
    return fields.row(piece, video=video, text=text, start=start, end=end, source_id=source_id, duration=stop - begin)
