"""Create and archive pilots and depth studies, which never count.

A study is a collection of its own (`Collection.purpose`, `study_of`), so every count, export and figure of the
collection leaves it out. Its pairs point to the collection's moments, and its people are the collection's.
"""

from __future__ import annotations

from collections.abc import Callable

from celery import shared_task
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext

from annotation.batches.opening import open_annotation
from annotation.factors.declared import copy_factors
from annotation.models import Batch, ExamItem, Guideline, Study
from foundation.collections.studies import place_in_study, refuse_study
from foundation.infra.advisory_lock import hold_descriptions
from foundation.infra.jobs import JobProgress, run_job
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.models import Candidate, Caption, Query
from queries.pooling.study_samples import StudyCandidates, candidates_for_study, draw_for_study

PILOT_QUERIES, PILOT_DEPTH = 5, 20
DEPTH_QUERIES, DEPTH_DEPTH, DEPTH_AT_RANDOM = 10, 60, 60
"""The paper's, appendix B.3: ten queries, ranks 1-60 and 60 random others."""
MOST_QUERIES = 200
NAME_LENGTH, TITLE_LENGTH = 60, 200

Step = Callable[[int, int], None]


def start_study(
    *,
    collection: Collection,
    kind: str,
    queries: int | None = None,
    seed: int | None = None,
    asked_by: Membership | None = None,
    step: Step = lambda done, total: None,
) -> Study:
    """Create a study now. One that is under way is returned, completed if it was half made.

    Raises: Refused.
    """
    study = ask_for_study(collection=collection, kind=kind, queries=queries, seed=seed, asked_by=asked_by)
    made = make_study(study_id=study.pk, step=step)
    if made.state == Study.State.REFUSED:
        raise Refused(made.problem)
    return made


@transaction.atomic
def ask_for_study(
    *,
    collection: Collection,
    kind: str,
    queries: int | None = None,
    seed: int | None = None,
    asked_by: Membership | None = None,
) -> Study:
    """Record a study to be made; the caller has it made. Returns the one of its kind under way, if any.

    Under way is what is being made or judged, unless it was put away. So a form sent twice begins one study.

    Args:
        kind: pilot or depth.
        queries: how many, by default 5 for a pilot, 10 for a depth study.
        seed: of the draw, by default the study's number.

    Raises: Refused for a study of a study, an archived collection, another kind, or no sensible number.
    """
    if kind not in Study.Kind.values:
        raise Refused(gettext("found the kind %(kind)s, expected pilot or depth") % {"kind": repr(kind)})
    refuse_study(collection, "can't be studied")
    collection = Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if collection.archived_at is not None:
        raise Refused(gettext("%(name)s is archived: nothing is judged there") % {"name": collection.name})
    standing = study_under_way(collection, kind)
    if standing is not None:
        return standing
    pilot = kind == Study.Kind.PILOT
    number = Study.objects.filter(collection=collection, kind=kind, state=Study.State.MADE).count() + 1
    size = (PILOT_QUERIES if pilot else DEPTH_QUERIES) if queries is None else queries
    if not 1 <= size <= MOST_QUERIES:
        raise Refused(
            gettext("found %(wanted)s queries, expected 1 to %(value)s")
            % {"wanted": f"{size:,}", "value": MOST_QUERIES}
        )
    chosen = number if seed is None else seed
    if not -(2**63) <= chosen < 2**63:
        raise Refused(
            gettext("found the seed %(chosen)s, expected a whole number of at most 18 digits") % {"chosen": chosen}
        )
    study, _ = Study.objects.update_or_create(
        collection=collection,
        kind=kind,
        number=number,
        defaults={
            "queries": size,
            "seed": chosen,
            "depth": PILOT_DEPTH if pilot else DEPTH_DEPTH,
            "at_random": 0 if pilot else DEPTH_AT_RANDOM,
            "state": Study.State.QUEUED,
            "done": 0,
            "total": 0,
            "problem": "",
            "asked_by": asked_by,
            "asked_at": timezone.now(),
            "touched_at": None,
            "due_at": None,
            "begun": 0,
        },
    )
    return study


def study_under_way(collection: Collection, kind: str) -> Study | None:
    """The study of this kind that is being made or judged, if there is one."""
    of_kind = Study.objects.filter(collection=collection, kind=kind)
    making = of_kind.filter(state__in=[Study.State.QUEUED, Study.State.RUNNING]).first()
    if making is not None:
        return making
    judging = Batch.objects.filter(
        collection__study_of=collection, status__in=[Batch.Status.FIRST_ROUND, Batch.Status.SECOND_ROUND]
    )
    return of_kind.filter(made__archived_at=None, made__in=judging.values("collection")).order_by("-number").first()


@shared_task(name=Study.TASK)
def make_study(study_id: int, *, step: Step = lambda done, total: None) -> Study:
    """Draw its queries, search their moments, and open it for judging, whole or not at all: a job (`run_job`).

    `step` is called with how much is done, and of how much.
    """

    def make(study: Study, progress: JobProgress) -> None:
        def told(done: int, total: int) -> None:
            progress.note(done=done, total=total)
            step(done, total)

        drawn = draw_for_study(
            collection=study.collection,
            queries=study.queries,
            seed=study.seed,
            known=_judged_in_training(study.collection),
        )
        candidates = candidates_for_study(
            collection=study.collection,
            captions=drawn.captions,
            depth=study.depth,
            at_random=study.at_random,
            seed=study.seed,
            step=told,
        )
        _open(study, drawn.captions, candidates, outside=drawn.outside)

    run_job(Study, study_id, make)
    return Study.objects.select_related("collection", "made").get(pk=study_id)


def _judged_in_training(collection: Collection) -> frozenset[str]:
    """The normalised captions that exam, practice and worked examples use."""
    descriptions = [
        *ExamItem.objects.filter(exam__collection=collection).values_list("description_id", flat=True).distinct(),
        *collection.worked_items.values_list("description_id", flat=True).distinct(),
    ]
    return frozenset(Caption.objects.filter(description__in=descriptions).values_list("normalised", flat=True))


@transaction.atomic
def _open(study: Study, captions: list[Caption], drawn: StudyCandidates, *, outside: bool) -> None:
    # No import may change what the study asks; the row's lock is for the people, who are taken along.
    hold_descriptions(study.collection, wait=True)
    parent = Collection.objects.select_for_update(no_key=True).get(pk=study.collection_id)
    if parent.archived_at is not None:
        raise Refused(gettext("%(name)s is archived: nothing is judged there") % {"name": parent.name})
    made = _collection_for(study, parent)
    copy_factors(parent, made)
    for guideline in parent.guidelines.order_by("version"):
        copied = Guideline.objects.create(
            collection=made,
            version=guideline.version,
            source=guideline.source,
            examples=guideline.examples,
            note=guideline.note,
        )
        Guideline.objects.filter(pk=copied.pk).update(published_at=guideline.published_at)
    for member in parent.memberships.order_by("pk"):
        place_in_study(member, made)
    for position, (caption, candidates) in enumerate(zip(captions, drawn.candidates, strict=True), start=1):
        query = Query.objects.create(
            collection=made,
            description_id=caption.description_id,
            split="",
            text=caption.text,
            normalised=caption.normalised,
            position=position,
            ranked_by=drawn.encoder,
        )
        Candidate.objects.bulk_create(
            Candidate(
                query=query,
                rank=row.rank,
                moment_id=row.moment,
                caption_id=row.caption,
                caption_text=row.text,
                similarity=row.similarity,
            )
            for row in candidates
        )
    open_annotation(collection=made)
    study.made, study.outside, study.state, study.finished_at = made, outside, Study.State.MADE, timezone.now()
    study.save(update_fields=["made", "outside", "state", "finished_at"])


def _collection_for(study: Study, parent: Collection) -> Collection:
    """Create a study's collection: the parent's settings, one batch per query, no automatic review."""
    own = {"id", "name", "title", "purpose", "study_of", "created_at", "archived_at", "guideline", "cast", "context"}
    taken = {
        field.attname: getattr(parent, field.attname)
        for field in Collection._meta.concrete_fields
        if field.name not in own
    }
    one_batch = {
        "batch_size": study.depth + study.at_random,
        "max_batches": 1,
        "auto_extend_from": None,
        "auto_finish_to": None,
        "repeat_share": 0.0,
        "gold_share": 0.0,
        "needs_exam": False,
    }
    return Collection.objects.create(
        **{**taken, **one_batch},
        name=_free_name(f"{parent.name[: NAME_LENGTH - 16]}-{study.kind}-{study.number}"),
        title=f"{study} of {parent.title}"[:TITLE_LENGTH],
        purpose=study.kind,
        study_of=parent,
    )


def _free_name(wanted: str) -> str:
    """The name, with a number appended if it is taken."""
    taken = set(
        Collection.objects.filter(Q(name=wanted) | Q(name__startswith=f"{wanted}-")).values_list("name", flat=True)
    )
    names = [wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 2))]
    return next(name for name in names if name not in taken)


@transaction.atomic
def put_study_away(*, lead: Membership, study_id: int) -> Study:
    """Archive a study: its judgments are kept, nothing more is judged. Repeating it changes nothing.

    Raises: Refused if the collection has no such study, or it isn't made yet.
    """
    study = Study.objects.select_related("made").filter(pk=study_id, collection=lead.collection_id).first()
    if study is None or study.made is None:
        raise Refused(gettext("There is no such study to archive."))
    Collection.objects.filter(pk=study.made.pk, archived_at=None).update(archived_at=timezone.now())
    return study
