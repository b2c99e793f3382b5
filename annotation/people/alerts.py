"""Alerts about an annotator's work, each with its reason and named threshold. Pure.

Alerts are told from recent figures (`RECENT_DAYS`), so that what was put right stops being told. None of them decides
anything. Reasons are in the reader's language.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

RECENT_DAYS = 28
ENOUGH = 50
"""Recent judgments, or meetings with partners, below which a share says nothing."""
TOO_SOON_SHARE = 0.02
"""Share of grades given before the clip could have played: one in fifty can't be clock errors."""
TIMES_FASTER = 2.5
"""Judgments an hour beside the median person's: the fastest honest people are about twice as fast."""
BIAS = 0.5
"""Mean difference from partners, in units of the scale: half a grade moves every other consensus, since means are
rounded up."""
LOW_KAPPA = 0.4
"""Quadratic-weighted kappa with all partners: below it agreement is called fair at best (Landis and Koch 1977)."""
LOW_SELF = 0.8
"""Share of repeats within one grade of the first one: below it, somebody is guessing."""
FEWEST_REPEATS = 10
GOLD_MISSED = 0.8
"""Share of gold within the rule's tolerance: below it, every fifth grade would start a dispute with the known one."""
FEWEST_GOLD = 10
BARELY_SHARE = 0.9
"""Judgments given as soon as the page allowed: some are natural, nearly all mean that nobody watches to the end."""
SILENT_DAYS = 3
"""Days without a judgment after sitting down at a batch that still waits."""
DISMISSED_DAYS = 28
"""How long a dismissed alert doesn't show: until its figures come from other judgments."""

NAMES = {
    "fast": gettext_lazy("Very fast"),
    "runs": gettext_lazy("Fast runs of one grade"),
    "bias": gettext_lazy("Harsh or lenient"),
    "kappa": gettext_lazy("Low agreement with partners"),
    "self": gettext_lazy("Low agreement with themselves"),
    "gold": gettext_lazy("Gold missed"),
    "played": gettext_lazy("Clips barely seen"),
    "silence": gettext_lazy("Silent in a seat"),
}


@dataclass(frozen=True, slots=True)
class PersonAlert:
    """An alert: its kind (a key of NAMES) and the reason in words, with figure and threshold."""

    kind: str
    reason: str

    @property
    def name(self) -> Promise:
        return NAMES[self.kind]


def median_pace(people: list[Mapping[str, Any]]) -> float | None:
    """The median of everybody's recent judgments an hour; None with fewer than three people to compare."""
    paces = sorted(person["recent"]["per_hour"] for person in people if person["recent"]["per_hour"])
    if len(paces) < 3:
        return None
    middle = len(paces) // 2
    return float(paces[middle]) if len(paces) % 2 else (paces[middle - 1] + paces[middle]) / 2


def alerts_of(
    person: Mapping[str, Any], *, pace: float | None, runs: int = 0, silent_days: float | None = None, unit: int = 1
) -> list[PersonAlert]:
    """The alerts about one person, gravest first.

    Args:
        person: `PersonStatistics` as JSON, `self_agreement` (its function's figures, or None), `gold` of who had some.
        pace: the collection's median judgments an hour.
        runs: fast runs of one grade that are recent.
        unit: how far grades lie apart that are near each other (`grade_classes.unit_of`).
        silent_days: days since the last sign of life at a batch where a seat was taken and work waits; None for none.
    """
    recent = person["recent"]
    return [
        *_too_fast(recent, pace, runs),
        *_apart_from_partners(recent, BIAS * unit),
        *_gold_missed(person.get("gold")),
        *_apart_from_self(person.get("self_agreement"), unit),
        *_barely_played(recent),
        *_silent(silent_days),
    ]


def _too_fast(recent: Mapping[str, Any], pace: float | None, runs: int) -> list[PersonAlert]:
    alerts, judgments = [], recent["judgments"]
    reasons = []
    if judgments >= ENOUGH and recent["too_soon"] / judgments > TOO_SOON_SHARE:
        share = recent["too_soon"] / judgments
        reasons.append(
            _("%(share)s %% of %(count)s grades came sooner than the clip could have played (over %(limit)s %%)")
            % {"share": f"{100 * share:.1f}", "count": f"{judgments:,}", "limit": f"{100 * TOO_SOON_SHARE:.0f}"}
        )
    if judgments >= ENOUGH and pace and recent["per_hour"] and recent["per_hour"] > TIMES_FASTER * pace:
        reasons.append(
            _("%(pace)s judgments an hour are %(times)s times the median of %(median)s (over %(limit)s)")
            % {
                "pace": f"{recent['per_hour']:,}",
                "times": f"{recent['per_hour'] / pace:.1f}",
                "median": f"{pace:,.0f}",
                "limit": TIMES_FASTER,
            }
        )
    if reasons:
        alerts.append(PersonAlert("fast", "; ".join(reasons)))
    if runs:
        reason = ngettext(
            "%(count)s time ten or more equal grades at double pace",
            "%(count)s times ten or more equal grades at double pace",
            runs,
        )
        alerts.append(PersonAlert("runs", reason % {"count": runs}))
    return alerts


def _apart_from_partners(recent: Mapping[str, Any], bias: float) -> list[PersonAlert]:
    met = recent["compared"]
    if met < ENOUGH:
        return []
    alerts = []
    gap = recent["difference"]
    if abs(gap) >= bias:
        sentence = (
            _("%(gap)s from partners over %(count)s comparisons: lenient (from ±%(limit)s)")
            if gap > 0
            else _("%(gap)s from partners over %(count)s comparisons: harsh (from ±%(limit)s)")
        )
        values = {"gap": f"{gap:+.2f}".replace("-", "−"), "count": f"{met:,}", "limit": bias}
        alerts.append(PersonAlert("bias", sentence % values))
    if recent["weighted"] is not None and recent["weighted"] < LOW_KAPPA:
        sentence = _("weighted κ %(kappa)s over %(count)s comparisons (below %(limit)s)")
        values = {"kappa": f"{recent['weighted']:.3f}", "count": f"{met:,}", "limit": LOW_KAPPA}
        alerts.append(PersonAlert("kappa", sentence % values))
    return alerts


def _apart_from_self(own: Mapping[str, Any] | None, unit: int) -> list[PersonAlert]:
    if not own or own["repeats"] < FEWEST_REPEATS or own["within_one"] >= LOW_SELF:
        return []
    sentence = _("%(share)s %% of %(count)s repeats within one grade (below %(limit)s %%)")
    if unit > 1:
        sentence = _("%(share)s %% of %(count)s repeats within %(unit)s (below %(limit)s %%)")
    values = {"share": f"{100 * own['within_one']:.0f}", "count": own["repeats"], "limit": f"{100 * LOW_SELF:.0f}"}
    values["unit"] = unit
    return [PersonAlert("self", sentence % values)]


def _gold_missed(gold: Mapping[str, Any] | None) -> list[PersonAlert]:
    if not gold:
        return []
    recent, drift, reasons = gold["recent"], gold["drift"], []
    if recent and recent["answered"] >= FEWEST_GOLD and recent["within"] < GOLD_MISSED:
        sentence = _("%(share)s %% of %(count)s gold pairs within the rule's tolerance (below %(limit)s %%)")
        values = {"share": f"{100 * recent['within']:.0f}", "limit": f"{100 * GOLD_MISSED:.0f}"}
        reasons.append(sentence % {**values, "count": recent["answered"]})
    if drift["began"] is not None:
        drifts = _("grades of gold drift: lenient") if drift["lenient"] else _("grades of gold drift: harsh")
        reasons.append(drifts)
    return [PersonAlert("gold", "; ".join(reasons))] if reasons else []


def _barely_played(recent: Mapping[str, Any]) -> list[PersonAlert]:
    share = recent["barely_played"]
    if recent["judgments"] < ENOUGH or share is None or share <= BARELY_SHARE:
        return []
    sentence = _("%(share)s %% of clips seen no further than needed (over %(limit)s %%)")
    return [PersonAlert("played", sentence % {"share": f"{100 * share:.0f}", "limit": f"{100 * BARELY_SHARE:.0f}"})]


def _silent(days: float | None) -> list[PersonAlert]:
    if days is None or days < SILENT_DAYS:
        return []
    sentence = _("took a seat and has been silent for %(days)s days (from %(limit)s); work waits")
    return [PersonAlert("silence", sentence % {"days": f"{days:.0f}", "limit": SILENT_DAYS})]
