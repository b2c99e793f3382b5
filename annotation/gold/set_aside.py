"""Judgments since the last good gold, taken out of consensus by one decision, so that others judge their pairs."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.assignment.seat_sql import lock_member
from annotation.batches.transitions import hold_batches, recount
from annotation.models import Adjudication, Assignment, Judgment, Pair, Repeat, Review, Seat, SetAside
from annotation.people.status import hold_annotator
from annotation.review.decisions import take_back_finishes
from foundation.models import Membership
from foundation.refused import Refused

Taken = tuple[int, int, int]
"""A judgment, its batch and its query."""


@dataclass(frozen=True, slots=True)
class Affected:
    """Somebody's counted judgments since a moment: of batches that go on, of `finished` ones, and how many stay: of
    batches that were extended, and of pairs that the lead withdrew or adjudicated or that are gold themselves."""

    going_on: list[Taken]
    finished: list[Taken]
    stay: int


def judgments_since(member: Membership, since: datetime | None) -> Affected:
    """What a decision would take out. One SQL query. Args: since: None for all of them."""
    standing = Review.objects.filter(batch=OuterRef("pair__batch"))
    firm = (
        Q(pair__status=Pair.Status.WITHDRAWN)
        | Exists(standing.filter(decision=Review.Decision.EXTEND))
        | Exists(Adjudication.objects.filter(pair=OuterRef("pair"), withdrawn_at=None))
        | Exists(Repeat.objects.filter(pair=OuterRef("pair"), gold__isnull=False))
    )
    rows = Judgment.objects.filter(annotator=member, counted=True)
    if since is not None:
        rows = rows.filter(given_at__gt=since)
    going_on, finished, stay = list[Taken](), list[Taken](), 0
    columns = ("pk", "pair__batch", "pair__batch__query", "pair__batch__status", "firm")
    for pk, batch, query, status, stays in rows.alias().annotate(firm=firm).order_by("pk").values_list(*columns):
        if stays:
            stay += 1
        else:
            (finished if status in ("finished", "extended") else going_on).append((pk, batch, query))
    return Affected(going_on, finished, stay)


@transaction.atomic
def set_aside(
    *, lead: Membership, member_id: int, since: datetime | None, reason: str, seen: int, finished: bool = False
) -> SetAside:
    """Take somebody's judgments since a moment out of consensus; others are given their pairs. Pay stays.

    Args: seen: how many judgments it takes out, as the lead was told. finished: those of finished batches as well;
        their reviews are taken back.

    Raises: Refused without a reason, where their number has changed, or there are none; nothing was changed.
    """
    reason = reason.strip()
    if not reason:
        raise Refused(_("Give a reason: it is recorded with the decision."), "reason")
    member = hold_annotator(lead, member_id)
    if member.collection.archived_at is not None:
        raise Refused(_("The collection is archived: restore it first."))
    affected = judgments_since(member, since)
    taken = affected.going_on + (affected.finished if finished else [])
    if not taken or len(taken) != seen:
        raise Refused(_("Their number has changed since it was shown. Look again; nothing was decided."))
    now = lock_member(member)
    batches = hold_batches({batch for _pk, batch, _query in taken})
    take_back_finishes(member=lead, batches=batches)
    recount(member.collection, [pk for pk, _batch, _query in taken], because=Judgment.Uncounted.SET_ASIDE)
    Seat.objects.filter(annotator=member, batch__in=batches, ended_at=None).update(ended_at=now)
    return SetAside.objects.create(
        member=member,
        since=since or member.joined_at,
        reason=reason[:2000],
        judgments=[pk for pk, _batch, _query in taken],
        barred=_bar(member, {query for _pk, _batch, query in taken}),
        decided_by=lead,
        decided_at=now,
    )


@transaction.atomic
def withdraw_set_aside(*, lead: Membership, set_aside_id: int) -> SetAside:
    """Let judgments count again whose pairs nobody has judged since; those of the others stay out.

    Reviews that were taken back stay so: the batches wait for the lead. Repeating it changes nothing.

    Raises: Refused for none of that number.
    """
    decisions = SetAside.objects.filter(pk=set_aside_id, member__collection=lead.collection_id)
    decision = decisions.first()
    if decision is None:
        raise Refused(_("There is no such decision in this collection."))
    member = hold_annotator(lead, decision.member_id)
    decision = decisions.select_for_update(of=("self",)).get()
    if decision.withdrawn_at is not None:
        return decision
    again = list(restorable(decision).values_list("pk", flat=True))
    recount(member.collection, again, because="")
    out = Judgment.objects.filter(pk__in=decision.judgments, counted=False).values("pair__batch__query")
    Assignment.objects.filter(pk__in=decision.barred).exclude(query__in=out).delete()
    decision.withdrawn_by, decision.withdrawn_at, decision.restored = lead, timezone.now(), len(again)
    decision.save(update_fields=["withdrawn_by", "withdrawn_at", "restored"])
    return decision


def restorable(decision: SetAside) -> QuerySet[Judgment]:
    """The judgments of a decision that would count again: nobody has judged, reviewed or ruled about their pair
    since."""
    newer = Judgment.objects.filter(pair=OuterRef("pair"), given_at__gt=decision.decided_at)
    ruled = Adjudication.objects.filter(pair=OuterRef("pair"), withdrawn_at=None)
    out = Judgment.objects.filter(pk__in=decision.judgments, uncounted_because=Judgment.Uncounted.SET_ASIDE)
    return out.filter(~Exists(newer), ~Exists(ruled), pair__batch__review=None).exclude(
        pair__status=Pair.Status.WITHDRAWN
    )


def _bar(member: Membership, queries: set[int]) -> list[int]:
    """Whose judgments were taken out isn't given their queries again."""
    standing = Assignment.objects.filter(query__in=queries, annotator=member)
    known = set(standing.values_list("query", flat=True))
    standing.update(rule=Assignment.Rule.BARRED)
    rule = Assignment.Rule.BARRED
    made = [Assignment(query_id=query, annotator=member, rule=rule) for query in sorted(queries - known)]
    return [assignment.pk for assignment in Assignment.objects.bulk_create(made)]
