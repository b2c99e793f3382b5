"""Plans asked for, chosen, deleted."""

from dataclasses import asdict, dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from datasets.leaderboard.plan_came import NAME
from datasets.models import Plan
from datasets.planning.sources import ASSUMED, find_source
from evaluation.errors import EvaluationError
from evaluation.guarantees.plans import KAPPAS, LEVEL, POWER
from evaluation.measures.names import parse_measure
from foundation.models import Collection, JobLine, Membership
from foundation.refused import Refused

USUAL = "NDCG@20,IoU>=0.5"
SYSTEMS = 6
MOST_KAPPAS, MOST_SYSTEMS, MOST_PLANS = 5, 100, 200
LIMITS: dict[str, tuple[float, float]] = {
    "queries": (2, 10_000_000),
    "depth": (1, 1000),
    "judgments": (1, 20),
    "seconds": (0.1, 3600),
    "pay": (0, 999_999.99),
    "systems": (2, MOST_SYSTEMS),
}
"""Of what may be left empty: least and most."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan is asked for.

    `source`: a key of `datasets.planning.sources`. `smallest`: the difference of two scores worth finding, found with
    the probability `power` by intervals that hold for all pairs of systems at once with `level`. `kappas`: of machines.
    `queries`: of the collection to be, if scores of these alone are meant. `depth`: so many of each system's first are
    judged, beside as many as in the source. `judgments` a pair, `seconds` a judgment, `pay` an hour: None where what is
    known is to be taken. `systems`: how many are expected, where nothing is known.
    """

    smallest: float
    source: str = ASSUMED
    measure: str = USUAL
    power: float = POWER
    level: float = LEVEL
    kappas: tuple[float, ...] = KAPPAS
    queries: int | None = None
    depth: int | None = None
    judgments: float | None = None
    seconds: float | None = None
    pay: float | None = None
    systems: int = SYSTEMS


def ask_for_plan(*, member: Membership, asked: Asked, sources: QuerySet[Collection]) -> Plan:
    """Record a job to plan; the caller sends it.

    Args: sources: whose releases and studies may be used. Raises: Refused, by field.
    """
    refuse_unfit(asked)
    find_source(sources, asked.source)
    collection = member.collection
    if Plan.objects.filter(collection=collection).count() >= MOST_PLANS:
        raise Refused(_("There are %(most)s plans already: delete one first.") % {"most": MOST_PLANS})
    try:
        with transaction.atomic():
            return Plan.objects.create(collection=collection, member=member, asked=_as_json(asked))
    except IntegrityError as error:
        raise Refused(_("Another plan is being made. Wait until it has ended.")) from error


def _as_json(asked: Asked) -> dict[str, Any]:
    return {**asdict(asked), "kappas": list(asked.kappas)}


def asked_of(plan: Plan) -> Asked:
    """What the plan was asked for."""
    return Asked(**{**plan.asked, "kappas": tuple(plan.asked["kappas"])})


def refuse_unfit(asked: Asked) -> None:
    """Raises: Refused for what is out of its range, by field."""
    between = _("Found %(found)s, expected a number above 0 and below 1.")
    for name in ("smallest", "power", "level"):
        if not 0 < getattr(asked, name) < 1:
            raise Refused(between % {"found": f"{getattr(asked, name):g}"}, field=name)
    if asked.level < 0.5 or asked.power < 0.5:
        name = "level" if asked.level < 0.5 else "power"
        raise Refused(_("Found %(found)s, expected at least 0.5.") % {"found": f"{getattr(asked, name):g}"}, field=name)
    if asked.smallest < 1e-4:
        raise Refused(
            _("Found %(found)s, expected at least 0.0001.") % {"found": f"{asked.smallest:g}"}, field="smallest"
        )
    if len(asked.kappas) > MOST_KAPPAS:
        raise Refused(
            _("Found %(found)s kappas, expected %(most)s at most.") % {"found": len(asked.kappas), "most": MOST_KAPPAS},
            field="kappas",
        )
    for kappa in asked.kappas:
        if not 0 < kappa < 1:
            raise Refused(
                _("Found the kappa %(found)s, expected one above 0 and below 1: no machine agrees with people always.")
                % {"found": f"{kappa:g}"},
                field="kappas",
            )
    for name, (least, most) in LIMITS.items():
        value = getattr(asked, name)
        if value is not None and not least <= value <= most:
            expected = {"found": f"{value:g}", "least": f"{least:g}", "most": f"{most:,.9g}"}
            raise Refused(_("Found %(found)s, expected %(least)s to %(most)s.") % expected, field=name)
    try:
        measure = parse_measure(asked.measure)
    except EvaluationError as error:
        raise Refused(str(error), field="measure") from error
    if str(measure) != asked.measure:
        raise Refused(
            _("Found %(found)s, expected %(wanted)s.") % {"found": asked.measure, "wanted": measure}, field="measure"
        )


@transaction.atomic
def choose_row(*, plan: Plan, row: int | None) -> None:
    """Have the collection go by a row of the plan, and by no other plan; None: by none. Raises: Refused."""
    rows = (plan.result or {}).get("rows", [])
    if row is not None and not 0 <= row < len(rows):
        raise Refused(_("The plan has no such row."))
    # One at a time, so that one plan is chosen.
    Collection.objects.select_for_update(no_key=True).get(pk=plan.collection_id)
    chosen = Plan.objects.filter(collection=plan.collection_id, chosen__isnull=False)
    if row is None or not chosen.filter(pk=plan.pk, chosen=row).exists():
        (chosen.filter(pk=plan.pk) if row is None else chosen).update(chosen=None, chosen_at=None)
        if row is not None:
            Plan.objects.filter(pk=plan.pk).update(chosen=row, chosen_at=timezone.now())


def forget_plan(plan: Plan) -> None:
    """Delete a plan with its log. Raises: Refused while it is being made."""
    if not plan.finished:
        raise Refused(_("The plan is being made: stop it first."))
    JobLine.objects.filter(kind=plan._meta.label_lower, job=plan.pk).delete()
    plan.collection.computed.filter(name__startswith=f"{NAME}:{plan.pk}-").delete()
    plan.delete()
