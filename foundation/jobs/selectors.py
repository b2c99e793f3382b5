"""Find a collection's jobs of every kind, without knowing the rooms that they are of."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db.models import BooleanField, Case, CharField, F, Q, QuerySet, Value, When
from django.utils.translation import gettext as _

from foundation.infra.job_log import lines_of
from foundation.infra.job_progress import progress_told
from foundation.models import Collection, Job


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as lists and its page tell it. `state` is that of its kind, `words` says it; `by` is a worker id, None for
    a command; `progress` as `progress_of`."""

    kind: str
    job: int
    title: str
    name: str
    state: str
    words: str
    by: str | None
    asked_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    address: str
    progress: dict[str, Any]


def kinds() -> dict[str, type[Job]]:
    """Every kind of job that has a page, by its name in addresses: the tables that derive from `Job`."""
    models = (model for model in apps.get_models() if issubclass(model, Job))
    return {model.KIND: model for model in models if model.KIND and model.COLLECTION}


def jobs_of(collection: Collection) -> QuerySet[Any, Any]:
    """All jobs of a collection as (kind, pk, over, asked_at), those under way first, then the newest. One SQL query."""
    of_each_kind = [
        model._default_manager.filter(**{model.COLLECTION: collection})
        .annotate(
            of_kind=Value(kind, output_field=CharField()),
            is_over=Case(
                When(Q(state__in=model.TURN), then=Value(False)), default=Value(True), output_field=BooleanField()
            ),
            when_asked=F("asked_at"),
        )
        .order_by()
        .values_list("of_kind", "pk", "is_over", "when_asked")
        for kind, model in sorted(kinds().items())
    ]
    return of_each_kind[0].union(*of_each_kind[1:], all=True).order_by("is_over", "-when_asked", "of_kind", "-pk")


def rows_of(collection: Collection, listed: Iterable[tuple[str, int, bool, datetime]]) -> list[JobRow]:
    """The rows of what `jobs_of` found, in its order. One SQL query a kind."""
    places = [(kind, pk) for kind, pk, *_ in listed]
    jobs: dict[tuple[str, int], Job] = {}
    for kind, model in kinds().items():
        numbers = [pk for of, pk in places if of == kind]
        if numbers:
            rows = _with_its_collection(model, collection).filter(pk__in=numbers)
            jobs |= {(kind, row.pk): row for row in rows}
    return [row_of(jobs[place]) for place in places if place in jobs]


def _with_its_collection(model: type[Job], collection: Collection) -> QuerySet[Job]:
    # Who asked is named beside every job: `member` in all of them but the studies, which are few.
    asker = ["member"] if any(field.name == "member" for field in model._meta.fields) else []
    return model._default_manager.filter(**{model.COLLECTION: collection}).select_related(model.COLLECTION, *asker)


def find_job(collection: Collection, kind: str, pk: int) -> Job | None:
    """One job of a collection; None if there is none of this kind and number in it."""
    model = kinds().get(kind)
    return None if model is None else _with_its_collection(model, collection).filter(pk=pk).first()


def row_of(job: Job) -> JobRow:
    """A job's row."""
    words = job.get_state_display()  # type: ignore[attr-defined]
    return JobRow(
        kind=job.KIND,
        job=job.pk,
        title=_(job.TITLE),
        name=str(job),
        state=str(job.state),
        words=words,
        by=job.asker.worker if job.asker is not None else None,
        asked_at=job.asked_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        address=job.get_absolute_url(),
        progress=progress_told(job),
    )


def log_of(job: Job) -> list[dict[str, Any]]:
    """A job's log for its page: {"at", "text"}, the oldest first."""
    return [{"at": line.at, "text": line.text} for line in lines_of(job)]
