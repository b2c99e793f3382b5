"""The figures of the paper's appendix, computed from counts. Pure.

What is read of the database is a few thousand rows of counts, however large the collection is.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from annotation.agreement.krippendorff import Alpha, alpha_with_interval
from evaluation.judgments.grade_classes import class_count, class_of, unit_of

BIN = 0.05
"""Width of the similarity's bins."""
OWN = 20
"""The bin of 1.0: a query's own moments, and those whose caption reads the same."""

Row = TypeVar("Row")
Key = TypeVar("Key", int, str)


@dataclass(frozen=True, slots=True)
class PairCount:
    """So many pairs of a split got these grades in this order, the first in the week of this Monday."""

    split: str
    week: str
    grades: tuple[int, ...]
    status: str
    pairs: int


@dataclass(frozen=True, slots=True)
class GradeCount:
    """So many pairs of a split, at this rank and with a similarity in this bin (None: none), have this grade.

    `own`: of a query and the moment that its description is about, of which a query has one.
    """

    split: str
    rank: int
    bin: int | None
    grade: int
    pairs: int
    own: bool = False


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """Agreement on some of the pairs: by all judgments of a pair, and by those of its first round alone.

    The second round is only asked about pairs on which the first disagreed, so all judgments together agree less
    than a fixed number of judgments of every pair would; those of the first round are chosen by nothing.
    """

    of: str
    name: str
    every: Alpha
    first_round: Alpha


@dataclass(frozen=True, slots=True)
class GradeSpread:
    """Decided grades of some of the pairs: `counts` of their classes (`grade_classes`), from 0 to the top one."""

    name: str
    pairs: int
    mean: float | None
    counts: list[int]


@dataclass(frozen=True, slots=True)
class Rounds:
    """How decided pairs were decided. `reached` is the share in consensus, None before there is any."""

    first: int
    second: int
    discarded: int
    reached: float | None


@dataclass(frozen=True, slots=True)
class Appendix:
    """Everything that the figures show. `lowest_highest[i][j]`: pairs whose raw grades go from class i to j;
    `top_grade` is the top class, and classes lie `unit` apart."""

    top_grade: int
    agreement: list[AgreementRow]
    by_similarity: list[GradeSpread]
    by_rank: list[GradeSpread]
    lowest_highest: list[list[int]]
    final: list[GradeSpread]
    rounds: list[tuple[str, Rounds]]
    own: GradeSpread
    """Pairs of similarity 1.0: queries' own moments, and those whose caption reads the same."""
    own_test: GradeSpread | None = None
    """Those of test queries alone; None without any."""
    own_test_queries: GradeSpread | None = None
    """Of these one a query, as the paper counts them: that of the moment which the query describes."""
    unit: int = 1


def appendix(
    judged: Sequence[PairCount],
    graded: Sequence[GradeCount],
    *,
    top_grade: int,
    first_round: int,
    last_rank: int | None = None,
) -> Appendix:
    """All figures. `judged` are pairs with a counted judgment, with the classes of their grades, `graded` those in
    consensus; withdrawn in neither.

    Args: last_rank: in a depth study, the last of the ranks that were all judged: later ones were drawn at random and
        are no part of `by_rank`.
    """
    top = max([class_count(top_grade) - 1, *(grade for row in judged for grade in row.grades)])
    spread = partial(_spread, top=top, top_grade=top_grade)
    own = [row for row in graded if row.bin == OWN]
    test = [row for row in own if row.split == "test"]
    in_order = [row for row in graded if last_rank is None or row.rank <= last_rank]
    splits = sorted({row.split for row in graded if row.split}, key=_split_order)
    return Appendix(
        top_grade=top,
        unit=unit_of(top_grade),
        agreement=agreement_rows(judged, first_round),
        by_similarity=[spread(bin_name(place), rows) for place, rows in _grouped(graded, lambda row: row.bin)],
        by_rank=[spread(str(rank), rows) for rank, rows in _grouped(in_order, lambda row: row.rank)],
        lowest_highest=lowest_highest(judged, top),
        final=[
            spread("all", graded),
            *(spread(split, [row for row in graded if row.split == split]) for split in splits),
        ],
        rounds=[
            ("all", rounds(judged, first_round)),
            *((split, rounds([row for row in judged if row.split == split], first_round)) for split in splits),
        ],
        own=spread("all", own),
        own_test=spread("test", test) if test else None,
        own_test_queries=spread("test", [row for row in test if row.own]) if test else None,
    )


def agreement_rows(judged: Sequence[PairCount], first_round: int) -> list[AgreementRow]:
    """Alpha of the collection, of each split, and of each week in which pairs were first judged, in this order."""
    groups: list[tuple[str, str, Sequence[PairCount]]] = [("collection", "all", judged)]
    splits = sorted({row.split for row in judged if row.split}, key=_split_order)
    groups += [("split", split, [row for row in judged if row.split == split]) for split in splits]
    groups += [("week", week, rows) for week, rows in _grouped(judged, lambda row: row.week)]
    agreement = []
    for of, name, rows in groups:
        every: Counter[tuple[int, ...]] = Counter()
        first: Counter[tuple[int, ...]] = Counter()
        for row in rows:
            every[row.grades] += row.pairs
            first[row.grades[:first_round]] += row.pairs
        agreement.append(AgreementRow(of, name, alpha_with_interval(every), alpha_with_interval(first)))
    return agreement


def lowest_highest(judged: Iterable[PairCount], top_grade: int) -> list[list[int]]:
    """Pairs with two raw grades or more by the lowest (row) and the highest (column) of these."""
    table = [[0] * (top_grade + 1) for _ in range(top_grade + 1)]
    for row in judged:
        if len(row.grades) > 1:
            table[min(row.grades)][max(row.grades)] += row.pairs
    return table


def rounds(judged: Iterable[PairCount], first_round: int) -> Rounds:
    """Decided pairs by how: in consensus after the first round, after the second, or discarded."""
    first = second = discarded = 0
    for row in judged:
        if row.status == "discarded":
            discarded += row.pairs
        elif row.status == "consensus" and len(row.grades) <= first_round:
            first += row.pairs
        elif row.status == "consensus":
            second += row.pairs
    decided = first + second + discarded
    return Rounds(first, second, discarded, (first + second) / decided if decided else None)


def bin_of(similarity: float) -> int:
    """The bin of a similarity: from -20 to 20, where 20 is 1.0 alone. The same as in SQL: floor, with room for a
    binary fraction that falls short.

    >>> bin_of(0.5), bin_of(0.15), bin_of(0.999999), bin_of(1.0), bin_of(-0.01)
    (10, 3, 19, 20, -1)
    """
    return math.floor(similarity / BIN + 1e-9)


def bin_name(place: int) -> str:
    """A bin in words.

    >>> bin_name(13), bin_name(20)
    ('0.65-0.70', '1.00')
    """
    low = place * BIN
    return f"{low:.2f}" if place >= OWN else f"{low:.2f}-{low + BIN:.2f}"


def _spread(name: str, rows: Iterable[GradeCount], *, top: int, top_grade: int) -> GradeSpread:
    counts, total = [0] * (top + 1), 0
    for row in rows:
        counts[class_of(row.grade, top_grade)] += row.pairs
        total += row.grade * row.pairs
    pairs = sum(counts)
    return GradeSpread(name, pairs, total / pairs if pairs else None, counts)


def _grouped(rows: Iterable[Row], key: Callable[[Row], Key | None]) -> list[tuple[Key, list[Row]]]:
    """The rows by key, rising; without those that have none."""
    groups: dict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        own = key(row)
        if own is not None:
            groups[own].append(row)
    return sorted(groups.items(), key=lambda group: group[0])


def _split_order(split: str) -> tuple[bool, str]:
    return split != "val", split
