"""Rows of grades that a machine gave elsewhere, read strictly. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from math import fsum
from typing import Any, NamedTuple

from annotation.models import MachineJudgment
from corpus.description_formats import BadRow, fields
from corpus.description_formats.csv_dialects import Fields
from corpus.description_import.row_files import RowKind

NOUN = "grades"
OF_GRADES = Fields(
    ("pair_id",),
    ("grade", "distribution", "abstained"),
    {
        "pair_id": "pair",
        "grade": "relevance label",
        "distribution": "probabilities probs",
        "abstained": "abstains abstention",
    },
)
TOLERANCE = 0.001
"""By how much the sum of a distribution may differ from 1."""
_ROUNDING = 1e-9
ABSTAINED = {str(why): why for why in MachineJudgment.Abstained.values if why}
YES, NO = {"true", "yes", "1"}, {"", "false", "no", "0"}
_WHY = f"true, false or one of {', '.join(ABSTAINED)}"


class SaidGrade(NamedTuple):
    """What a row says of a pair; the fields as of `judges.MachineGrade`."""

    line: int
    pair: str
    grade: int | None
    distribution: tuple[float, ...] | None
    abstained: str


def grades_up_to(top: int) -> RowKind[SaidGrade]:
    """Files of grades from 0 to `top`: CSV or JSON Lines of pair_id and grade, distribution or abstained."""
    return RowKind(NOUN, OF_GRADES, partial(grade_row, top))


def grade_row(top: int, values: Mapping[str, Any], line: int = 0) -> SaidGrade:
    """A row of its fields by name, with grades from 0 to `top`.

    A distribution's grade is its most probable one, of equal ones the lowest. Raises: BadRow naming the field that
    won't do.
    """
    pair = fields.source_id(values["pair_id"], "pair_id")
    abstained = _abstained(values.get("abstained"))
    told = _distribution(values.get("distribution"), top)
    grade = _grade(values.get("grade"), top)
    if abstained:
        if grade is not None or told is not None:
            raise BadRow.saying("abstained", f"{abstained!r} beside a grade", "one of the two")
        return SaidGrade(line, pair, None, None, abstained)
    if told is not None:
        likeliest = told.index(max(told))
        if grade not in (None, likeliest):
            raise BadRow("grade", grade, f"{likeliest}, the most probable of its distribution, or none")
        grade = likeliest
    if grade is None:
        raise BadRow.saying("grade", "nothing", "a grade, a distribution, or that it abstained")
    return SaidGrade(line, pair, grade, told, "")


def _grade(value: Any, top: int) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdecimal() and len(value) < 9:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= top:
        raise BadRow("grade", value, f"a whole number from 0 to {top}")
    return value


def _distribution(value: Any, top: int) -> tuple[float, ...] | None:
    if value is None or value == "":
        return None
    found, expected = value, f"a list of {top + 1} probabilities, of grades 0 to {top}, whose sum is 1"
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise BadRow("distribution", found, expected) from None
    if not isinstance(value, list) or len(value) != top + 1 or not all(map(fields.is_time, value)):
        raise BadRow("distribution", found, expected)
    total = fsum(value)
    if abs(total - 1) > TOLERANCE:
        raise BadRow.saying("distribution", f"a sum of {total:.6g}", expected)
    # One that was read here already stays as it is.
    return tuple(map(float, value)) if abs(total - 1) < _ROUNDING else tuple(share / total for share in value)


def _abstained(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return MachineJudgment.Abstained.OTHER.value if value else ""
    word = str(value).strip().lower()
    if word in NO:
        return ""
    if word in YES:
        return MachineJudgment.Abstained.OTHER.value
    if word not in ABSTAINED:
        raise BadRow("abstained", value, _WHY)
    return ABSTAINED[word]
