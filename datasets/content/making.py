"""What happened while a collection was made: who reviewed, who judged, what became of captions. Counts alone."""

from collections import Counter
from datetime import UTC
from typing import Any

from django.db.models import Count, F, Max, Min, Q
from django.db.models.functions import Round

from annotation.models import Batch, ExamSitting, Judgment, Pair, RepeatAnswer
from datasets.content.splits import DECIDED
from evaluation.reading.grade_scale import table_in_words
from foundation.models import Collection, Purpose
from queries.models import Caption, Decision

CLOSED = (Batch.Status.FINISHED, Batch.Status.EXTENDED)


def describe_making(collection: Collection) -> dict[str, Any]:
    """The manifest's `making`, of JSON's types.

    `batches`: how each was closed, `alone` by nobody, and which aren't; `judged`: of the queries with a decided
    pair the least and most of these, and pairs by the number of their judgments; `judgments`: those given here and
    those imported; `people`: whose judgments count, with an exam handed in or without one; `days`: the first and
    last on which judgments were given here (UTC), if any were; `captions`: the accepted ones by how they were
    accepted, with those that people wrote or accepted many at once; `pilots` with judgments; `gold`, if any was
    answered or any judgment set aside: answers, to how many pairs, and judgments set aside.
    """
    return {
        "batches": _batches(collection),
        "judged": _judged(collection),
        **_judgments(collection),
        **_repeated_ids(collection),
        **_grade_tables(collection),
        **_gold(collection),
        "captions": _captions(collection),
        "pilots": collection.studies.filter(purpose=Purpose.PILOT, queries__batches__pairs__judgments__counted=True)
        .distinct()
        .count(),
    }


def _batches(collection: Collection) -> dict[str, int]:
    closed, by_lead = Q(status__in=CLOSED), Q(review__decided_by__isnull=False)
    counts: dict[str, int] = Batch.objects.filter(query__collection=collection).aggregate(
        by_lead=Count("pk", filter=closed & by_lead),
        by_policy=Count("pk", filter=closed & Q(review__isnull=False) & ~by_lead),
        alone=Count("pk", filter=closed & Q(review__isnull=True)),
        waiting=Count("pk", filter=Q(status=Batch.Status.DECIDED)),
        judging=Count("pk", filter=~closed & ~Q(status=Batch.Status.DECIDED)),
        leads=Count("review__decided_by", filter=closed, distinct=True),
    )
    return counts


def _judged(collection: Collection) -> dict[str, Any]:
    decided = Pair.objects.filter(batch__query__collection=collection, status__in=DECIDED).order_by()
    per_query = decided.values("batch__query").annotate(own=Count("pk")).aggregate(least=Min("own"), most=Max("own"))
    people = decided.annotate(own=Count("judgments", filter=Q(judgments__counted=True)))
    by_people = Counter(people.values_list("own", flat=True).iterator())
    return {**per_query, "pairs_by_people": {str(people): pairs for people, pairs in sorted(by_people.items())}}


def _judgments(collection: Collection) -> dict[str, Any]:
    judged = Judgment.objects.filter(pair__batch__query__collection=collection, counted=True, pair__status__in=DECIDED)
    # An import gives its judgments one moment and no work; whoever judges here decides before the judgment arrives.
    imported = Q(decided_at=F("given_at"), played__isnull=True, active_seconds__isnull=True)
    sat = ExamSitting.objects.filter(handed_in_at__isnull=False, applicant__collection=collection)
    told = judged.aggregate(
        here=Count("pk", filter=~imported),
        imported=Count("pk", filter=imported),
        first=Min("given_at", filter=~imported),
        last=Max("given_at", filter=~imported),
    )
    given = {name: told.pop(name) for name in ("first", "last")}
    days = {name: at.astimezone(UTC).date().isoformat() for name, at in given.items() if at}
    return {
        **({"days": days} if days else {}),
        "judgments": told,
        "people": judged.aggregate(
            here=Count("annotator", filter=~imported, distinct=True),
            with_exam=Count("annotator", filter=~imported & Q(annotator__in=sat.values("applicant")), distinct=True),
        ),
    }


def _repeated_ids(collection: Collection) -> dict[str, Any]:
    """`repeated_ids`, if any id stood more than once at a pair of an import: by its policy, how many judgments that
    concerned, and how many were left out since their pair is decided without them."""
    told: dict[str, Counter[str]] = {}
    imports = collection.judgment_imports.filter(state="done", counts__added__gt=0).exclude(repeated_ids="refuse")
    for policy, counts in imports.order_by("repeated_ids").values_list("repeated_ids", "counts"):
        figures = {"imports": 1, "judgments": counts["repeated"], "left_out": counts["left_out"]}
        told.setdefault(policy, Counter()).update(figures)
    return {"repeated_ids": {policy: dict(figures) for policy, figures in told.items()}} if told else {}


def _grade_tables(collection: Collection) -> dict[str, Any]:
    """`grade_tables`, if grades of an import were others than the collection's: each table, and how many judgments
    were read by it."""
    told: dict[str, dict[str, Any]] = {}
    table: Any  # no null is among them
    imports = collection.judgment_imports.filter(state="done", counts__added__gt=0, grade_table__isnull=False)
    for table, counts in imports.order_by("pk").values_list("grade_table", "counts"):
        own = told.setdefault(table_in_words(table), {"grades": table, "judgments": 0})
        own["judgments"] += counts["added"]
    return {"grade_tables": list(told.values())} if told else {}


def _gold(collection: Collection) -> dict[str, Any]:
    answers = RepeatAnswer.objects.filter(repeat__gold__collection=collection, taken_back_at=None)
    counts: dict[str, int] = answers.aggregate(answers=Count("pk"), pairs=Count("repeat__pair", distinct=True))
    counts["set_aside"] = Judgment.objects.filter(
        pair__batch__collection=collection, uncounted_because=Judgment.Uncounted.SET_ASIDE
    ).count()
    return {"gold": counts} if any(counts.values()) else {}


def _captions(collection: Collection) -> dict[str, Any]:
    accepted = Caption.objects.filter(description__collection=collection, status=Caption.Status.ACCEPTED)
    decided, asked = Q(decided_at__isnull=False), ~Q(attempt__tagger="") | ~Q(attempt__encoder="")
    counted: dict[str, Any] = accepted.aggregate(
        by_checks=Count("pk", filter=~decided & asked),
        least_similarity=Round(Min("attempt__similarity", filter=~decided & asked), 4),
        highest_name_score=Round(Max("attempt__name_score", filter=~decided & asked), 4),
        unchecked=Count("pk", filter=~decided & ~asked),
        by_people=Count("pk", filter=decided),
        written=Count("pk", filter=decided & Q(attempt__rewriter="person")),
    )
    together = Decision.objects.filter(caption__in=accepted, taken_back_at=None, bulk__isnull=False)
    return {**counted, "together": together.count()}
