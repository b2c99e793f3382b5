"""What leads read of machine judges: counts of all that they said, and each grade of pairs that people have decided."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from annotation.models import MachineJudge, MachineJudgment, Pair
from annotation.scale import scale_of
from foundation.infra.csv_escape import safe_row
from foundation.models import Collection
from queries.models import Candidate

DECIDED = (Pair.Status.CONSENSUS, Pair.Status.DISCARDED)
"""States of pairs that people have decided: nobody judges them any more."""
UNOPENED = "c"
"""Before a candidate's own number: what names one that no pair has been opened for."""
PAIR_COLUMNS = ("pair_id", "query", "narrative", "video_name", "start", "end", "clip")


@dataclass(frozen=True, slots=True)
class GradeCounts:
    """How often a judge gave each grade and abstained for each reason, and how many candidates it lacks.

    grades: (grade, its word, number), from 0 to the top; of a slider's those that occur. abstained: (reason, in words,
    number), of those that occur.
    """

    grades: list[tuple[int, str, int]]
    abstained: list[tuple[str, str, int]]
    without: int

    @property
    def graded(self) -> int:
        return sum(number for _, _, number in self.grades)

    @property
    def abstentions(self) -> int:
        return sum(number for _, _, number in self.abstained)


def judges_of(collection: Collection) -> QuerySet[MachineJudge]:
    """A collection's judges, those that judge before those that are retired, then the newest; `said`: of how many
    candidates each says something."""
    said = MachineJudgment.objects.filter(judge=OuterRef("pk")).order_by().values("judge")
    return (
        MachineJudge.objects.filter(collection=collection)
        .annotate(said=Coalesce(Subquery(said.annotate(number=Count("pk")).values("number")), 0))
        .select_related("collection", "member")
        .order_by(F("retired_at").desc(nulls_first=True), "-pk")
    )


def candidates_of(collection: Collection) -> QuerySet[Candidate]:
    """What a judge may judge: a collection's candidates, opened or not."""
    return Candidate.objects.filter(query__collection=collection)


def grade_counts(judge: MachineJudge) -> GradeCounts:
    """What a judge said, counted. Two SQL queries."""
    numbers = {
        (grade, abstained): number
        for grade, abstained, number in judge.judgments.order_by()
        .values_list("grade", "abstained")
        .annotate(number=Count("pk"))
    }
    words, scale = MachineJudgment.Abstained, scale_of(judge.collection)
    return GradeCounts(
        [
            (grade, scale.word(grade), number)
            for grade in scale.grades
            if (number := numbers.get((grade, ""), 0)) or not scale.slides
        ],
        [(why, str(words(why).label), number) for (_, why), number in sorted(numbers.items(), key=str) if why],
        candidates_of(judge.collection).count() - sum(numbers.values()),
    )


def decided_judgments(judge: MachineJudge) -> QuerySet[MachineJudgment]:
    """What a judge said of pairs that people have decided: of no other is it ever shown one by one, so that nobody who
    may still be asked about a pair hears of it."""
    decided = judge.judgments.filter(candidate__pair__status__in=DECIDED)
    return decided.select_related("candidate__query", "candidate__moment__video", "candidate__moment__clip").annotate(
        pair=F("candidate__pair__public_id"), people=F("candidate__pair__grade")
    )


def to_judge(judge: MachineJudge) -> QuerySet[Candidate]:
    """The candidates of which a judge has said nothing, with what it may know of them: no grade of anybody."""
    said = judge.judgments.filter(candidate=OuterRef("pk"))
    return _with_what_is_told(candidates_of(judge.collection).filter(~Exists(said)))


def _with_what_is_told(candidates: QuerySet[Candidate]) -> QuerySet[Candidate]:
    return candidates.select_related("query", "moment__video", "moment__clip", "pair")


def pair_name(candidate: Candidate) -> str:
    """What names a candidate in files of grades: its pair's public id, or its own number where none was opened."""
    pair = getattr(candidate, "pair", None)
    return str(pair.public_id) if pair is not None else f"{UNOPENED}{candidate.pk}"


def rows_to_judge(judge: MachineJudge) -> Iterator[list[Any]]:
    """`to_judge` as rows of CSV, of the columns `PAIR_COLUMNS`."""
    return _rows(to_judge(judge))


def rows_of_all(collection: Collection) -> Iterator[list[Any]]:
    """All candidates as the same rows, for scores that no judge is asked for."""
    return _rows(_with_what_is_told(candidates_of(collection)))


def _rows(candidates: QuerySet[Candidate]) -> Iterator[list[Any]]:
    for candidate in candidates.order_by("query__split", "query__position", "rank").iterator(chunk_size=2000):
        moment, clip = candidate.moment, clip_address(candidate)
        about = (candidate.query.text, candidate.query.narrative, moment.video.name)
        yield safe_row((pair_name(candidate), *about, moment.start, moment.end, clip or ""))


def clip_address(candidate: Candidate) -> str | None:
    """The path of a candidate's clip; None: it has none."""
    name = candidate.moment.clip_name
    return f"/clips/{name}.mp4" if name else None
