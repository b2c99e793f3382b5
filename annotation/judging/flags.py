"""Flags: an annotator reports a problem with a pair, the lead answers."""

import uuid
from collections import defaultdict
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.assignment.seat_sql import lock_member
from annotation.assignment.slipped_in import close_flagged, reopen_task, slipped_in_as, slipped_in_spoken_of
from annotation.batches.missing_clips import UNDECIDED
from annotation.batches.transitions import rule_of, settle_batch, settle_pair
from annotation.judging.mails import FLAG_ANSWER
from annotation.models import Batch, Flag, Judgment, Pair, Seat
from annotation.shown_pair import ShownPair
from foundation.mail.outbox import tell
from foundation.models import Collection, Membership
from foundation.refused import Refused


@transaction.atomic
def raise_flag(*, member: Membership, pair_id: uuid.UUID, kind: str, note: str = "") -> Flag:
    """Hold a pair for the lead. The same person's open flag of the same pair is kept, with the newest kind and note.

    Raises: Refused if the pair isn't the annotator's to judge; ValueError for an unknown kind.
    """
    if kind not in Flag.Kind.values:
        raise ValueError(f"found the kind {kind!r}, expected one of {', '.join(Flag.Kind.values)}")
    now = lock_member(member)
    repeat = slipped_in_as(member, pair_id)
    if repeat is not None:
        # What is wrong with it is wrong with its pair, at which who got it as gold never sat.
        close_flagged(repeat=repeat, member=member, now=now)
        pair_id = repeat.pair.public_id
    batch = Batch.objects.select_for_update(no_key=True, of=("self",)).filter(pairs__public_id=pair_id).first()
    if batch is None or (repeat is None and not Seat.objects.filter(batch=batch, annotator=member).exists()):
        raise Refused(_("This clip isn't yours to flag. Reload the page to go on."))
    pair = Pair.objects.get(public_id=pair_id)
    flag, _created = Flag.objects.update_or_create(
        pair=pair,
        annotator=member,
        answered_at=None,
        defaults={"kind": kind, "note": note.strip()[:2000], "raised_at": now},
    )
    return flag


@transaction.atomic
def answer_flag(*, member: Membership, flag_id: int, outcome: str, answer: str = "") -> Flag:
    """Answer a flag: send the pair back to judging, or withdraw it.

    Every open flag of the pair gets the same answer. A pair that was taken out has no grade, is in no release, and
    doesn't hold up its batch.

    Raises: Refused if it was answered otherwise already, the outcome is unknown, or the batch was reviewed.
    """
    if outcome not in Flag.Outcome.values:
        raise Refused(
            _("found the outcome %(outcome)s, expected one of %(values)s")
            % {"outcome": repr(outcome), "values": ", ".join(Flag.Outcome.values)}
        )
    flags = Flag.objects.filter(pk=flag_id, annotator__collection=member.collection_id).select_related("pair")
    flag = flags.first()
    if flag is None:
        raise Refused(_("There is no such flag in this collection."))
    batch = Batch.objects.select_for_update(no_key=True).get(pk=flag.pair.batch_id)
    flag = flags.get()
    if flag.answered_at is not None:
        if flag.outcome == outcome:
            return flag
        raise Refused(_("This flag was answered already: %(outcome)s.") % {"outcome": flag.get_outcome_display()})
    if outcome == Flag.Outcome.WITHDRAWN and hasattr(batch, "review"):
        raise Refused(_("This query's batch was reviewed with the pair in it, so the pair stays."))
    standing = list(flag.pair.flags.filter(answered_at__isnull=True).select_related("annotator"))
    Flag.objects.filter(pk__in=[same.pk for same in standing]).update(
        outcome=outcome, answer=answer.strip()[:2000], answered_by=member, answered_at=timezone.now()
    )
    for same in standing:
        if answer.strip():
            tell(FLAG_ANSWER, [same.annotator.account_id], collection=member.collection, flag=same.pk)
        slipped_in = slipped_in_spoken_of(same.annotator, same.pair_id, same.raised_at)
        if slipped_in is not None and outcome == Flag.Outcome.RETURNED:
            # It comes again, as a pair does that goes back to judging.
            reopen_task(repeat=slipped_in, member=same.annotator)
    if outcome == Flag.Outcome.WITHDRAWN:
        Pair.objects.filter(pk=flag.pair_id).update(status=Pair.Status.WITHDRAWN, grade=None, version=F("version") + 1)
        settle_batch(batch.pk)
    return flags.get()


def read_flag_answer(*, member: Membership, flag_id: int) -> None:
    """Mark the answer to the annotator's flag as read. Repeating it changes nothing."""
    member.flags.filter(pk=flag_id, answered_at__isnull=False, read_at__isnull=True).update(read_at=timezone.now())


@transaction.atomic
def withdraw_without_clip(*, member: Membership, pair_id: int) -> Pair:
    """Withdraw a pair whose clip can't be cut: the lead flags it, and answers. Repeating it changes nothing.

    Raises: Refused if its clip is there, it is decided, or its batch was reviewed; nothing was changed.
    """
    _hold_batch_of(pair_id, member)
    pair = Pair.objects.select_related("candidate__moment__clip").get(pk=pair_id)
    if pair.status == Pair.Status.WITHDRAWN:
        return pair
    if pair.status not in UNDECIDED:
        raise Refused(_("This pair is decided already, so it stays."))
    clip = getattr(pair.candidate.moment, "clip", None)
    if clip is not None and clip.ready:
        raise Refused(_("This pair's clip is there now, so the pair can be judged."))
    note = clip.problem[:2000] if clip is not None else ""
    flag, _created = Flag.objects.update_or_create(
        pair=pair, annotator=member, answered_at=None, defaults={"kind": Flag.Kind.CLIP, "note": note}
    )
    answer_flag(member=member, flag_id=flag.pk, outcome=Flag.Outcome.WITHDRAWN)
    pair.refresh_from_db()
    return pair


@transaction.atomic
def return_pair(*, member: Membership, pair_id: int) -> Pair:
    """Restore a withdrawn pair: its judgments decide its state again.

    Raises: Refused if its batch has been reviewed since.
    """
    batch = _hold_batch_of(pair_id, member)
    if hasattr(batch, "review"):
        raise Refused(_("This query's batch has been reviewed since, so the pair stays out."))
    pair = Pair.objects.get(pk=pair_id)
    if pair.status == Pair.Status.WITHDRAWN:
        pair.status = Pair.Status.OPEN
        pair.save(update_fields=["status"])
        settle_pair(pair, rule_of(member.collection))
        settle_batch(batch.pk)
    return pair


def _hold_batch_of(pair_id: int, member: Membership) -> Batch:
    batches = Batch.objects.select_for_update(of=("self",), no_key=True)
    batch = batches.filter(pairs=pair_id, collection_id=member.collection_id).first()
    if batch is None:
        raise Refused(_("There is no such pair in this collection."))
    return batch


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedPair(ShownPair):
    """An open flag's pair as the lead sees it, with everything said about it."""

    flag: Flag
    caption: str | None
    others: list[Flag]
    judgments: list[int]


def open_flags(collection: Collection) -> list[FlaggedPair]:
    """Pairs that wait for the lead, one entry a pair, the oldest flag first. Four SQL queries."""
    flags = (
        Flag.objects.filter(annotator__collection=collection, answered_at__isnull=True)
        .select_related("annotator", "pair__batch__query", "pair__candidate__moment__video")
        .select_related("pair__candidate__moment__clip")
        .order_by("pk")
    )
    by_pair, grades = defaultdict[int, list[Flag]](list), defaultdict[int, list[int]](list)
    for flag in flags:
        by_pair[flag.pair_id].append(flag)
    for pair, grade in Judgment.objects.filter(pair__in=by_pair, counted=True).values_list("pair_id", "grade"):
        grades[pair].append(grade)
    return [
        FlaggedPair.of(
            first.pair,
            flag=first,
            caption=first.pair.candidate.caption_text or None,
            others=others,
            judgments=grades[first.pair_id],
        )
        for first, *others in by_pair.values()
    ]


def answered_flags(collection: Collection) -> QuerySet[Flag]:
    """Flags that the lead has answered, newest first."""
    return (
        Flag.objects.filter(annotator__collection=collection, answered_at__isnull=False)
        .select_related("annotator", "answered_by", "pair__batch__query")
        .order_by("-answered_at", "-pk")
    )
