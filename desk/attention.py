"""What changes by the second and may need the lead: flags, questions, applicants, jobs; read anew at each look."""

from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import CharField, Value
from django.utils.translation import gettext as _

from desk.models import RunToOpen
from desk.steps.needs import STEP_OF_JOB
from desk.steps.states import JobAtHand
from foundation.infra.job_progress import progress_told
from foundation.jobs.selectors import kinds
from foundation.models import Collection, Job


@dataclass(frozen=True, slots=True)
class Now:
    """Counts of this moment. `campaigns`: whose results are due, or whose teams have members of the collection;
    `releases`: their names, the newest first; `run`: the newest run to open, unless it is done."""

    flagged: int
    questions: int
    applicants: int
    annotators: int
    campaigns: int
    releases: list[str]
    jobs: list[JobAtHand]
    run: RunToOpen | None


_NOW = """
SELECT (SELECT count(DISTINCT f.pair_id) FROM annotation_flag f
          JOIN annotation_pair p ON p.id = f.pair_id JOIN annotation_batch b ON b.id = p.batch_id
         WHERE b.collection_id = %(collection)s AND f.answered_at IS NULL),
       (SELECT count(*) FROM annotation_question q JOIN foundation_membership m ON m.id = q.annotator_id
         WHERE m.collection_id = %(collection)s AND q.answered_at IS NULL),
       (SELECT count(*) FROM foundation_membership m
         WHERE m.collection_id = %(collection)s AND m.role = 'annotator' AND m.status = 'applicant'
           AND EXISTS (SELECT FROM annotation_examsitting s
                        WHERE s.applicant_id = m.id AND s.handed_in_at IS NOT NULL)),
       (SELECT count(*) FROM foundation_membership m
         WHERE m.collection_id = %(collection)s AND m.role = 'annotator' AND m.status = 'admitted'),
       (SELECT count(*) FROM campaigns_campaign g
         WHERE g.collection_id = %(collection)s AND (
               (g.results_opened_at IS NULL AND g.results_at < clock_timestamp())
               OR EXISTS (SELECT FROM campaigns_teammember t
                            JOIN foundation_membership m ON m.account_id = t.account_id
                           WHERE t.campaign_id = g.id AND m.collection_id = g.collection_id))),
       ARRAY(SELECT r.name::text FROM datasets_release r
              WHERE r.collection_id = %(collection)s ORDER BY r.created_at DESC, r.id DESC)"""


def attention(collection: Collection) -> Now:
    """Two SQL queries, and one for each kind of job whose newest isn't done.

    An applicant is one who has handed in an exam and isn't decided about; an annotator is admitted.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NOW, {"collection": collection.pk})
        counts = cursor.fetchone()
    rows = _newest(collection, {*STEP_OF_JOB, RunToOpen.KIND})
    run = next((row for row in rows if isinstance(row, RunToOpen)), None)
    return Now(*counts, jobs=[_at_hand(row) for row in rows if row is not run], run=run)


def newest_jobs(collection: Collection) -> list[JobAtHand]:
    """The newest job of each kind that does a step, unless it is done. One SQL query, one more for each of them."""
    return [_at_hand(row) for row in _newest(collection, set(STEP_OF_JOB))]


def _newest(collection: Collection, wanted: set[str]) -> list[Job]:
    models = {kind: model for kind, model in kinds().items() if kind in wanted}
    newest: list[Any] = [
        model._default_manager.filter(**{model.COLLECTION: collection})
        .annotate(of_kind=Value(kind, output_field=CharField()))
        .order_by("-pk")
        .values_list("of_kind", "pk", "state")[:1]
        for kind, model in sorted(models.items())
    ]
    found = newest[0].union(*newest[1:], all=True)
    return [
        models[kind]._default_manager.select_related(models[kind].COLLECTION).get(pk=pk)
        for kind, pk, state in found
        if state != models[kind].DONE
    ]


def _at_hand(job: Job) -> JobAtHand:
    told = progress_told(job)
    standing = "under-way" if not job.finished else "stopped" if job.state == job.STOPPED else str(job.state)
    return JobAtHand(
        kind=job.KIND,
        title=_(job.TITLE),
        name=str(job),
        standing=standing,
        share=told["share"],
        words=told["words"],
        problem=job.problem,
        address=job.get_absolute_url(),
    )
