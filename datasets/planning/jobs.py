"""The job that plans."""

from dataclasses import asdict
from functools import partial
from typing import Any

from annotation.people.time_taken import judgments_a_pair, time_taken
from datasets.models import Plan, Release
from datasets.planning.services import Asked, asked_of
from datasets.planning.sources import Material, find_source, led_with, read_source
from evaluation.arrays import json_ready
from evaluation.errors import EvaluationError
from evaluation.guarantees.plans import DRAWS, JUDGMENTS, SECONDS, Effort, assumed_plan, plan
from evaluation.guarantees.plans import Plan as Planned
from evaluation.pooling.lists import at_depth
from foundation.infra.jobs import JobProgress, job_task
from foundation.models import Collection
from foundation.refused import Refused

GIVEN, HERE, THERE, PUBLISHED = "given", "here", "source", "published"
"""Where a figure of the effort comes from: typed, known of the collection, of the source, TVR-Ranking's."""
Found = dict[str, Any]
"""A plan's result, of JSON's types: `rows` as `evaluation.guarantees.plans.Planned`, what they rest on beside."""


@job_task(Plan, bounded=True)
def make_plan(job: Plan, progress: JobProgress) -> None:
    """Plan, and keep the result with the job."""
    asked = asked_of(job)
    try:
        job.result = json_ready(_found(job, asked, progress))
    except EvaluationError as fault:
        raise Refused(str(fault)) from fault
    job.said = f"Planned: {len(job.result['rows'])} ways."
    # One that was deleted meanwhile stays so.
    Plan.objects.filter(pk=job.pk).update(result=job.result, said=job.said)


def _found(job: Plan, asked: Asked, progress: JobProgress) -> Found:
    common = {name: getattr(asked, name) for name in ("smallest", "power", "level", "kappas", "queries")}
    if job.member is None:
        raise Refused("Nobody is known who asked for it.")
    source = find_source(led_with(job.member), asked.source)
    if source is None:
        effort, basis = _effort(job.collection, asked, None, float(asked.depth or job.collection.batch_size))
        planned = assumed_plan(asked.measure, asked.systems, effort=effort, **common)
        return {**_told([planned], asked, effort, basis), "systems": asked.systems, "of": ""}
    progress.note(done=0, total=0, step="Reading the source.")
    material = read_source(source, asked.source.rpartition("-")[2])
    truths = [material.truth]
    if asked.depth is not None:
        shallow = at_depth(material.truth, material.runs, asked.depth)
        if len(shallow.grade) < len(material.truth.grade):  # the same ways again are no other ways
            truths.append(shallow)
    progress.note(done=0, total=len(truths) * len(asked.kappas) * DRAWS, step="Imitating machines.")
    plans = []
    for truth in truths:
        effort, basis = _effort(job.collection, asked, material, len(truth.grade) / max(1, len(truth)))
        single = material.single if truth is material.truth else None
        plans.append(
            plan(
                truth,
                material.runs,
                [asked.measure],
                effort=effort,
                single=single,
                progress=partial(progress.count, 1),
                **common,
            )
        )
    told = _told(plans, asked, effort, basis)
    of = f"{source}, {asked.source.rpartition('-')[2]}" if isinstance(source, Release) else str(source)
    alike = asked.depth is not None and len(truths) == 1
    return {**told, "systems": len(material.runs), "of": of, "imitated": material.imitated, "depth_alike": alike}


def _told(plans: list[Planned], asked: Asked, effort: Effort, basis: dict[str, str]) -> Found:
    return {
        "pilot": plans[0].pilot,
        "critical": plans[0].critical[asked.measure],
        "seconds": effort.seconds,
        "pay": effort.pay,
        "basis": basis,
        "rows": [
            {**asdict(row), "half_width": planned.half_width[asked.measure]}
            for planned in plans
            for row in planned.rows
        ],
    }


def _effort(
    collection: Collection, asked: Asked, material: Material | None, pairs: float
) -> tuple[Effort, dict[str, str]]:
    """What judging takes, and where each figure is from: typed, else known here, else of the source, else published."""
    here = time_taken(collection)

    def first(*known: tuple[str, float | None]) -> tuple[str, float]:
        return next((basis, float(value)) for basis, value in known if value is not None)

    judgments = first(
        (GIVEN, asked.judgments),
        (HERE, judgments_a_pair(collection)),
        (THERE, material.judgments if material else None),
        (PUBLISHED, JUDGMENTS),
    )
    seconds = first(
        (GIVEN, asked.seconds),
        (HERE, here.seconds if here else None),
        (THERE, material.seconds if material else None),
        (PUBLISHED, SECONDS),
    )
    rate = here.rate if here is not None and here.rate is not None else collection.pay_per_hour
    pay = asked.pay if asked.pay is not None else rate
    basis = {"judgments": judgments[0], "seconds": seconds[0], "pay": GIVEN if asked.pay is not None else HERE}
    return Effort(pairs, judgments[1], seconds[1], None if pay is None else float(pay)), basis
