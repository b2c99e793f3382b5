"""What the page of a judge on a server shows before it is asked: pairs left, what they would cost, what was spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from annotation.machine_judges.server.costs import Estimate, are_the_sites, estimate
from annotation.machine_judges.server.declared import Declared
from annotation.machine_judges.server.pairs import TRIAL, Scope, scope_typed
from annotation.machine_judges.server.replies import totals
from annotation.models import MachineJudge, MachineJudgment, MachineReply
from foundation.refused import FieldsRefused
from queries.models.pooling import Split
from queries.rewriting.costs import prices_from
from queries.rewriting.llm_settings import LlmSettings
from queries.rewriting.rewriters.reading import clip

SHOWN = 5
NAMES = ("split", "ranks", "price_in", "price_out", "limit")


@dataclass(frozen=True)
class AskingFacts:
    """`spent`: as `totals`. `odd`: the newest answers without a grade, as their server gave them. `reads`: it is
    told descriptions."""

    estimate: Estimate
    spent: dict[str, Any]
    settings: LlmSettings
    typed: dict[str, str]
    faults: Mapping[str, str]
    odd: list[str]
    judged_some: bool
    """Whether it has said something of as many pairs as a trial has."""
    reads: bool

    @property
    def has_prices_of_its_own(self) -> bool:
        """Whether prices can be typed: those of the site's key are the site's."""
        return not are_the_sites(self.settings)

    @property
    def trial(self) -> int:
        """On how many pairs it would be tried; 0: it needs no trial any more."""
        return 0 if self.judged_some else min(TRIAL, self.estimate.pairs - self.estimate.unseen)

    @property
    def splits(self) -> list[tuple[str, str]]:
        return [("", _("all queries")), *((value, value) for value in Split.values)]


def asking_facts(judge: MachineJudge, typed: Mapping[str, str], faults: Mapping[str, str] | None = None) -> AskingFacts:
    """What is shown for a scope as typed (`scope_typed`); of one that won't do, that of all pairs with its faults."""
    declared = Declared.of(judge)
    found = dict(faults or {})
    try:
        scope = scope_typed(typed)
    except FieldsRefused as refused:
        scope, found = Scope(), {**refused.wrong, **found}
    settings = declared.settings
    return AskingFacts(
        estimate=estimate(declared, scope, prices_from(settings.values)),
        spent=totals(MachineReply.objects.filter(judging__judge=judge)),
        settings=settings,
        typed={name: typed.get(name, "") for name in NAMES},
        faults=found,
        odd=_odd_answers(judge),
        judged_some=judge.judgments.all()[:TRIAL].count() == TRIAL,
        reads=declared.reads,
    )


def _odd_answers(judge: MachineJudge) -> list[str]:
    unread = (MachineJudgment.Abstained.REFUSED, MachineJudgment.Abstained.NONSENSE)
    rows = judge.judgments.filter(abstained__in=unread).exclude(reply=None).order_by("-pk")
    replies = rows.values_list("reply__reply", flat=True)[:SHOWN]
    return [answer for answer in map(_said, replies) if answer]


def _said(reply: Mapping[str, Any]) -> str:
    message = (reply.get("choices") or [{}])[0].get("message") or {}
    return clip(str(reply.get("declined") or message.get("refusal") or message.get("content") or ""), 300)
