"""Grades that a machine gave elsewhere: a file or a request's rows met with the collection's pairs, and stored."""

from __future__ import annotations

import re
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.db import transaction

from annotation.machine_judges.grade_rows import SaidGrade, grade_row, grades_up_to
from annotation.machine_judges.judges import AT_ONCE, MachineGrade, grades_of, refuse_files, store_judgments
from annotation.machine_judges.selectors import UNOPENED, candidates_of
from annotation.models import MachineJudge, MachineJudging, Pair
from corpus.description_formats import BadFile, BadRow
from corpus.description_formats.rows import shown
from corpus.description_import.jobs import kept_file
from corpus.description_import.row_files import ReadRows, RowChoices, read_whole
from foundation.counted import counted
from foundation.infra.jobs import JobProgress
from foundation.refused import FieldsRefused

_UNOPENED = re.compile(rf"{UNOPENED}(\d{{1,18}})", re.ASCII)
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class BroughtReport:
    """What was brought, in pairs: `added` judgments, `abstained` of these, `unchanged` ones, and `without`, of which
    the judge says nothing yet."""

    added: int
    abstained: int
    unchanged: int
    without: int

    @property
    def counts(self) -> dict[str, int]:
        """For a job's `found`."""
        return {"added": self.added, "abstained": self.abstained, "unchanged": self.unchanged}

    def in_words(self) -> str:
        """The report as sentences."""
        grades = counted(self.added - self.abstained, "grade")
        return (
            f"{grades} and {counted(self.abstained, 'abstention')} added, {self.unchanged:,} unchanged; "
            f"{counted(self.without, 'pair')} without a word of the judge."
        )


class StandingGrades:
    """The pairs of a judge's collection, and what it has said of them, beside rows."""

    def __init__(self, judge: MachineJudge, place: str = "line ") -> None:
        """Args: place: before a row's number, where a problem names another row."""
        self._judge, self._place = judge, place
        self._candidates: dict[str, int] = {}
        self._standing: dict[int, MachineGrade] = {}

    def conflicts(self, rows: Sequence[SaidGrade]) -> Iterator[tuple[SaidGrade, BadRow]]:
        """The rows that won't do, and why; each row at most once."""
        for first in range(0, len(rows), AT_ONCE):
            self._read({row.pair for row in rows[first : first + AT_ONCE]})
        lines: dict[int, int] = {}
        for row in rows:
            candidate = self._candidates.get(row.pair)
            if candidate is None:
                yield row, BadRow("pair_id", row.pair, f"a pair of {self._judge.collection.name}")
            elif candidate in lines:
                repeated = f"{shown(row.pair)} a second time"
                yield (
                    row,
                    BadRow.saying("pair_id", repeated, f"each pair once; the first is {self._place}{lines[candidate]}"),
                )
            elif candidate in self._standing and self._standing[candidate].word != self.grade(row).word:
                # What it said isn't told: people may still be asked about the pair.
                expected = "what the judge has said of this pair before; a changed judge is another"
                yield row, BadRow.saying("grade", _word(self.grade(row)), expected)
            if candidate is not None:
                lines.setdefault(candidate, row.line)

    def grade(self, row: SaidGrade) -> MachineGrade:
        """What a row without conflict says of its candidate."""
        return MachineGrade(self._candidates[row.pair], row.grade, row.distribution, row.abstained)

    def fresh(self, rows: Iterable[SaidGrade]) -> list[MachineGrade]:
        """What rows without conflict say of candidates that the judge has said nothing of."""
        said = (self.grade(row) for row in rows)
        return [grade for grade in said if grade.candidate not in self._standing]

    def _read(self, names: set[str]) -> None:
        found = candidates_named(self._judge, names)
        self._candidates |= found
        self._standing |= {row.candidate: row for row in grades_of(self._judge, list(found.values()))}


def candidates_named(judge: MachineJudge, names: Iterable[str]) -> dict[str, int]:
    """The candidates that pairs' ids name, by id: a pair's public id, its number in releases, or `c` and the
    candidate's own number, which is good without a pair, too. Ids that name nothing of the collection are left out."""
    public, numbers, own = (defaultdict[Any, list[str]](list) for _ in range(3))
    for name in names:
        if unopened := _UNOPENED.fullmatch(name):
            own[int(unopened[1])].append(name)
        elif _NUMBER.fullmatch(name):
            numbers[int(name)].append(name)
        else:
            with suppress(ValueError):
                public[uuid.UUID(name)].append(name)
    pairs = Pair.objects.filter(batch__collection=judge.collection_id)
    found: dict[str, int] = {}
    for by_key, rows, key in (
        (public, pairs, "public_id"),
        (numbers, pairs, "pk"),
        (own, candidates_of(judge.collection), "pk"),
    ):
        candidate = "pk" if by_key is own else "candidate"
        some = rows.filter(**{f"{key}__in": list(by_key)}).values_list(key, candidate) if by_key else ()
        found |= {name: candidate for key, candidate in some for name in by_key[key]}
    return found


def read_grades(
    *,
    judge: MachineJudge,
    file: BinaryIO,
    name: str,
    progress: Callable[[int], object] = lambda rows: None,
) -> tuple[ReadRows[SaidGrade], StandingGrades]:
    """Read a file of grades and compare it with the collection; nothing is stored.

    Args: file: seekable, at its beginning; name: the file's, for messages; progress: called with the number of rows
        read since the last call.
    """
    standing, kind = StandingGrades(judge), grades_up_to(judge.collection.top_grade)
    return read_whole(file, name, RowChoices(), kind, conflicts=standing.conflicts, progress=progress), standing


def bring_grades(
    *,
    judge: MachineJudge,
    read: ReadRows[SaidGrade],
    standing: StandingGrades,
    judging: MachineJudging | None = None,
    progress: Callable[[int], object] = lambda pairs: None,
) -> BroughtReport:
    """Store the grades of a file, block by block, each kept for itself: repeating it goes on.

    Raises: BadFile, before anything is stored; WordChanged; Refused for a retired judge.
    """
    read.refuse()
    return _store(judge, read.rows, standing, judging, progress)


def _store(
    judge: MachineJudge,
    rows: Sequence[SaidGrade],
    standing: StandingGrades,
    judging: MachineJudging | None,
    progress: Callable[[int], object] = lambda pairs: None,
) -> BroughtReport:
    fresh = standing.fresh(rows)
    added = 0
    for first in range(0, len(fresh), AT_ONCE):
        block = fresh[first : first + AT_ONCE]
        added += store_judgments(judge=judge, rows=block, judging=judging)
        progress(len(block))
    abstained = sum(bool(grade.abstained) for grade in fresh)
    without = candidates_of(judge.collection).count() - judge.judgments.count()
    return BroughtReport(added, abstained, len(rows) - added, without)


def bring_rows(*, judge: MachineJudge, rows: Sequence[Mapping[str, Any]]) -> BroughtReport:
    """Store the grades of a request, all or none: rows as those of a file.

    Raises: FieldsRefused, by `grades.PLACE.FIELD` from 0 on, of the first ten problems; Refused for a retired judge.
    """
    refuse_files(judge)
    top, standing = judge.collection.top_grade, StandingGrades(judge, "grades.")
    wrong: list[tuple[int, BadRow]] = []
    read: list[SaidGrade] = []
    for place, row in enumerate(rows):
        try:
            read.append(grade_row(top, row, place))
        except BadRow as bad:
            wrong.append((place, bad))
    wrong += [(row.line, bad) for row, bad in standing.conflicts(read)]
    if wrong:
        first = sorted(wrong, key=lambda one: one[0])[: BadFile.SHOWN]
        raise FieldsRefused(
            {f"grades.{at}.{bad.field}": f"Found {bad.found}, expected {bad.expected}." for at, bad in first}
        )
    with transaction.atomic():
        return _store(judge, read, standing, None)


def bring_file(job: MachineJudging, progress: JobProgress) -> None:
    """Read the job's file and store its grades: the way of judges of the kind `file`. Raises: BadFile."""
    count = progress.stage("Reading the file", None, "rows")
    with kept_file(job) as file:
        read, standing = read_grades(judge=job.judge, file=file, name=job.file_name, progress=count)
    read.refuse()
    count = progress.stage("Storing grades", len(standing.fresh(read.rows)), "pairs")
    report = bring_grades(judge=job.judge, read=read, standing=standing, judging=job, progress=count)
    job.found = report.counts
    job.said = " ".join([report.in_words(), *(f"{remark}." for remark in read.remarks)])
    job.save(update_fields=["found", "said"])


def _word(grade: MachineGrade) -> str:
    if grade.abstained:
        return f"an abstention ({grade.abstained})"
    return f"{grade.grade}" if grade.distribution is None else f"{grade.grade} of {list(grade.distribution)}"
