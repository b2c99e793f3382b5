"""Judging by a model on a server: what its job does, and how one is begun."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.machine_judges.judges import declare_judge, refuse_retired
from annotation.machine_judges.server.asking import AskingServer
from annotation.machine_judges.server.costs import terms_typed
from annotation.machine_judges.server.declared import Declared, chat_of
from annotation.machine_judges.server.pairs import Scope, left_in, pairs_in, waiting_in
from annotation.machine_judges.server.parameters import DESCRIPTION, MOST_FRAMES, read_parameters
from annotation.machine_judges.server.prompting import PROMPT_VERSIONS
from annotation.machine_judges.server.replies import totals
from annotation.models import MachineJudge, MachineJudging
from foundation.counted import counted
from foundation.infra.advisory_lock import alone_at
from foundation.infra.jobs import JobProgress
from foundation.models import Collection, Membership
from foundation.refused import Busy, FieldsRefused, Refused
from queries.rewriting.llm_settings import llm_settings

SLICE_SECONDS = 600
"""A job goes on in a new task after so long: well below Celery's time limit and the broker's patience."""


def declare_server_judge(
    *,
    collection: Collection,
    member: Membership | None,
    name: str,
    model: str,
    family: str,
    version: str = "",
    prompt_version: str = "",
    guideline: int | None = None,
    frames: int | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> MachineJudge:
    """Declare a model on the collection's LLM server, with the newest guideline and prompt: others are refused.

    Args: frames: pictures of each clip; None: it is sent the clip itself, or told its description. parameters:
        `ServerParameters` by name.
    Raises: Refused, with the fields that won't do; RewriterError where no server is set.
    """
    for field, value in (("prompt_version", prompt_version), ("guideline", guideline)):
        if value:
            raise Refused(_("A model on a server is given the newest prompt and guideline: name neither."), field)
    if frames is not None and not 1 <= frames <= MOST_FRAMES:
        found = {"found": frames, "most": MOST_FRAMES}
        raise FieldsRefused({"frames": _("Found %(found)s, expected from 1 to %(most)s pictures.") % found})
    read = read_parameters(parameters or {})
    if frames is not None and read.sees == DESCRIPTION:
        raise FieldsRefused(
            {"frames": _("Found %(found)s, expected nothing: it sees descriptions.") % {"found": frames}}
        )
    chat = chat_of(llm_settings(collection, model=model.strip() or "?"))
    read = replace(read, server=chat.place)
    return declare_judge(
        collection=collection,
        member=member,
        name=name,
        kind=MachineJudge.Kind.SERVER,
        model=model,
        version=version,
        family=family,
        prompt_version=PROMPT_VERSIONS[read.sees],
        guideline=collection.guideline_version or None,
        parameters=read.as_json(),
        frames=frames,
    )


@transaction.atomic
def begin_judging(
    *, judge: MachineJudge, member: Membership | None, scope: Scope, typed: Mapping[str, str]
) -> MachineJudging:
    """A job that has a judge on a server asked; the caller sends it.

    Args: typed: prices and limit (`terms_typed`).
    Raises: Refused for another kind, a retired judge, nothing left to judge, and while a job of it is under way.
    """
    MachineJudge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    refuse_retired(judge)
    refuse_no_server(judge)
    if judge.judgings.filter(state__in=MachineJudging.TURN).exists():
        raise Busy(_("A job of this judge is under way. Stop it first, or wait for its end."))
    if not left_in(judge, scope).exists():
        raise Refused(
            _("The clips of the pairs that are left aren't cut yet. Have it judge them when they are.")
            if waiting_in(judge, scope)
            else _("This judge has said something of each of these pairs.")
        )
    prices, limit = terms_typed(Declared.of(judge), typed)
    return MachineJudging.objects.create(
        judge=judge,
        member=member,
        scope=scope.as_json(),
        price_in=prices.sent,
        price_out=prices.answered,
        limit=limit,
    )


def refuse_no_server(judge: MachineJudge) -> None:
    """Raises: Refused for a judge of another kind."""
    if judge.kind != MachineJudge.Kind.SERVER:
        raise Refused(_("This judge is no model on a server: it has nobody to ask."))


def judge_by_server(job: MachineJudging, progress: JobProgress) -> float | None:
    """Have the job's model asked about its pairs: the way of judges of the kind `server`.

    Raises: Refused when nobody can be asked, or at the spending limit; Busy while a job asks the same for another
        judge; JobStopped.
    """
    declared, scope = Declared.of(job.judge), Scope.of(job.scope)
    with alone_at("annotation.machine_judges.server", declared.number, wait=False) as ours:
        if not ours:
            raise Busy(_("Another judge is asking the same right now, and its answers will do for this one."))
        left, total = left_in(job.judge, scope), pairs_in(job.judge, scope).count()
        progress.done = total - left.count()
        progress.note(done=progress.done, total=total)
        asking = AskingServer(job, declared, progress, time.monotonic() + SLICE_SECONDS)
        try:
            ended = asking.run(left)
        finally:
            _note_found(job, asking.unanswered)
    progress.note(done=progress.done)
    if ended:
        raise Refused(ended)
    return 0 if ended is None else None


def _note_found(job: MachineJudging, unanswered: Mapping[int, str]) -> None:
    """Write what came of the job so far, as counts and in words."""
    why = Counter(job.judgments.values_list("abstained", flat=True))
    graded = why.pop("", 0)
    sums = totals(job.replies.all())
    cost = None if sums["cost"] is None else f"{sums['cost']:.4f}"
    job.found = {"graded": graded, "abstained": dict(why), "unanswered": len(unanswered), **sums, "cost": cost}
    words = [f"{counted(graded, 'grade')} and {counted(sum(why.values()), 'abstention')}"]
    words.append(f"{counted(sums['replies'], 'answer')} paid" + (f" with {cost}" if cost else ""))
    if unanswered:
        problem = next(iter(unanswered.values()))
        words.append(f"{counted(len(unanswered), 'pair')} not answered, which another job asks again: {problem}")
    job.said = "; ".join(words)[:1000]
    job.save(update_fields=["found", "said"])
