"""Precomputed figures about people, and the alerts they raise."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection
from django.db.models import Max
from django.utils import timezone

from annotation.models import AlertDismissal, Batch, RepeatAnswer, Seat
from annotation.people.alerts import DISMISSED_DAYS, RECENT_DAYS, PersonAlert, alerts_of, median_pace
from annotation.people.gold_answers import gold_by_member
from evaluation.judgments.grade_classes import class_of, unit_of
from foundation.models import Collection

if TYPE_CHECKING:
    from annotation.people.statistics import JudgmentColumns

NAME = "people"
AT_ONCE_BELOW = 2000
"""Up to so many judgments, the page computes the figures itself."""

_COUNTED = """
SELECT j.pair_id, j.annotator_id, j.grade, j.round, extract(epoch FROM j.decided_at)::float8,
       coalesce(j.active_seconds, 'NaN'), coalesce(j.played, 'NaN'), j.too_soon,
       p.status <> 'open', p.status = 'disputed'
  FROM annotation_batch b
  JOIN annotation_pair p ON p.batch_id = b.id AND p.status <> 'withdrawn'
  JOIN annotation_judgment j ON j.pair_id = p.id AND j.counted
 WHERE b.collection_id = %s"""


def judged_columns(collection: Collection, *, classes: bool = False) -> "JudgmentColumns":
    """The collection's counted judgments as `JudgmentColumns`; pairs that the lead withdrew left out.

    Args: classes: whether grades are told by their classes (`grade_classes`).
    """
    import numpy as np

    from annotation.people.statistics import JudgmentColumns

    with connection.cursor() as cursor:
        cursor.execute(_COUNTED, [collection.pk])
        rows = cursor.fetchall()
    columns = list(zip(*rows, strict=True)) if rows else [()] * 10
    pair, person, given, turn = (np.array(column, dtype=np.int64) for column in columns[:4])
    decided, active, played = (np.array(column, dtype=np.float64) for column in columns[4:7])
    too_soon, settled, disputed = (np.array(column, dtype=np.bool_) for column in columns[7:])
    second = disputed | np.isin(pair, pair[turn == 2])
    top = collection.top_grade
    grade, unit = (class_of(given, top), unit_of(top)) if classes else (given, 1)
    return JudgmentColumns(pair, person, grade, turn, decided, active, played, too_soon, settled, second, unit)


def compute_people(collection: Collection) -> dict[str, Any]:
    """{"people": [PersonStatistics, "self_agreement", "gold" of who had some], "partners": [Partners], "recent_from"}:
    see `statistics` and `gold_answers`."""
    from annotation.people.statistics import people_statistics

    recent_from = timezone.now() - timedelta(days=RECENT_DAYS)
    figures = people_statistics(
        judged_columns(collection, classes=True),
        needed=collection.played_fraction if collection.has_clips else None,
        recent_from=recent_from.timestamp(),
    )
    own, gold = _self_agreements(collection), gold_by_member(collection)
    return {
        "people": [
            {**asdict(person), "self_agreement": own.get(person.member)}
            | ({"gold": gold[person.member]} if person.member in gold else {})
            for person in figures.people
        ],
        "partners": figures.partners,
        "recent_from": recent_from,
    }


def _self_agreements(collection: Collection) -> dict[int, dict[str, Any]]:
    from annotation.people.statistics import self_agreement

    answers = RepeatAnswer.objects.filter(
        annotator__collection=collection, taken_back_at=None, repeat__first__counted=True
    )
    grades: dict[int, list[tuple[int, int]]] = {}
    top = collection.top_grade
    for member, first, again in answers.values_list("annotator_id", "repeat__first__grade", "grade"):
        grades.setdefault(member, []).append((class_of(first, top), class_of(again, top)))
    unit = unit_of(top)
    return {
        member: self_agreement([first for first, _ in pairs], [again for _, again in pairs], unit)
        for member, pairs in grades.items()
    }


def alerts_by_person(collection: Collection, value: Mapping[str, Any] | None) -> dict[int, list[PersonAlert]]:
    """Current alerts by person, without recently dismissed ones. Two SQL queries."""
    now = timezone.now()
    people = value["people"] if value else []
    known = {person["member"]: person for person in people}
    silent = _silent_days(collection, now)
    pace = median_pace(people)
    dismissed = set(
        AlertDismissal.objects.filter(
            member__collection=collection, dismissed_at__gt=now - timedelta(days=DISMISSED_DAYS)
        ).values_list("member_id", "kind")
    )
    by_person, unit = {}, unit_of(collection.top_grade)
    for member in {*known, *silent}:
        person = known.get(member) or {"recent": NOTHING_YET}
        recent_from = datetime.fromisoformat(value["recent_from"]) if value else now
        runs = sum(datetime.fromisoformat(run["began"]) >= recent_from for run in person.get("runs", ()))
        alerts = alerts_of(person, pace=pace, runs=runs, silent_days=silent.get(member), unit=unit)
        standing = [alert for alert in alerts if (member, alert.kind) not in dismissed]
        if standing:
            by_person[member] = standing
    return by_person


NOTHING_YET: Mapping[str, Any] = {
    "judgments": 0,
    "per_hour": None,
    "compared": 0,
    "barely_played": None,
    "too_soon": 0,
}


def _silent_days(collection: Collection, now: datetime) -> dict[int, float]:
    """Days since the last sign of life of each admitted person whose seat expired with work left."""
    seats = (
        Seat.objects.filter(
            annotator__collection=collection,
            annotator__status="admitted",
            ended_at__isnull=True,
            batch__status__in=[Batch.Status.FIRST_ROUND, Batch.Status.SECOND_ROUND],
        )
        .values_list("annotator_id")
        .annotate(Max("expires_at"))
    )
    return {member: (now - latest).total_seconds() / 86400 for member, latest in seats if latest < now}


def names_of(collection: Collection) -> dict[int, str]:
    """Worker ids by membership id."""
    return dict(collection.memberships.values_list("pk", "worker"))


def matrix_of(
    partners: Sequence[Mapping[str, Any]], order: Sequence[int], figure: str
) -> list[tuple[int, list[Mapping[str, Any] | None]]]:
    """Partners as a square matrix, one row and column per person; None where two never met.

    A row's `difference` is the row's person minus the column's.
    """
    cells: dict[tuple[int, int], Mapping[str, Any]] = {}
    for met in partners:
        cells[met["one"], met["other"]] = {**met, "shown": met[figure]}
        back = {**met, "difference": -met["difference"]}
        cells[met["other"], met["one"]] = {**back, "shown": back[figure]}
    return [(one, [cells.get((one, other)) for other in order]) for one in order]
