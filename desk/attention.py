"""What changes by the second and may need the lead: flags, questions, applicants, jobs; read anew at each look."""

from typing import Any

from django.db import connection
from django.db.models import CharField, Value
from django.utils.translation import gettext as _

from campaigns.organising.selectors import waiting_campaigns
from desk.models import RunToOpen
from desk.steps.needs import STEP_OF_JOB
from desk.steps.states import JobAtHand, Now
from foundation.infra.job_progress import progress_told
from foundation.jobs.selectors import kinds
from foundation.models import Collection, Job

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
       ARRAY(SELECT r.name::text FROM datasets_release r
              WHERE r.collection_id = %(collection)s ORDER BY r.created_at DESC, r.id DESC)"""


def attention(collection: Collection) -> tuple[Now, RunToOpen | None]:
    """What may need the lead, and the newest run to open unless it is done. Three SQL queries, and one for each kind of
    job whose newest isn't done."""
    with connection.cursor() as cursor:
        cursor.execute(_NOW, {"collection": collection.pk})
        flagged, questions, applicants, annotators, releases = cursor.fetchone()
    jobs = _newest(collection, {*STEP_OF_JOB, RunToOpen.KIND})
    run = next((job for job in jobs if isinstance(job, RunToOpen)), None)
    now = Now(
        flagged=flagged,
        questions=questions,
        applicants=applicants,
        annotators=annotators,
        campaigns=waiting_campaigns(collection).count(),
        releases=releases,
        jobs=[_at_hand(job) for job in jobs if job is not run],
    )
    return now, run


def newest_jobs(collection: Collection) -> list[JobAtHand]:
    """The newest job of each kind that does a step, unless it is done. One SQL query, one more for each of them."""
    return [_at_hand(job) for job in _newest(collection, set(STEP_OF_JOB))]


def _newest(collection: Collection, of_kinds: set[str]) -> list[Job]:
    models = {kind: model for kind, model in kinds().items() if kind in of_kinds}
    newest: list[Any] = [
        model._default_manager.filter(**{model.COLLECTION: collection})
        .annotate(of_kind=Value(kind, output_field=CharField()))
        .order_by("-pk")
        .values_list("of_kind", "pk", "state")[:1]
        for kind, model in sorted(models.items())
    ]
    return [
        models[kind]._default_manager.select_related(models[kind].COLLECTION).get(pk=pk)
        for kind, pk, state in newest[0].union(*newest[1:], all=True)
        if state != models[kind].DONE
    ]


def _at_hand(job: Job) -> JobAtHand:
    progress = progress_told(job)
    standing = "under-way" if not job.finished else "stopped" if job.state == job.STOPPED else str(job.state)
    return JobAtHand(
        kind=job.KIND,
        title=_(job.TITLE),
        name=str(job),
        standing=standing,
        share=progress["share"],
        words=progress["words"],
        problem=job.problem,
        address=job.get_absolute_url(),
    )
