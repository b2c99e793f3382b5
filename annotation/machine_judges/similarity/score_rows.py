"""Rows of scores of pairs, such as their text-to-frame similarity, read strictly. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any, NamedTuple

from corpus.description_formats import BadRow, fields
from corpus.description_formats.csv_dialects import Fields
from corpus.description_import.row_files import RowKind


class PairScore(NamedTuple):
    """A score of a pair: the higher, the more its clip is like its query."""

    line: int
    pair: str
    score: float


def score_row(values: Mapping[str, Any], line: int) -> PairScore:
    """A row of its fields by name. Raises: BadRow."""
    pair, value = fields.source_id(values["pair_id"], "pair_id"), values["score"]
    try:
        score = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        score = float("nan")
    if not isfinite(score):
        raise BadRow("score", value, "a number")
    return PairScore(line, pair, score)


SCORES = RowKind("scores", Fields(("pair_id", "score"), (), {"pair_id": "pair", "score": "similarity"}), score_row)
