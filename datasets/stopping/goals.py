"""Set and end a goal, and open the next queries of the random order for it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import MachineJudge, SamplingDesign
from annotation.sampling.designs import extend_design
from datasets.models import StoppingGoal, StoppingLook
from datasets.stopping.looking import design_by_queries, frame_of, judged_first
from evaluation import EvaluationError
from evaluation.guarantees.stopping import FIRST
from evaluation.measures.measure import RunMeasure
from evaluation.measures.names import parse_measure
from foundation.infra.job_control import stop_job
from foundation.models import Collection, Membership
from foundation.refused import Refused
from queries.models import PoolRun

SPLITS = ("val", "test")
MOST_OPENED = 10_000


def current_goal(collection: Collection) -> StoppingGoal | None:
    """The collection's goal, if it has one."""
    return StoppingGoal.objects.filter(collection=collection, ended_at=None).select_related("collection").first()


def set_goal(
    *,
    member: Membership,
    measure: str,
    first: int,
    split: str = "",
    judge: MachineJudge | None = None,
    level: float = 0.95,
    margin: float | None = None,
    open_next: int = 0,
) -> StoppingGoal:
    """Set the collection's goal, over the runs that its pool has now. The goal before ends, with its looks.

    Args: as the fields of `StoppingGoal`.
    Raises: Refused if a value won't do, there are fewer than two runs, or no design draws queries.
    """
    collection = member.collection
    design = design_by_queries(collection)
    if design is None:
        raise Refused(_("Looks need a sampling design that draws queries: make it before judging is opened."))
    if (design.strata == SamplingDesign.Strata.SPLIT) is not (split in SPLITS) or split not in ("", *SPLITS):
        raise Refused(_("A design by split takes a split, val or test, and any other takes none."), "split")
    try:
        measured = parse_measure(measure)
    except EvaluationError as error:
        raise Refused(str(error), "measure") from error
    if isinstance(measured, RunMeasure):
        raise Refused(_("This measure has no value for each query, and a look needs them."), "measure")
    runs = list(PoolRun.objects.filter(collection=collection).order_by("pk").values_list("pk", flat=True))
    if len(runs) < 2:
        raise Refused(
            _("Found %(found)s runs in the pool, expected at least 2, whose order is to be settled.")
            % {"found": len(runs)}
        )
    if not 1 <= first <= len(runs):
        raise Refused(
            _("Found %(found)s, expected a whole number from 1 to %(most)s, the number of runs.")
            % {"found": first, "most": len(runs)},
            "first",
        )
    if not 0.5 <= level <= 0.999:
        raise Refused(_("Found %(found)s, expected a level from 0.5 to 0.999.") % {"found": level}, "level")
    if margin is not None and not 0 < margin < 1:
        raise Refused(_("Found %(found)s, expected a margin between 0 and 1.") % {"found": margin}, "margin")
    if not 0 <= open_next <= MOST_OPENED:
        raise Refused(_("Found another number of queries, expected one from 0 to 10,000."), "open_next")
    if judge is not None and judge.collection_id != collection.pk:
        raise Refused(_("This machine judge isn't of this collection."), "judge")
    with transaction.atomic():
        end_goal(collection=collection)
        return StoppingGoal.objects.create(
            collection=collection,
            split=split,
            judge=judge,
            runs=runs,
            measure=str(measured),
            first=first,
            level=level,
            margin=margin,
            open_next=open_next,
            member=member,
        )


@transaction.atomic
def end_goal(*, collection: Collection) -> None:
    """End the current goal, if there is one; its looks stay, and one that is under way is stopped."""
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    goal = current_goal(collection)
    if goal is None:
        return
    for job in goal.looks.filter(state__in=StoppingLook.TURN):
        stop_job(job)
    goal.ended_at = timezone.now()
    goal.save(update_fields=["ended_at"])


def open_queries(*, goal: StoppingGoal, number: int, member: Membership | None = None) -> int:
    """Draw the next so many queries of the design's random order; a worker then opens them.

    Never the queries that promise most: chosen by what others' judgments say they would be no random sample, and no
    interval would hold. A design by split draws val and test in proportion.

    Returns: how many were drawn. Raises: Refused if all are drawn; as `extend_design`.
    """
    if not 1 <= number <= MOST_OPENED:
        raise Refused(_("Found another number of queries, expected one from 1 to 10,000."), "number")
    design = design_by_queries(goal.collection)
    if design is None:
        raise Refused(_("Looks need a sampling design that draws queries: make it before judging is opened."))
    strata = list(design.of_strata.order_by("place"))
    own = [stratum for stratum in strata if not goal.split or stratum.name == goal.split]
    left = sum(stratum.size - stratum.drawn for stratum in own)
    if not left:
        raise Refused(_("All queries are drawn already."))
    number = min(number, left)
    # Where the goal is about one split, the other's number stays.
    asked = [stratum.drawn + (number if stratum in own else 0) for stratum in strata]
    extend_design(design, asked, member=member)
    return number


def waiting(goal: StoppingGoal) -> int:
    """How many of the goal's drawn queries aren't judged, up to the first that isn't drawn."""
    return frame_of(goal).filter(drawn_at__isnull=False).count() - len(judged_first(goal))


def due_to_open(goal: StoppingGoal) -> bool:
    """Whether the goal has queries opened by itself, and so few are left to judge that it is time."""
    return bool(goal.open_next) and waiting(goal) < max(1, min(goal.open_next, FIRST) // 2)
