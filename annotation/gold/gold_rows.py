"""Files of gold: a pair, its known grade and why, read strictly. Pure."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from corpus.description_formats import BadRow, fields
from corpus.description_formats.csv_dialects import Fields
from corpus.description_import.row_files import RowKind
from evaluation.reading.grade_scale import GradeScale

LONGEST = 2000
OF_GOLD = Fields(
    ("pair_id", "grade"), ("explanation",), {"pair_id": "pair", "grade": "relevance", "explanation": "why reason"}
)


class SaidGold(NamedTuple):
    """A row: the pair as it is named, by its public id or its number in releases, with its known grade."""

    line: int
    pair: str
    grade: int
    explanation: str


def gold_on(scale: GradeScale) -> RowKind[SaidGold]:
    """Files of known grades of a scale: CSV or JSON Lines of pair_id, grade and perhaps explanation."""
    return RowKind("gold", OF_GOLD, partial(_row, scale))


def _row(scale: GradeScale, values: Mapping[str, Any], line: int) -> SaidGold:
    grade = values["grade"]
    if isinstance(grade, str) and grade.strip().isascii() and grade.strip().isdecimal() and len(grade) < 9:
        grade = int(grade)
    if isinstance(grade, bool) or not isinstance(grade, int) or grade not in scale.grades:
        raise BadRow("grade", values["grade"], scale.words)
    explanation = values.get("explanation") or ""
    if not isinstance(explanation, str) or "\x00" in explanation or len(explanation) > LONGEST:
        raise BadRow("explanation", explanation, f"a text of at most {LONGEST} characters without NUL")
    return SaidGold(line, fields.source_id(values["pair_id"], "pair_id"), grade, explanation.strip())
