"""From a written name to a measure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, cast

from evaluation.alignment import Threshold
from evaluation.errors import EvaluationError
from evaluation.measures.average_precision import AP
from evaluation.measures.axiou import AxIoU
from evaluation.measures.bpref import Bpref
from evaluation.measures.dcg import DCG
from evaluation.measures.inferred_ap import InfAP
from evaluation.measures.interpolated_map import InterpolatedMAP
from evaluation.measures.judged import Judged
from evaluation.measures.mean_average_precision import MAP
from evaluation.measures.mean_iou import MeanIoU
from evaluation.measures.measure import Measure
from evaluation.measures.micro_average_precision import MicroAP
from evaluation.measures.ncxiou import NCxIoU
from evaluation.measures.ndcg import NDCG
from evaluation.measures.plain import Plain, load
from evaluation.measures.rank_biased_precision import RBP
from evaluation.measures.recall import Recall
from evaluation.measures.svmr import SVMR
from evaluation.measures.vcmr import VCMR
from evaluation.measures.video_recall import VideoRecall

_WRITTEN = re.compile(r"(?P<name>[A-Za-z]+)(?:\((?P<option>[^()]*)\))?(?:@(?P<cutoff>\d+))?(?P<rest>(?:,.*)?)")
_BOUNDARY = re.compile(r"IoU(?P<sign>>=|>)(?P<value>\d*\.?\d+)(?::(?P<last>\d*\.?\d+))?")
_PERSISTENCE = re.compile(r"persistence=(?P<value>\d*\.?\d+)")
_P = re.compile(r"p=(?P<value>\d*\.?\d+)")
_GRADE = re.compile(r"rel>=(?P<value>\d*\.?\d+)")

FORMS = {
    "NDCG": "NDCG@K,IoU>=mu or NDCG(condensed)@K,IoU>=mu or NDCG(low)@K,IoU>=mu or NDCG(high)@K,IoU>=mu",
    "R": "R@K,IoU>mu",
    "AxIoU": "AxIoU@K",
    "NCxIoU": "NCxIoU(persistence=x)@K",
    "AP": "AP@K,IoU>mu or AP(hits)@K,IoU>mu",
    "DCG": "DCG@K",
    "mAP": "mAP,IoU>=mu or mAP(video) or mAP(condensed),IoU>=mu or mAP(interpolated)@K,IoU>=mu "
    "or mAP(interpolated)@K,IoU>=mu:nu",
    "uAP": "uAP,IoU>=mu or uAP(video)",
    "mIoU": "mIoU",
    "VCMR": "VCMR@K,IoU>=mu",
    "SVMR": "SVMR@K,IoU>=mu",
    "VR": "VR@K",
    "Judged": "Judged@K,IoU>=mu",
    "Bpref": "Bpref,IoU>=mu",
    "infAP": "infAP,IoU>=mu",
    "RBP": "RBP(p=x),IoU>=mu or RBP(p=x,residual),IoU>=mu",
}
"""How each measure of ours is written; everything else is ir_measures' business."""


PLAIN_TOO = ("R", "AP", "Judged", "Bpref", "infAP", "RBP")
"""Names of ours that ir_measures has too: without an IoU boundary they are its."""


class _Written:
    """The parts of a written name, taken one by one; what is left over at the end is an error."""

    def __init__(self, text: str) -> None:
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise EvaluationError(f"{text!r} is not a measure; expected one of {', '.join(FORMS.values())}")
        self.text = text
        self.name = found["name"]
        self.option = found["option"]
        self.cutoff = None if found["cutoff"] is None else int(found["cutoff"])
        self.iou: Threshold | None = None
        self.last_iou: float | None = None
        self.least_grade = 1.0
        self._has_grade = False
        for part in found["rest"].split(",")[1:]:
            self._take(part.replace(" ", "").replace("≥", ">="))

    def _take(self, part: str) -> None:
        if (boundary := _BOUNDARY.fullmatch(part)) and self.iou is None:
            try:
                self.iou = Threshold(float(boundary["value"]), strict=boundary["sign"] == ">")
                self.last_iou = None if boundary["last"] is None else float(boundary["last"])
            except ValueError as error:
                raise self.wrong(str(error)) from error
        elif (grade := _GRADE.fullmatch(part)) and not self._has_grade:
            self.least_grade = float(grade["value"])
            self._has_grade = True
            if self.least_grade <= 0:
                raise self.wrong("rel>=g needs g above 0")
        else:
            raise self.wrong(f"{part!r} is not understood")

    def wrong(self, why: str) -> EvaluationError:
        return EvaluationError(f"{self.text!r}: {why}; it is written {FORMS[self.name]}")

    def needed_cutoff(self) -> int:
        if self.cutoff is None:
            raise self.wrong("the cutoff @K is missing")
        return self.cutoff

    def needed_iou(self) -> Threshold:
        if self.iou is None:
            raise self.wrong("the boundary IoU>mu or IoU>=mu is missing")
        if self.last_iou is not None:
            raise self.wrong("only mAP(interpolated) is a mean over several IoU")
        return self.iou

    def without(self, *, iou: bool = False, grade: bool = False) -> None:
        """Raises: EvaluationError if a part is there that the measure doesn't have."""
        if iou and self.iou is not None:
            raise self.wrong("it has no IoU boundary")
        if grade and self._has_grade:
            raise self.wrong("it takes all grades, rel>=g has no meaning")

    def without_cutoff(self) -> None:
        """Raises: EvaluationError if a cutoff is there."""
        if self.cutoff is not None:
            raise self.wrong("it looks at whole lists, @K has no meaning")

    def options(self) -> list[str]:
        """What stands in the parentheses, in order. Raises: EvaluationError if something is there twice."""
        found = [] if self.option is None else [part.strip() for part in self.option.split(",")]
        if len(set(found)) < len(found):
            raise self.wrong(f"({self.option}) says something twice")
        return found

    def choice(self, *allowed: str) -> str | None:
        if self.option is not None and self.option not in allowed:
            raise self.wrong(f"({self.option}) is not an option of it")
        return self.option


def _ndcg(written: _Written) -> Measure:
    written.without(grade=True)
    gain: Literal["linear", "exp"] = "linear"
    unjudged: Literal["zero", "condensed", "low", "high"] = "zero"
    for place, option in enumerate(written.options()):
        if place == 0 and option in ("gain=exp", "gain=linear"):
            gain = "exp" if option == "gain=exp" else "linear"
        elif unjudged == "zero" and option in ("condensed", "low", "high"):
            unjudged = cast(Literal["condensed", "low", "high"], option)
        else:
            raise written.wrong(f"({written.option}) is not an option of it")
    return NDCG(written.needed_cutoff(), written.needed_iou(), gain, unjudged)


def _recall(written: _Written) -> Measure:
    written.choice()
    return Recall(written.needed_cutoff(), written.needed_iou(), written.least_grade)


def _axiou(written: _Written) -> Measure:
    written.without(iou=True)
    return AxIoU(written.needed_cutoff(), written.choice("graded") == "graded", written.least_grade)


def _ncxiou(written: _Written) -> Measure:
    written.without(iou=True)
    persistence = _PERSISTENCE.fullmatch(written.option or "")
    if persistence is None:
        raise written.wrong("the persistence is missing")
    return NCxIoU(written.needed_cutoff(), float(persistence["value"]), written.least_grade)


def _dcg(written: _Written) -> Measure:
    written.without(iou=True)
    return DCG(written.needed_cutoff(), written.choice("graded") == "graded", written.least_grade)


def _ap(written: _Written) -> Measure:
    over: Literal["ranks", "hits"] = "hits" if written.choice("hits") == "hits" else "ranks"
    return AP(written.needed_cutoff(), written.needed_iou(), written.least_grade, over)


def _mean_iou(written: _Written) -> Measure:
    written.choice()
    written.without(iou=True)
    return MeanIoU(1 if written.cutoff is None else written.cutoff, written.least_grade)


def _over_moments_or_videos(written: _Written) -> tuple[Threshold | None, int | None, float]:
    if written.choice("video") == "video":
        written.without(iou=True)
        return None, written.cutoff, written.least_grade
    return written.needed_iou(), written.cutoff, written.least_grade


def _map(written: _Written) -> Measure:
    if written.option == "interpolated" and written.iou is not None:
        return InterpolatedMAP(written.iou, written.last_iou, written.cutoff, written.least_grade)
    if written.option in ("interpolated", "condensed"):
        return MAP(written.needed_iou(), written.cutoff, written.least_grade, condensed=True)
    return MAP(*_over_moments_or_videos(written))


def _micro_ap(written: _Written) -> Measure:
    return MicroAP(*_over_moments_or_videos(written))


def _vcmr(written: _Written) -> Measure:
    written.choice()
    return VCMR(written.needed_cutoff(), written.needed_iou(), written.least_grade)


def _svmr(written: _Written) -> Measure:
    written.choice()
    return SVMR(written.needed_cutoff(), written.needed_iou(), written.least_grade)


def _video_recall(written: _Written) -> Measure:
    written.choice()
    written.without(iou=True)
    return VideoRecall(written.needed_cutoff(), written.least_grade)


def _judged(written: _Written) -> Measure:
    written.choice()
    written.without(grade=True)
    return Judged(written.needed_cutoff(), written.needed_iou())


def _bpref(written: _Written) -> Measure:
    written.choice()
    written.without_cutoff()
    return Bpref(written.needed_iou(), written.least_grade)


def _inferred_ap(written: _Written) -> Measure:
    written.choice()
    written.without_cutoff()
    return InfAP(written.needed_iou(), written.least_grade)


def _rbp(written: _Written) -> Measure:
    persistence = None
    rest = []
    for option in written.options():
        found = _P.fullmatch(option)
        if found is None or persistence is not None:
            rest.append(option)
        else:
            persistence = float(found["value"])
    if persistence is None:
        raise written.wrong("the persistence p is missing")
    if unknown := [option for option in rest if option not in ("graded", "residual")]:
        raise written.wrong(f"({unknown[0]}) is not an option of it")
    iou, cutoff = written.needed_iou(), written.cutoff
    return RBP(persistence, iou, cutoff, written.least_grade, "graded" in rest, "residual" in rest)


_MAKERS: dict[str, Callable[[_Written], Measure]] = {
    "NDCG": _ndcg,
    "R": _recall,
    "AxIoU": _axiou,
    "NCxIoU": _ncxiou,
    "AP": _ap,
    "DCG": _dcg,
    "mAP": _map,
    "uAP": _micro_ap,
    "mIoU": _mean_iou,
    "VCMR": _vcmr,
    "SVMR": _svmr,
    "VR": _video_recall,
    "Judged": _judged,
    "Bpref": _bpref,
    "infAP": _inferred_ap,
    "RBP": _rbp,
}


def parse_measure(text: str) -> Measure:
    """The measure of a written name.

    A name of ours without the IoU boundary that it needs, if ir_measures knows it (``R@5``,
    ``AP@100``, ``Bpref``), is the plain measure on exact moments; so is every other name it knows.

    Raises: EvaluationError if the name is neither ours nor ir_measures'.

    >>> parse_measure("NDCG@20,IoU>=0.5")
    NDCG(cutoff=20, iou=Threshold(value=0.5, strict=False), gain='linear', unjudged='zero')
    >>> str(parse_measure("R@5,IoU>0.70"))
    'R@5,IoU>0.7'
    """
    written = text.strip()
    name = re.match(r"[A-Za-z]*", written)
    ours = name is not None and name[0] in _MAKERS
    plain = name is not None and name[0] in PLAIN_TOO and "IoU" not in written
    if ours and not plain:
        parts = _Written(written)
        try:
            return _MAKERS[parts.name](parts)
        except EvaluationError:
            raise
        except ValueError as error:
            raise parts.wrong(str(error)) from error
    try:
        load(written)
    except EvaluationError as error:
        known = f"ours are {', '.join(FORMS.values())}; plain IR measures as ir_measures writes them"
        raise EvaluationError(f"{written!r} is not a known measure ({error}): {known}") from error
    return Plain(written)
