"""From a written name to a measure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from ..errors import EvaluationError
from ..measures.average_precision import AP
from ..measures.axiou import AxIoU
from ..measures.bpref import Bpref
from ..measures.compatibility import Compat
from ..measures.dcg import DCG
from ..measures.inferred_ap import InfAP
from ..measures.installed import distribution, installed, offered, refuse_clash
from ..measures.interpolated_map import InterpolatedMAP
from ..measures.judged import Judged
from ..measures.mean_average_precision import MAP
from ..measures.mean_iou import MeanIoU
from ..measures.measure import Measure
from ..measures.micro_average_precision import MicroAP
from ..measures.ncxiou import NCxIoU
from ..measures.ndcg import NDCG
from ..measures.plain import Plain, load
from ..measures.rank_biased_precision import RBP
from ..measures.recall import Recall
from ..measures.svmr import SVMR
from ..measures.vcmr import VCMR
from ..measures.video_recall import VideoRecall
from ..moments.alignment import Threshold

MEASURES: dict[str, type[Measure]] = {
    measure.NAME: measure
    for measure in (
        NDCG,
        Recall,
        AxIoU,
        NCxIoU,
        AP,
        DCG,
        MAP,
        InterpolatedMAP,
        MicroAP,
        MeanIoU,
        VCMR,
        SVMR,
        VideoRecall,
        Judged,
        Bpref,
        InfAP,
        RBP,
        Compat,
    )
}
"""Our measures by name; all others are those of installed packages, or ir_measures' business. ``mAP(interpolated)`` is
looked for before ``mAP``."""

PLAIN_TOO = ("R", "AP", "Judged", "Bpref", "infAP", "RBP", "Compat")
"""Names of ours that ir_measures has too: without an IoU boundary they are its."""

_WRITTEN = re.compile(r"(?P<name>[A-Za-z]+)(?:\((?P<options>[^()]*)\))?(?:@(?P<cutoff>\d+))?(?P<rest>(?:,.*)?)")
_BOUNDARY = re.compile(r"IoU(?P<sign>>=|>)(?P<value>\d*\.?\d+)(?::(?P<last>\d*\.?\d+))?")
_NUMBER = re.compile(r"\d*\.?\d+")
_GRADE = re.compile(rf"rel>=(?P<value>{_NUMBER.pattern})")
_MISSING = {"cutoff": "the cutoff @K is missing", "iou": "the boundary IoU>mu or IoU>=mu is missing"}
_NOT_A_PART = {
    "cutoff": "it looks at whole lists, @K has no meaning",
    "iou": "it has no IoU boundary",
    "last": "only mAP(interpolated) is a mean over several IoU",
    "least_grade": "it takes all grades, rel>=g has no meaning",
}


def parse_measure(text: str) -> Measure:
    """The measure of a written name.

    A name of ours without the IoU boundary that it needs, if ir_measures knows it (``R@5``,
    ``AP@100``, ``Bpref``), is the plain measure on exact moments; so is every other name it knows. A name of neither
    may be a measure of an installed package (`installed`).

    Raises: EvaluationError if nobody has the name, or an installed package declares one of ours.

    >>> parse_measure("NDCG@20,IoU>=0.5")
    NDCG(cutoff=20, iou=Threshold(value=0.5, strict=False), gain='linear', unjudged='zero')
    >>> str(parse_measure("R@5,IoU>0.70")), str(parse_measure('NDCG(gain="exp", cutoff=20, iou=">=0.5")'))
    ('R@5,IoU>0.7', 'NDCG(gain=exp)@20,IoU>=0.5')
    """
    written = text.strip()
    name = re.split(r"[^A-Za-z]", written, maxsplit=1)[0]
    if name in MEASURES and ("iou" in written.lower() or name not in PLAIN_TOO):
        refuse_clash(name, "qreels-eval itself")
        return _read(written, MEASURES)
    if (measure := installed(name)) is not None:
        return _read(written, {name: measure})
    try:
        load(written)
    except EvaluationError as error:
        others = [f"{name} ({distribution(point)})" for name, points in offered().items() for point in points]
        known = f"ours are {_forms(MEASURES)}; plain IR measures as ir_measures writes them"
        known += f"; installed are {', '.join(others)}" if others else ""
        raise EvaluationError(f"{written!r} is not a known measure ({error}): {known}") from error
    return Plain(written)


def _read(text: str, measures: Mapping[str, type[Measure]]) -> Measure:
    """The measure of a name that is one of these. Raises: EvaluationError, which says how it is written."""
    parts = _WRITTEN.fullmatch(text)
    if parts is None:
        raise EvaluationError(f"{text!r} is not a measure; expected one of {_forms(measures)}")
    name, options = parts["name"], parts["options"]
    if (whole := f"{name}({options})") in measures:
        name, options = whole, None
    measure = measures[name]
    try:
        values = _parts(parts["cutoff"], parts["rest"])
        _add_options(values, measure, options)
        _check_declared(values, measure)
        return measure(**values)
    except ValueError as error:
        raise EvaluationError(f"{text!r}: {error}; it is written {_forms(measures, parts['name'])}") from error


def _parts(cutoff: str | None, rest: str) -> dict[str, Any]:
    """Cutoff, boundary and least grade, as far as they are written, by field. Raises: ValueError, a sentence."""
    values: dict[str, Any] = {} if cutoff is None else {"cutoff": int(cutoff)}
    for part in rest.split(",")[1:]:
        part = part.replace(" ", "").replace("≥", ">=")
        if (boundary := _BOUNDARY.fullmatch(part)) and "iou" not in values:
            values["iou"] = Threshold(float(boundary["value"]), strict=boundary["sign"] == ">")
            if boundary["last"] is not None:
                values["last"] = float(boundary["last"])
        elif (grade := _GRADE.fullmatch(part)) and "least_grade" not in values:
            values["least_grade"] = float(grade["value"])
            if values["least_grade"] <= 0:
                raise ValueError("rel>=g needs g above 0")
        else:
            raise ValueError(f"{part!r} is not understood")
    return values


def _add_options(values: dict[str, Any], measure: type[Measure], options: str | None) -> None:
    """Add the values of the options in the parentheses, by field. Raises: ValueError, a sentence."""
    words = [] if options is None else [_unquoted(word) for word in options.split(",")]
    if len(set(words)) < len(words):
        raise ValueError(f"({options}) says something twice")
    for word in words:
        key, _, text = word.partition("=")
        field, value = measure.OPTIONS.get(word, ("", None))
        if key in measure.NUMBERS and _NUMBER.fullmatch(text):
            field, value = measure.NUMBERS[key].field, float(text)
        elif not field and "=" in word and key in (hints := _hints(measure)):
            value = _value(hints[key], text)
            field = "" if value is None else key
        if not field or field in values:
            told = _NOT_A_PART["iou"] if field == "iou" else f"({word}) is not an option of it"
            raise ValueError(f"{told}; its options are {', '.join(_declared(measure))}")
        values[field] = value


def _unquoted(word: str) -> str:
    """An option without the blanks and quotes that ir_measures allows.

    >>> _unquoted(' gain = "exp"')
    'gain=exp'
    """
    key, sign, text = word.partition("=")
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return f"{key.strip()}{sign}{text}"


def _hints(measure: type[Measure]) -> dict[str, Any]:
    """The types of a measure's fields."""
    hints = get_type_hints(measure)
    return {field.name: hints[field.name] for field in fields(measure)}


def _value(hint: Any, text: str) -> object:
    """What a written value is for a field of this type; None if it is none."""
    kinds = (hint, *get_args(hint))
    if get_origin(hint) is Literal:
        return next((value for value in get_args(hint) if str(value) == text), None)
    if bool in kinds:
        return {"True": True, "False": False}.get(text)
    if Threshold in kinds:
        boundary = _BOUNDARY.fullmatch(f"IoU{text.removeprefix('IoU')}")
        plain = boundary and not boundary["last"]
        return Threshold(float(boundary["value"]), strict=boundary["sign"] == ">") if boundary and plain else None
    if int in kinds:
        return int(text) if text.isdecimal() else None
    if float in kinds:
        return float(text) if _NUMBER.fullmatch(text) else None
    return text if str in kinds else None


def _declared(measure: type[Measure]) -> list[str]:
    """What may stand in a measure's parentheses: its words, its numbers, its fields by name."""
    forms = [*measure.OPTIONS, *(f"{key}=x" for key in measure.NUMBERS)]
    shapes = {bool: "True|False", Threshold: '">=mu"', int: "K", float: "x"}
    for name, hint in _hints(measure).items():
        if get_origin(hint) is Literal:
            shape = "|".join(map(str, get_args(hint)))
        else:
            shape = next((shape for kind, shape in shapes.items() if kind in (hint, *get_args(hint))), "text")
        forms.append(f"{name}={shape}")
    return list(dict.fromkeys(forms))


def _check_declared(values: dict[str, Any], measure: type[Measure]) -> None:
    """Raises: ValueError, a sentence, if a value is for no field of the measure, or a field that needs one has none."""
    missing = _MISSING | {number.field: f"{number.title} is missing" for number in measure.NUMBERS.values()}
    declared = {field.name: field.default for field in fields(measure)}
    for name in values:
        if name not in declared:
            raise ValueError(_NOT_A_PART[name])
    for name, default in declared.items():
        if default is MISSING and name not in values:
            raise ValueError(missing[name])


def _forms(measures: Mapping[str, type[Measure]], of: str = "") -> str:
    """The written forms of all these measures, or of those with this name before the parentheses."""
    if of:
        return " or ".join(measure.WRITTEN for name, measure in measures.items() if name.partition("(")[0] == of)
    return ", ".join(measure.WRITTEN for measure in measures.values())
