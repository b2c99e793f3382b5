"""Data of the study pages: progress, agreement, results of a depth study."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count

from annotation.agreement.krippendorff import Alpha, alpha_with_interval
from annotation.models import Pair, Study
from annotation.studies.depth import DepthStudy, GradedMoment, depth_study
from corpus.models import clip_ready
from evaluation.judgments.grade_classes import class_of
from foundation.infra.job_progress import pace_of, progress_of, tells
from foundation.models import Collection, Purpose
from queries.pooling.candidates import pool_captions


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study as its page and JSON tell it. `name` is that of its desk, None until it is made; `state` is queued,
    running, refused, judging, judged or put-away; pairs by what became of them; `agreement` over its counted
    judgments, None before two people have judged a pair."""

    study: int
    kind: str
    number: int
    title: str
    name: str | None
    state: str
    queries: int
    seed: int
    depth: int
    at_random: int
    outside: bool | None
    asked_at: Any
    asked_by: str | None
    pairs: int
    graded: int
    discarded: int
    withdrawn: int
    left: int
    judgments: int
    without_clip: int
    agreement: Alpha | None
    problem: str

    @property
    def settled(self) -> int:
        return self.graded + self.discarded

    @property
    def share(self) -> float:
        """Decided pairs in percent, 0-100."""
        left_in = self.pairs - self.withdrawn
        return 100 * self.settled / left_in if left_in else 100.0 if self.pairs else 0.0


def studies_of(collection: Collection) -> list[StudyRow]:
    """The collection's studies, newest first. Four SQL queries, however many there are."""
    studies = list(
        Study.objects.filter(collection=collection).select_related("made", "asked_by", "collection").order_by("-pk")
    )
    made = [study.made_id for study in studies if study.made_id is not None]
    pairs: dict[int, Counter[str]] = defaultdict(Counter)
    for where, status, count in (
        Pair.objects.filter(batch__collection__in=made)
        .values_list("batch__collection", "status")
        .annotate(Count("pk"))
        .order_by()
    ):
        pairs[where][status] = count
    waiting = dict(
        Pair.objects.filter(
            ~clip_ready("candidate__moment__clip__"),
            batch__collection__in=made,
            batch__collection__has_clips=True,
            status__in=[Pair.Status.OPEN, Pair.Status.DISPUTED],
        )
        .values_list("batch__collection")
        .annotate(Count("pk"))
        .order_by()
    )
    grades = _grades(made)
    return [_row(study, pairs[study.made_id or 0], waiting, grades) for study in studies]


def _row(
    study: Study, pairs: Counter[str], waiting: dict[int, int], grades: dict[int, Counter[tuple[int, ...]]]
) -> StudyRow:
    judged = grades.get(study.made_id or 0, Counter())
    left = pairs["open"] + pairs["disputed"]
    state = study.state
    if study.made is not None:
        state = "put-away" if study.made.archived_at else "judging" if left else "judged"
    return StudyRow(
        study=study.pk,
        kind=study.kind,
        number=study.number,
        title=study.made.title if study.made else f"{study} of {study.collection.title}",
        name=study.made.name if study.made else None,
        state=state,
        queries=study.queries,
        seed=study.seed,
        depth=study.depth,
        at_random=study.at_random,
        outside=study.outside,
        asked_at=study.asked_at,
        asked_by=study.asked_by.worker if study.asked_by else None,
        pairs=sum(pairs.values()),
        graded=pairs["consensus"],
        discarded=pairs["discarded"],
        withdrawn=pairs["withdrawn"],
        left=left,
        judgments=sum(len(grades_of) * count for grades_of, count in judged.items()),
        without_clip=waiting.get(study.made_id or 0, 0),
        agreement=alpha_with_interval(judged) if any(len(grades_of) > 1 for grades_of in judged) else None,
        problem=study.problem,
    )


# Counted by the grades that pairs have in common, as the figures of the appendix are.
_GRADES = """
SELECT collection_id, top_grade, grades, count(*)
  FROM (SELECT b.collection_id, c.top_grade, array_agg(j.grade ORDER BY j.id) AS grades
          FROM annotation_batch b
          JOIN foundation_collection c ON c.id = b.collection_id
          JOIN annotation_pair p ON p.batch_id = b.id AND p.status <> 'withdrawn'
          JOIN annotation_judgment j ON j.pair_id = p.id AND j.counted
         WHERE b.collection_id = ANY(%s)
         GROUP BY b.collection_id, c.top_grade, p.id) AS pair
 GROUP BY 1, 2, 3"""


def _grades(collections: list[int]) -> dict[int, Counter[tuple[int, ...]]]:
    by_collection: dict[int, Counter[tuple[int, ...]]] = defaultdict(Counter)
    with connection.cursor() as cursor:
        cursor.execute(_GRADES, [collections])
        for where, top, grades, count in cursor.fetchall():
            by_collection[where][tuple(class_of(grade, top) for grade in grades)] += count
    return by_collection


@tells(Study)
def progress_of_study(study: Study) -> dict[str, Any]:
    """The progress of creating the study, as `progress_of`."""
    pace = pace_of(study, study.done / max(1, study.total), count=study.done)
    words = f"{study.done:,} of {study.total:,} captions encoded and queries ranked{pace}."
    return progress_of(study, words="Made." if study.finished else words)


def depth_study_of(collection: Collection) -> DepthStudy | None:
    """A depth study's results so far, from pairs in consensus; None for other collections."""
    if collection.purpose != Purpose.DEPTH or collection.study_of is None:
        return None
    study = Study.objects.get(made=collection)
    graded = Pair.objects.filter(batch__collection=collection, status=Pair.Status.CONSENSUS).order_by("pk")
    return depth_study(
        [
            GradedMoment(position, rank, grade, similarity)
            for position, rank, grade, similarity in graded.values_list(
                "batch__query__position", "candidate__rank", "grade", "candidate__similarity"
            )
            if grade is not None and similarity is not None
        ],
        list(collection.queries.order_by("position").values_list("text", flat=True)),
        ranked=study.depth,
        depth=collection.study_of.depth,
        top_grade=collection.top_grade,
        pool=pool_captions(collection.study_of).aggregate(moments=Count("description__moment", distinct=True))[
            "moments"
        ],
    )
