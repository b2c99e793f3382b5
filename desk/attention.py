"""What changes by the second and may need the lead: flags, questions, applicants, jobs; read anew at each look."""

from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, Exists, OuterRef, Value

from annotation.models import ExamSitting, Flag, Question
from corpus.infra.job_progress import progress_told
from corpus.jobs.selectors import kinds
from corpus.models import Collection, Job, Membership
from desk.steps.facts import JobAtHand
from desk.steps.needs import STEP_OF_JOB


@dataclass(frozen=True, slots=True)
class Now:
    """Counts of this moment. `releases`: their names, the newest first."""

    flagged: int
    questions: int
    applicants: int
    annotators: int
    releases: list[str]
    jobs: list[JobAtHand]


def attention(collection: Collection) -> Now:
    """Six SQL queries, and one for each kind of job whose newest isn't done."""
    flags = Flag.objects.filter(pair__batch__collection=collection, answered_at__isnull=True)
    people = collection.memberships.filter(role=Membership.Role.ANNOTATOR)
    return Now(
        flagged=flags.values("pair").distinct().count(),
        questions=Question.objects.filter(annotator__collection=collection, answered_at__isnull=True).count(),
        applicants=_to_admit(collection),
        annotators=people.filter(status=Membership.Status.ADMITTED).count(),
        releases=list(collection.releases.order_by("-created_at", "-pk").values_list("name", flat=True)),
        jobs=newest_jobs(collection),
    )


def newest_jobs(collection: Collection) -> list[JobAtHand]:
    """The newest job of each kind that does a step, unless it is done. One SQL query, one more for each of them."""
    models = {kind: model for kind, model in kinds().items() if kind in STEP_OF_JOB}
    newest: list[Any] = [
        model._default_manager.filter(**{model.COLLECTION: collection})
        .annotate(of_kind=Value(kind, output_field=CharField()))
        .order_by("-pk")
        .values_list("of_kind", "pk", "state")[:1]
        for kind, model in sorted(models.items())
    ]
    found = newest[0].union(*newest[1:], all=True)
    return [
        _at_hand(models[kind]._default_manager.select_related(models[kind].COLLECTION).get(pk=pk))
        for kind, pk, state in found
        if state != models[kind].DONE
    ]


def _at_hand(job: Job) -> JobAtHand:
    told = progress_told(job)
    standing = "under-way" if not job.finished else "stopped" if job.state == job.STOPPED else str(job.state)
    return JobAtHand(
        kind=job.KIND,
        title=job.TITLE,
        name=str(job),
        standing=standing,
        share=told["share"],
        words=told["words"],
        problem=job.problem,
        address=job.get_absolute_url(),
    )


def _to_admit(collection: Collection) -> int:
    """Applicants who have handed in the newest exam and wait for the lead."""
    handed_in = ExamSitting.objects.filter(candidate=OuterRef("pk"), handed_in_at__isnull=False)
    return (
        collection.memberships.filter(role=Membership.Role.ANNOTATOR, status=Membership.Status.CANDIDATE)
        .filter(Exists(handed_in))
        .count()
    )
