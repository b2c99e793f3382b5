"""What people answered to gold, and the figures of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import RepeatAnswer
from annotation.people.alerts import RECENT_DAYS
from annotation.people.gold_rule import drift, figures, last_good
from foundation.models import Collection, Membership


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """An answer that stands: `error` is its grade minus the known one."""

    pk: int
    at: datetime
    query: str
    grade: int
    known: int
    explanation: str

    @property
    def error(self) -> int:
        return self.grade - self.known


def _share_of_top(collection: Collection) -> float:
    """The top grade's share of the paper's."""
    return collection.top_grade / 4


def _standing() -> QuerySet[RepeatAnswer]:
    return RepeatAnswer.objects.filter(repeat__gold__isnull=False, taken_back_at=None).order_by("given_at", "pk")


def gold_answers(member: Membership) -> list[GoldAnswer]:
    """Somebody's answers to gold, oldest first. One SQL query."""
    rows = _standing().filter(annotator=member).select_related("repeat__gold", "repeat__pair__batch__query")
    return [
        GoldAnswer(
            answer.pk,
            answer.given_at,
            answer.repeat.pair.batch.query.text,
            answer.grade,
            answer.repeat.gold.grade,
            answer.repeat.gold.explanation,
        )
        for answer in rows
        if answer.repeat.gold is not None
    ]


def good_until(collection: Collection, answers: Sequence[GoldAnswer]) -> GoldAnswer | None:
    """The last good gold of these answers, oldest first: see `gold_rule.last_good`."""
    errors = [answer.error for answer in answers]
    place = last_good(errors, tolerance=collection.largest_difference, scale=_share_of_top(collection))
    return None if place is None else answers[place]


def gold_by_member(collection: Collection) -> dict[int, dict[str, Any]]:
    """Figures of each person who answered gold, as `gold_figures` has them. One SQL query."""
    given = gold_errors(collection.memberships.values("pk"))
    return {member: gold_figures(collection, errors) for member, errors in given.items()}


def gold_errors(members: QuerySet[Any] | Sequence[int]) -> dict[int, list[tuple[datetime, int]]]:
    """Times and errors of these people's answers to gold, oldest first; by membership. One SQL query."""
    given: dict[int, list[tuple[datetime, int]]] = defaultdict(list)
    rows = _standing().filter(annotator__in=members)
    for member, at, grade, known in rows.values_list("annotator_id", "given_at", "grade", "repeat__gold__grade"):
        given[member].append((at, grade - known))
    return given


def gold_figures(collection: Collection, given: Sequence[tuple[datetime, int]]) -> dict[str, Any]:
    """{"overall", "recent": GoldFigures or None, "drift": Drift, "weeks": [{"begins", "figures"}]} of errors with
    their times, oldest first; weeks begin on Monday (UTC)."""
    tolerance = collection.largest_difference
    recent_from = timezone.now() - timedelta(days=RECENT_DAYS)
    recent = [error for at, error in given if at >= recent_from]
    weeks: dict[Any, list[int]] = defaultdict(list)
    for at, error in given:
        day = at.astimezone(UTC).date()
        weeks[day - timedelta(days=day.weekday())].append(error)
    errors = [error for _, error in given]
    told = {"overall": figures(errors, tolerance=tolerance), "recent": figures(recent, tolerance=tolerance)}
    by_week = ((begins, figures(week, tolerance=tolerance)) for begins, week in sorted(weeks.items()))
    return {
        **{name: None if one is None else asdict(one) for name, one in told.items()},
        "drift": asdict(drift(errors, scale=_share_of_top(collection))),
        "weeks": [{"begins": begins.isoformat(), "figures": asdict(week)} for begins, week in by_week if week],
    }
