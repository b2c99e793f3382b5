"""Base classes of measures: values with declared parameters that score an alignment."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..arrays import BoolArray, FloatArray
from ..errors import EvaluationError
from ..moments.alignment import Alignment, Threshold

DEEPEST = 1_000_000
"""The greatest cutoff K."""
PARTS = ("cutoff", "iou", "last", "least_grade")
"""The fields that are written after the parentheses."""


class Number(NamedTuple):
    """A number that must stand in a measure's parentheses, as ``p=0.8``.

    Attributes: field: of the measure. title: what it is called, and bounds: where it lies, in messages. holds: whether
    a value lies there.
    """

    field: str
    title: str
    bounds: str
    holds: Callable[[float], bool]


@dataclass(frozen=True)
class Measure(ABC):
    """A measure. Its ``str`` is its written name, which `parse_measure` reads back.

    What all of them share: a query's moments are relevant from grade 1 on (``rel>=g`` changes
    it); an unjudged moment gains nothing; a query without predictions scores 0, and so does one
    without any relevant moment, unless the measure says otherwise.

    A measure is written ``NAME(options)@K,IoU>=mu,rel>=g``. Its fields `cutoff` (K), `iou` (mu; `last` for nu in
    ``IoU>=mu:nu``) and `least_grade` (g) say which of these parts it has; a part may be missing if its field has a
    default. Its other fields are written as options: by a word of `OPTIONS`, a key of `NUMBERS`, or as ``field=value``.

    Attributes:
        NAME: how it begins. WRITTEN: its forms for messages and the manual, joined by " or ".
        OPTIONS: a word that may stand in the parentheses -> a field and the value that the word gives it.
        NUMBERS: a key -> the number that is written after it.

    Raises: ValueError, a sentence, if the cutoff or a number is out of bounds.
    """

    NAME: ClassVar[str]
    WRITTEN: ClassVar[str]
    OPTIONS: ClassVar[Mapping[str, tuple[str, object]]] = {}
    NUMBERS: ClassVar[Mapping[str, Number]] = {}

    def __post_init__(self) -> None:
        cutoff: int | None = getattr(self, "cutoff", None)
        if cutoff is not None and not 1 <= cutoff <= DEEPEST:
            raise ValueError(f"the cutoff K is at least 1 and at most {DEEPEST:,}, not {cutoff:,}")
        for number in self.NUMBERS.values():
            value: float = getattr(self, number.field)
            if not number.holds(value):
                raise ValueError(f"{number.title} lies {number.bounds}, not at {value:g}")

    def __str__(self) -> str:
        defaults = {field.name: field.default for field in fields(self)}
        values = {name: getattr(self, name) for name in defaults if getattr(self, name) != defaults[name]}
        options = [f"{key}={values[number.field]!r}" for key, number in self.NUMBERS.items() if number.field in values]
        options += [word for word, (name, value) in self.OPTIONS.items() if name in values and values[name] == value]
        told = {
            *PARTS,
            *(number.field for number in self.NUMBERS.values()),
            *(name for name, _ in self.OPTIONS.values()),
        }
        options += [f"{name}={value}" for name, value in values.items() if name not in told]
        return "".join(
            [
                self.NAME,
                f"({','.join(options)})" if options else "",
                f"@{values['cutoff']}" if "cutoff" in values else "",
                f",{values['iou']}" if values.get("iou") else "",
                f":{values['last']:g}" if "last" in values else "",
                f",rel>={values['least_grade']:g}" if "least_grade" in values else "",
            ]
        )

    @property
    def depth(self) -> int | None:
        """How many ranks are looked at; None for all."""
        cutoff: int | None = getattr(self, "cutoff", None)
        return cutoff

    @property
    def needs_times(self) -> bool:
        """False if only the ranking of the videos matters."""
        return True

    @property
    def of_whole_truth(self) -> bool:
        """True if a query's value follows from the grades of other queries, too."""
        return False

    @property
    def additive(self) -> bool:
        """True if a prediction that shares its video with one judged moment of its query at most adds to the query's
        value what follows from that moment's grade and the two's places alone, and the value is the sum of it."""
        return False

    def greatest(self, top_grade: float) -> float:
        """A value that no query exceeds, whatever its grades up to this one; none is below 0."""
        return 1.0

    @abstractmethod
    def per_query(self, alignment: Alignment) -> FloatArray:
        """The value of each query of the alignment, shape (Q,); NaN where it is not defined."""

    def released(self) -> Self:
        """This measure as the published TVR-Ranking code would compute it (IoU > mu); see `conventions`."""
        iou: Threshold | None = getattr(self, "iou", None)
        strict: dict[str, Any] = {} if iou is None else {"iou": replace(iou, strict=True)}
        return replace(self, **strict)


@dataclass(frozen=True, eq=False)
class JointRanking:
    """What one block of queries adds to a ranking of all queries' predictions together.

    Attributes: hit, score: shape (N,), by query and rank; relevant: how many could be found.
    """

    hit: BoolArray
    score: FloatArray
    relevant: int


@dataclass(frozen=True)
class RunMeasure(Measure):
    """A measure that exists for a whole run only, because it ranks all queries' predictions together."""

    def per_query(self, alignment: Alignment) -> FloatArray:
        """Raises: EvaluationError, always: there is no value of one query."""
        raise EvaluationError(f"{self} has no value per query: it ranks all predictions together")

    @abstractmethod
    def part(self, alignment: Alignment, *, answered_only: bool) -> JointRanking:
        """A block's share; ``answered_only`` leaves queries without predictions out of account."""

    @abstractmethod
    def of_run(self, parts: Sequence[JointRanking]) -> float:
        """The run's value from the shares of all its blocks, in order."""


@dataclass(frozen=True)
class OverlapMeasure(Measure):
    """A measure of the first K predictions that overlap enough, written ``NAME@K,IoU>=mu``."""

    cutoff: int
    iou: Threshold
    least_grade: float = 1.0


def discount(depth: int) -> FloatArray:
    """1 / log2(rank + 1) for the ranks 1..depth, shape (depth,)."""
    return np.asarray(1.0 / np.log2(np.arange(2, depth + 2)), dtype=np.float64)
