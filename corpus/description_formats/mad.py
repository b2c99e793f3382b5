"""MAD: one JSON object of {id: {movie, movie_duration, sentence, timestamps, ext_timestamps}}."""

import math
from collections.abc import Iterator
from typing import BinaryIO

from corpus.description_formats import fields
from corpus.description_formats.json_stream import json_members
from corpus.description_formats.rows import BadRow, DescriptionRow, FilePiece

FIELDS = ("movie", "movie_duration", "sentence", "timestamps")
WIDENED = "ext_timestamps"


def mad_pieces(file: BinaryIO) -> Iterator[FilePiece]:
    """One piece a sentence: {id: its facts}."""
    for line, key, record in json_members(file):
        yield FilePiece(line, f"sentence {fields.brief(key)}", {key: record})


def mad_row(piece: FilePiece, slack: float) -> DescriptionRow:
    """Source: Soldelli/MAD, whose baselines take `ext_timestamps` as the moment and cut it to its movie.

    Where they are missing, `timestamps` are taken as they are. Raises: BadRow.
    """
    ((key, record),) = piece.value.items()
    widened = isinstance(record, dict) and WIDENED in record
    fields.require(record, FIELDS[:-1] if widened else FIELDS)
    video = fields.video_name(record["movie"], "movie")
    text = fields.sentence(record["sentence"], "sentence")
    duration = fields.duration(record["movie_duration"], "movie_duration")
    field = WIDENED if widened else FIELDS[-1]
    times, end_of_movie = record[field], math.inf if duration is None else duration
    if widened and isinstance(times, list) and len(times) == 2 and all(map(fields.is_number, times)):
        times = [max(times[0], 0), min(times[1], end_of_movie)]
        if not times[0] < times[1]:
            raise BadRow(field, record[field], f"a start before the end, within the movie's {end_of_movie:g} s")
    start, end = fields.stretch(times, field, duration, slack)
    source_id = fields.source_id(key, "id")
    return fields.row(piece, video=video, text=text, start=start, end=end, source_id=source_id, duration=duration)
