"""Machine judges declared and retired, and what they say stored: once, and never otherwise."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import MachineJudge, MachineJudging, MachineJudgment
from foundation.counted import counted
from foundation.infra.job_control import stop_job
from foundation.infra.jobs import as_sentence
from foundation.infra.set_based_sql import copy_rows
from foundation.models import Collection, Membership
from foundation.refused import FieldsRefused, Refused
from foundation.text import UNSTORABLE, composed, is_seen

AT_ONCE = 2000
"""Judgments that are stored in one transaction."""
LONGEST_PARAMETERS = 20_000
"""Characters, as JSON."""
FACTS = ("kind", "model", "version", "family", "prompt_version", "guideline", "parameters", "frames")
"""What a judge is, beside its name: none of it ever changes."""


class MachineGrade(NamedTuple):
    """What a judge says of a candidate.

    `grade` from 0 on, None where it abstained. `distribution`: the probability of each grade from 0 to the top, which
    sum to 1; None: it told none. `abstained`: a `MachineJudgment.Abstained`, "" where there is a grade. `reply`: the
    key of its `MachineReply`, if it is of one.
    """

    candidate: int
    grade: int | None = None
    distribution: tuple[float, ...] | None = None
    abstained: str = ""
    reply: int | None = None

    @property
    def word(self) -> tuple[int | None, tuple[float, ...] | None, str]:
        """What it comes to: the same said twice is one judgment."""
        return self.grade, self.distribution, self.abstained


class WordChanged(Refused):
    """A judge says otherwise than before; `candidates`: of which."""

    def __init__(self, candidates: Sequence[int]) -> None:
        self.candidates = candidates
        pairs = counted(len(candidates), "pair")
        super().__init__(
            _("Of %(pairs)s the judge has said something else before. A changed judge is another one: declare it.")
            % {"pairs": pairs}
        )


def declare_judge(
    *,
    collection: Collection,
    member: Membership | None,
    name: str,
    kind: str,
    model: str,
    family: str,
    version: str = "",
    prompt_version: str = "",
    guideline: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    frames: int | None = None,
) -> MachineJudge:
    """Declare a judge, or return the one of this name where it is the same in everything.

    Args: kind: one of `MachineJudge.Kind`; the others as the model's fields say.
    Raises: Refused, with the fields that won't do; for a name that another judge has, or a retired one.
    """
    facts = {
        "kind": kind,
        "model": _line(model),
        "version": _line(version),
        "family": _line(family),
        "prompt_version": _line(prompt_version),
        "guideline": guideline,
        "parameters": _storable(parameters or {}),
        "frames": frames,
    }
    judge = MachineJudge(collection=collection, member=member, name=_line(name), **facts)
    try:
        judge.full_clean(exclude=["collection", "member", "parameters"], validate_constraints=False)
        _refuse_unknown_guideline(judge)
    except ValidationError as error:
        raise FieldsRefused(
            {name: as_sentence(" ".join(texts)) for name, texts in error.message_dict.items()}
        ) from error
    standing, ours = MachineJudge.objects.get_or_create(
        collection=collection, name=judge.name, defaults={"member": member, **facts}
    )
    if not ours:
        refuse_retired(standing)
        others = [fact for fact in FACTS if getattr(standing, fact) != facts[fact]]
        if others:
            found = {"name": standing.name, "facts": ", ".join(others)}
            raise Refused(
                _(
                    "A judge “%(name)s” is declared already, with another %(facts)s. "
                    "What a judge is never changes: give this one another name."
                )
                % found,
                "name",
            )
    return standing


def _refuse_unknown_guideline(judge: MachineJudge) -> None:
    newest = judge.collection.guideline_version
    if judge.guideline is not None and not 1 <= judge.guideline <= newest:
        found = {"found": judge.guideline, "newest": newest}
        raise FieldsRefused(
            {"guideline": _("Found version %(found)s, expected one that was published: 1 to %(newest)s.") % found}
        )


def retire_judge(*, judge: MachineJudge, by: Membership | None = None) -> None:
    """Have a judge judge no more, for good: its job is stopped, its grades stay. Repeating it is fine."""
    MachineJudge.objects.filter(pk=judge.pk, retired_at=None).update(retired_at=timezone.now())
    judge.refresh_from_db()
    for job in judge.judgings.filter(state__in=MachineJudging.TURN):
        stop_job(job, by=by)


def refuse_retired(judge: MachineJudge) -> None:
    """Raises: Refused for a judge that was retired."""
    if judge.retired_at is not None:
        raise Refused(_("This judge is retired: it judges no more. Declare another one."))


def refuse_files(judge: MachineJudge) -> None:
    """Raises: Refused for a judge that is asked here, or is retired: it takes no grades that were made elsewhere."""
    if judge.kind != MachineJudge.Kind.FILE:
        raise Refused(_("This judge is asked here and takes no grades. Declare another one for those made elsewhere."))
    refuse_retired(judge)


def store_judgments(*, judge: MachineJudge, rows: Iterable[MachineGrade], judging: MachineJudging | None = None) -> int:
    """Store what a judge says; what it has said before stays, and isn't stored again.

    Blocks of `AT_ONCE` are transactions of their own, so that a job that was broken off goes on after them.

    Args: rows: at most one of a candidate, of the judge's collection. judging: the job that they come from.
    Returns: how many are new.
    Raises: WordChanged where the judge said otherwise before, and Refused for a retired one: nothing of the block is
        stored.
    """
    waiting, added = iter(rows), 0
    while block := list(islice(waiting, AT_ONCE)):
        added += _store(judge, block, judging)
    return added


@transaction.atomic
def _store(judge: MachineJudge, rows: Sequence[MachineGrade], judging: MachineJudging | None) -> int:
    # One at a time, so that nobody's word comes between reading and storing.
    refuse_retired(MachineJudge.objects.select_for_update(no_key=True).get(pk=judge.pk))
    standing = {row.candidate: row for row in grades_of(judge, [row.candidate for row in rows])}
    changed = [row.candidate for row in rows if row.candidate in standing and standing[row.candidate].word != row.word]
    if changed:
        raise WordChanged(changed)
    return copy_rows(
        MachineJudgment(
            judge=judge,
            candidate_id=row.candidate,
            grade=row.grade,
            distribution=None if row.distribution is None else list(row.distribution),
            abstained=row.abstained,
            reply_id=row.reply,
            judging=judging,
        )
        for row in rows
        if row.candidate not in standing
    )


def grades_of(judge: MachineJudge, candidates: Sequence[int] | None = None) -> Iterator[MachineGrade]:
    """What a judge has said, in the order of its candidates' keys. Args: candidates: of these alone; None: of all."""
    rows = judge.judgments.all() if candidates is None else judge.judgments.filter(candidate__in=candidates)
    values = rows.order_by("candidate").values_list("candidate", "grade", "distribution", "abstained", "reply")
    for candidate, grade, distribution, abstained, reply in values.iterator():
        told = None if distribution is None else tuple(distribution)
        yield MachineGrade(candidate, grade, told, abstained, reply)


def _storable(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as PostgreSQL keeps them. Raises: FieldsRefused."""
    try:
        written = json.dumps(parameters, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        written = ""
    if not 2 <= len(written) <= LONGEST_PARAMETERS or UNSTORABLE.search(written) or r"\u0000" in written:
        expected = {"most": f"{LONGEST_PARAMETERS:,}"}
        raise FieldsRefused(
            {
                "parameters": _("Enter a JSON object of at most %(most)s characters, of texts and finite numbers.")
                % expected
            }
        )
    return dict(parameters)


def _line(text: str) -> str:
    """A typed text as one line; what shows nothing is empty."""
    return " ".join(composed(UNSTORABLE.sub("", text)).split()) if is_seen(text) else ""
