"""The ground truth: which moments were judged for each query, and how relevant they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from unicodedata import normalize

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray, ranges
from ..errors import EvaluationError
from ..texts import counted

Facts = Mapping[str, str] | Callable[[], Mapping[str, str]]
"""query_id -> what is known of it, or how to find that out."""


@dataclass(frozen=True)
class JudgedMoment:
    """One judged query-moment pair as a file states it. Times in seconds, grade >= 0."""

    video_name: str
    start: float
    end: float
    grade: float
    pair_id: str | None = None


@dataclass(frozen=True)
class PooledMoment:
    """A moment that was in a query's pool and has no grade: somebody was to judge it and nobody did. Seconds."""

    video_name: str
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class GroundTruth:
    """The judged moments of all queries, as arrays.

    The moments stand query by query in file order, and inside a query from the highest grade
    to the lowest, equal grades in file order: that is the order in which equally overlapping
    moments are taken. Only judged pairs are here. A moment that is absent is *unjudged*, which
    is not grade 0; it gains nothing in any measure all the same.

    Attributes (M moments, Q queries, V videos):
        query_ids: Q ids as text. video_names: V names.
        query, video: shape (M,), indices into the two. start, end: shape (M,), seconds.
        grade: shape (M,), >= 0. offset: shape (Q + 1,), a query's moments are
        ``offset[q]:offset[q + 1]``. pair_ids: M ids or None.
        place: shape (M,), the moment's position in file order.
        pooled: the moments of the pools that have no grade, as a ground truth of the same queries with grade 0
        everywhere; None where the file names none. infAP alone looks at them.
        facts: what is known of the queries, by name: ``text`` and ``language`` where the file says them. No measure
        looks at them.
    """

    query_ids: tuple[str, ...]
    video_names: tuple[str, ...]
    query: IntArray
    video: IntArray
    start: FloatArray
    end: FloatArray
    grade: FloatArray
    offset: IntArray
    place: IntArray
    pair_ids: tuple[str | None, ...] = ()
    name: str = "ground truth"
    pooled: GroundTruth | None = None
    facts: Mapping[str, Facts] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        judged: Iterable[tuple[str, Sequence[JudgedMoment | PooledMoment]]],
        *,
        name: str = "ground truth",
    ) -> GroundTruth:
        """Build from ``(query_id, judged moments)`` pairs; moments without a grade may stand among them.

        Ids and names are kept in Unicode NFC.

        Raises: EvaluationError if a query_id comes twice, an interval is not start < end and
        finite, or a grade is negative or not a number.

        >>> truth = GroundTruth.of([("q1", [JudgedMoment("v", 0, 5, 2), JudgedMoment("v", 3, 9, 4)])])
        >>> truth.grade.tolist()
        [4.0, 2.0]
        """
        query_ids: list[str] = []
        query: list[int] = []
        moments: list[JudgedMoment] = []
        pools: list[tuple[str, list[JudgedMoment]]] = []
        for query_id, all_moments in judged:
            graded = [moment for moment in all_moments if isinstance(moment, JudgedMoment)]
            others = [moment for moment in all_moments if isinstance(moment, PooledMoment)]
            query_id = normalize("NFC", query_id)
            pools.append(
                (query_id, [JudgedMoment(moment.video_name, moment.start, moment.end, 0) for moment in others])
            )
            query.extend([len(query_ids)] * len(graded))
            moments.extend(graded)
            query_ids.append(query_id)
        if len(set(query_ids)) < len(query_ids):
            raise EvaluationError(f"{name}: a query_id comes twice")
        codes: dict[str, int] = {}
        video = [codes.setdefault(normalize("NFC", moment.video_name), len(codes)) for moment in moments]
        pooled = cls.of(pools, name=name) if any(pool for _, pool in pools) else None
        return cls._sorted(
            tuple(query_ids),
            tuple(codes),
            np.array(query, dtype=np.int64),
            np.array(video, dtype=np.int64),
            np.array([moment.start for moment in moments], dtype=np.float64),
            np.array([moment.end for moment in moments], dtype=np.float64),
            np.array([moment.grade for moment in moments], dtype=np.float64),
            tuple(moment.pair_id for moment in moments),
            name,
            pooled,
        )

    def fact(self, name: str) -> Mapping[str, str]:
        """query_id -> what is known of the query by this name; empty if nothing is."""
        known = self.facts.get(name, {})
        return known() if callable(known) else known

    def mapped(self, table: Mapping[str, int]) -> GroundTruth:
        """The same moments with the grades that a table has for theirs, whole numbers as they are written.

        Raises: EvaluationError naming the first moment whose grade the table lacks.
        """
        grades = []
        for place, grade in enumerate(self.grade.tolist()):
            if (word := f"{grade:g}") not in table:
                video = self.video_names[self.video[place]]
                where = f"{self.query_ids[self.query[place]]}, {video} {self.start[place]:g}-{self.end[place]:g}"
                expected = f"one of the table of grades: {', '.join(table)}"
                raise EvaluationError(f"{self.name}, query {where}: found the grade {word}, expected {expected}")
            grades.append(table[word])
        return self.with_grades(np.array(grades, dtype=np.float64))

    @classmethod
    def _sorted(
        cls,
        query_ids: tuple[str, ...],
        video_names: tuple[str, ...],
        query: IntArray,
        video: IntArray,
        start: FloatArray,
        end: FloatArray,
        grade: FloatArray,
        pair_ids: tuple[str | None, ...],
        name: str,
        pooled: GroundTruth | None,
    ) -> GroundTruth:
        if not (np.isfinite(start).all() and np.isfinite(end).all() and (start < end).all()):
            raise EvaluationError(f"{name}: every moment needs finite times with start < end")
        if not (np.isfinite(grade).all() and (grade >= 0).all()):
            raise EvaluationError(f"{name}: every grade must be a number >= 0")
        order = np.lexsort((-grade, query))  # lexsort is stable: file order inside equal grades
        offset = np.zeros(len(query_ids) + 1, dtype=np.int64)
        np.cumsum(np.bincount(query, minlength=len(query_ids)), out=offset[1:])
        return cls(
            query_ids,
            video_names,
            query[order],
            video[order],
            start[order],
            end[order],
            grade[order],
            offset,
            order.astype(np.int64),
            tuple(pair_ids[place] for place in order.tolist()) if pair_ids else (),
            name,
            pooled,
        )

    def __repr__(self) -> str:
        return f"<ground truth {self.name}: {counted(len(self), 'query')}, {counted(len(self.grade), 'judged moment')}>"

    def __len__(self) -> int:
        """How many queries there are."""
        return len(self.query_ids)

    @cached_property
    def index(self) -> dict[str, int]:
        """query_id -> position."""
        return {query_id: position for position, query_id in enumerate(self.query_ids)}

    @cached_property
    def video_index(self) -> dict[str, int]:
        """video_name -> position."""
        return {video_name: position for position, video_name in enumerate(self.video_names)}

    @cached_property
    def by_video(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """``(order, keys, first, count)``: the moments by query and video, which all runs share.

        ``order`` sorts the moments by ``query * V + video``, keeping the ground truth's order
        inside one; ``keys`` are the distinct values of it, ascending; the moments of ``keys[i]``
        are ``order[first[i] : first[i] + count[i]]``.
        """
        key = self.query * max(1, len(self.video_names)) + self.video
        order = np.argsort(key, kind="stable").astype(np.int64)
        ordered = key[order]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        return order, ordered[first], first, np.diff(first, append=len(ordered))

    @cached_property
    def video_sieve(self) -> BoolArray:
        """Where a key of `by_video` may be: entry ``key & (size - 1)`` is True for every key.

        Most predictions lie in videos nobody judged for the query; this turns most of them away
        for one look-up each, before the exact search.
        """
        keys = self.by_video[1]
        size = 1 << max(10, min(22, (16 * len(keys)).bit_length()))
        sieve = np.zeros(size, dtype=np.bool_)
        sieve[keys & (size - 1)] = True
        return sieve

    @cached_property
    def ideals(self) -> dict[object, FloatArray]:
        """Ideal values per query, shape (Q,), cached by the measures that need them and shared by all runs."""
        return {}

    def relevant(self, least_grade: float = 1.0) -> BoolArray:
        """Which moments have at least this grade, shape (M,)."""
        return self.grade >= least_grade

    def count_per_query(self, chosen: BoolArray) -> IntArray:
        """How many of the chosen moments each query has, shape (Q,)."""
        return np.bincount(self.query[chosen], minlength=len(self)).astype(np.int64)

    def records(self) -> dict[str, list[JudgedMoment]]:
        """The moments as `of` takes them, in this object's order: query_id -> judged moments."""
        return {query_id: self.of_query(query_id) for query_id in self.query_ids}

    def of_query(self, query_id: str) -> list[JudgedMoment]:
        """The judged moments of one query, from the highest grade to the lowest. Raises: KeyError if it isn't there."""
        own = slice(self.offset[self.index[query_id]], self.offset[self.index[query_id] + 1])
        rows = zip(*(column[own].tolist() for column in (self.video, self.start, self.end, self.grade)), strict=True)
        return [
            JudgedMoment(self.video_names[video], start, end, grade, pair_id)
            for (video, start, end, grade), pair_id in zip(rows, self.pair_ids[own], strict=True)
        ]

    def with_times(self, start: FloatArray, end: FloatArray) -> GroundTruth:
        """The same moments with other times (in this object's order)."""
        return self._changed(start, end, self.grade)

    def with_grades(self, grade: FloatArray) -> GroundTruth:
        """The same pairs with other grades (in this object's order); NaN leaves a pair out."""
        return self._changed(self.start, self.end, grade)

    def copies(self, query: IntArray, grade: FloatArray) -> GroundTruth:
        """Queries of this ground truth, each as often as it is named; a copy's id is its place, from "0" on.

        Args: query: shape (C,), positions. grade: of the copies' moments one after another, each in this object's
        order.
        """
        count = np.diff(self.offset)[query]
        file_order = np.argsort(self.place)[ranges(self.offset[query], count)]
        first = np.repeat(np.cumsum(count) - count, count)
        own = file_order - np.repeat(self.offset[query], count) + first
        no_grade = None if self.pooled is None else np.zeros(int(np.diff(self.pooled.offset)[query].sum()))
        return GroundTruth._sorted(
            tuple(map(str, range(len(query)))),
            self.video_names,
            np.repeat(np.arange(len(query)), count),
            self.video[file_order],
            self.start[file_order],
            self.end[file_order],
            grade[own],
            (),
            self.name,
            None if self.pooled is None or no_grade is None else self.pooled.copies(query, no_grade),
        )

    def _changed(self, start: FloatArray, end: FloatArray, grade: FloatArray) -> GroundTruth:
        back = np.argsort(self.place)  # as the file has them: ties are told by it
        kept = back[~np.isnan(grade[back])]
        changed = GroundTruth._sorted(
            self.query_ids,
            self.video_names,
            self.query[kept],
            self.video[kept],
            start[kept],
            end[kept],
            grade[kept],
            tuple(self.pair_ids[place] for place in kept.tolist()),
            self.name,
            self.pooled,
        )
        return replace(changed, facts=self.facts)
