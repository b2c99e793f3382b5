"""The page of the checks' calibration: error rates by threshold, and thresholds to adopt."""

from dataclasses import astuple
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.access.pages import PageFacts, lead_act, lead_page
from foundation.infra.job_pages import ask_on_page
from foundation.infra.job_progress import progress_told
from foundation.models import Membership
from queries.calibration import calibrate
from queries.calibration.jobs import ask_for_calibration
from queries.calibration.rates import MOST_WAITING, RIGHT
from queries.models import CheckCalibration
from queries.retrieval.encoder import load_encoder

FORMER = 20
KIND_WORDS = {
    RIGHT: gettext_lazy("right"),
    "name left": gettext_lazy("a name is left"),
    "gender": gettext_lazy("another gender"),
    "roles": gettext_lazy("another does it, or to another"),
    "noun": gettext_lazy("another thing"),
    "adjective": gettext_lazy("another quality"),
    "action": gettext_lazy("another action"),
    "negation": gettext_lazy("a negation"),
    "number": gettext_lazy("another number of people"),
    "dropped": gettext_lazy("half of it is gone"),
    "unrelated": gettext_lazy("another caption"),
}
"""The kinds of captions that are measured, in the order in which they are shown."""


@lead_page("queries/calibration.html")
def calibration(request: HttpRequest, member: Membership) -> PageFacts:
    """The newest calibration's tables, what it proposes, former ones; owners and leads only."""
    rows = member.collection.check_calibrations.select_related("member__account").order_by("-pk")
    newest, done = rows.first(), rows.filter(state=CheckCalibration.State.DONE).first()
    now = calibrate.thresholds_of(member.collection)
    return {
        "warning": calibrate.warn_uncalibrated(member.collection),
        "encoder": load_encoder().label,
        "right": calibrate.right_captions(member.collection).count(),
        "needed": calibrate.NEEDED,
        "newest": newest,
        "progress": newest and progress_told(newest),
        "done": done,
        "in_force": done is not None and (done.similarity, done.kept) == astuple(now),
        "waiting": f"{100 * MOST_WAITING:g}",
        "holds": done is not None and calibrate.holds_for(done, member.collection),
        **(_tables(done.found) if done is not None else {}),
        "former": rows.filter(state=CheckCalibration.State.DONE)[:FORMER],
    }


def _tables(found: dict[str, Any]) -> dict[str, Any]:
    """What a calibration found, as tables, in percent: by kind of caption, and by each threshold alone.

    `unchanged`: whether the thresholds of then are proposed.
    """
    kinds = [
        {
            "words": KIND_WORDS[kind],
            "right": kind == RIGHT,
            "captions": found["captions"][kind],
            "today": 100 * found["today"]["errors"][kind],
            "proposed": 100 * found["proposed"]["errors"][kind],
        }
        for kind in KIND_WORDS
        if kind in found["captions"]
    ]
    alone = {
        name: [
            {
                "threshold": row["threshold"],
                "right": 100 * row[RIGHT],
                "wrong": 100 * sum(row["wrong"].values()) / len(row["wrong"]),
            }
            for row in found[name]
        ]
        for name in ("by_similarity", "by_kept")
    }
    then, proposed = ([found[when][which] for which in ("similarity", "kept")] for when in ("today", "proposed"))
    return {"kinds": kinds, "unchanged": then == proposed, **alone}


@lead_act("calibration")
def start(request: HttpRequest, member: Membership) -> None:
    """Have a worker calibrate; owners and leads only."""
    ask_on_page(request, ask_for_calibration(member=member))


@lead_act("calibration")
def adopt(request: HttpRequest, member: Membership, calibration_id: int) -> str:
    """Make the proposed thresholds the collection's settings; owners and leads only."""
    calibrate.adopt(calibration=get_object_or_404(member.collection.check_calibrations, pk=calibration_id))
    return _("The proposed thresholds hold for captions that are checked from now on.")
