"""Record a judgment, and update its pair and batch.

The states and who may change them: `annotation/batches/states.md`.
"""

import uuid
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.assignment.next_tasks import Task, has_withdrawn, tasks_at_hand
from annotation.assignment.seat_sql import lock_member, seat_expiry
from annotation.assignment.slipped_in import gives_any, keep_answer, slipped_in_as, standing_before, was_used_elsewhere
from annotation.batches.transitions import hold_batch, rule_of, settle_batch, settle_pair
from annotation.batches.webhook_events import note_discarded
from annotation.consensus import Rule, needed_in, state_of
from annotation.factors.answers import checked_answers
from annotation.factors.declared import asked_in
from annotation.judging.evidence import kinds_used
from annotation.judging.gold_feedback import tell_known, told_with
from annotation.judging.judgment_sql import (
    Beside,
    JudgmentContext,
    TargetPair,
    begin_clock,
    judgment_context,
    keep_judgment,
    move_clock,
)
from annotation.judging.marked_span import in_video
from annotation.judging.paid_time import Booking, ClockState, book, is_too_soon
from annotation.judging.requests import NewJudgment
from annotation.judging.watched_clip import graded_before, refuse_bad_grade
from annotation.models import Batch, Factor, Judgment, Pair, RepeatAnswer, Seat
from annotation.span_consensus import Span
from corpus.models import Clip
from foundation.access.guards import WITHDREW
from foundation.models import Collection, Membership
from foundation.refused import Refused

TRIES = 8
"""A pair has a handful of judges at most: more conflicts than this mean a fault, not other people."""

NOT_YOURS = gettext_lazy("This clip isn't yours to judge. Reload the page to go on.")


class BadSpan(ValueError):
    """The marked start and end can't be the clip's; the message says what was found and expected."""


Outcome = Literal["counted", "late", "second", "already", "repeat"]

ANOTHER_CLIP = gettext_lazy("This request belongs to another clip. Reload the page and judge this one again.")
LATE = gettext_lazy("Somebody else has judged that clip meanwhile. Your judgment is kept, but doesn't count.")


@dataclass(frozen=True, slots=True)
class JudgmentResult:
    """What became of a judgment: counted; kept uncounted because it came too late, or second to the same person's grade
    of that pair; there already; or kept apart as the answer to a hidden repeat or gold.

    `tasks` are what the annotator has at hand now; None when that has to be looked up by `next_tasks`. `stands`: the
    grade that counts in place of a second one. `known`: what is told of gold whose last was answered.
    """

    outcome: Outcome
    tasks: list[Task] | None = None
    stands: int | None = None
    known: str = ""

    def message(self, collection: Collection) -> str:
        """What the annotator has to know of it; "" where it counts."""
        if self.stands is not None:
            return graded_before(collection, self.stands)
        return str(LATE) if self.outcome == "late" else ""


def give_judgment(*, member: Membership, sent: NewJudgment) -> JudgmentResult:
    """Keep an annotator's grade of a pair, and decide the pair if that completes a round.

    Reads, decides, and writes under the condition that the pair is still as it was read: two statements, and no lock
    that others would wait for. Whoever was overtaken looks again.

    Raises: Refused if the pair isn't the annotator's to judge, or too little of the clip was seen; BadSpan, BadFactors.
    """
    rule = rule_of(member.collection)
    for tried in range(TRIES):
        if tried and has_withdrawn(member):
            raise Refused(WITHDREW)
        context = judgment_context(member, rule, sent.pair, sent.key)
        if context.earlier is not None:
            if context.earlier != sent.pair:
                raise Refused(ANOTHER_CLIP)
            return _as_it_was_kept(member, sent)
        if gives_any(member.collection) and was_used_elsewhere(member, sent.key, sent.pair):
            raise Refused(ANOTHER_CLIP)
        if context.target is not None:
            result = _judge_pair(member, rule, sent, context, context.target)
        else:
            result = _judge_repeat(member, sent, context)
        if result is not None:
            return result
    raise Refused(_("Others are judging that clip right now. Judge it again; nothing else was lost."))


def _as_it_was_kept(member: Membership, sent: NewJudgment) -> JudgmentResult:
    """What the first answer to a judgment said, which may have been lost on its way."""
    judgment = member.judgments.get(key=sent.key)
    if judgment.uncounted_because == Judgment.Uncounted.LATE:
        return JudgmentResult("late")
    return _unless_second("already", grade_before(judgment))


def _unless_second(outcome: Outcome, first: Judgment | RepeatAnswer | None) -> JudgmentResult:
    return JudgmentResult(outcome) if first is None else JudgmentResult("second", stands=first.grade)


def grade_before(judgment: Judgment) -> Judgment | None:
    """The same person's judgment of the pair that counts, and counted when this one was given."""
    same = Judgment.objects.filter(pair=judgment.pair_id, annotator=judgment.annotator_id)
    return same.filter(counted=True, pk__lt=judgment.pk).first()


def _judge_pair(
    member: Membership, rule: Rule, sent: NewJudgment, context: JudgmentContext, target: TargetPair
) -> JudgmentResult | None:
    """Record the judgment of a pair as it was read; None if the pair has changed since."""
    # Whoever never sat at the batch was never sent the pair.
    if target.served_at is None:
        raise Refused(NOT_YOURS)
    refuse_bad_grade(member.collection, sent.grade, sent.played)
    because = ""
    if member.pk in target.judges:
        because = Judgment.Uncounted.SECOND
    elif len(target.grades) >= needed_in(target.status, rule):
        because = Judgment.Uncounted.LATE
    state, grade = (target.status, None) if because else state_of([*target.grades, sent.grade], rule)
    changed = state != target.status
    if context.clock is None:
        begin_clock(member, target.served_at)
        return None
    booking = _booking(member, sent, context, context.clock, target.served_at, target.clip_seconds)
    keep = partial(
        keep_judgment,
        sent,
        target,
        booking,
        member=member,
        read=context.clock,
        now=context.now,
        round=1 if len(target.grades) < rule.first_round else 2,
        because=because,
        too_soon=is_too_soon(
            decided_at=booking.decided_at,
            previous=context.previous,
            active_seconds=sent.active_seconds,
            clip_seconds=target.clip_seconds if member.collection.has_clips else None,
            fraction=member.collection.played_fraction,
        ),
        new_state=(state, grade) if changed else None,
        used=kinds_used(member.collection, sent.used),
        beside=Beside(
            _span(member.collection, sent, target.pair_id, target.clip_seconds),
            {factor.pk: value for factor, value in _factors(member.collection, sent).items()},
        ),
    )
    if changed and (state == Pair.Status.DISCARDED or not target.others_left):
        # The last pair of the round takes its batch along, or nothing is written.
        with transaction.atomic():
            hold_batch(target.batch)
            kept = keep()
            if kept and state == Pair.Status.DISCARDED:
                note_discarded(target.pair_id)
            if kept and not target.others_left:
                settle_batch(target.batch)
    else:
        kept = keep()
    if not kept:
        return None
    if because:
        return _as_it_was_kept(member, sent)
    # With a round, the seats at its batch have ended.
    ended = target.batch if changed and not target.others_left else None
    return JudgmentResult(
        "counted", tasks_at_hand(member, [sitting for sitting in context.sittings if sitting.batch != ended])
    )


def _span(collection: Collection, sent: NewJudgment, pair_id: int, clip_seconds: float | None) -> Span | None:
    """What was marked, in seconds of the video. One SQL query where something was, none otherwise."""
    # Where marking was switched off meanwhile, the grade is no worse for it.
    if sent.span is None or collection.span_agreement is None or not collection.has_clips:
        return None
    if sent.grade == 0:
        raise BadSpan("found a span with the grade 0, expected none: nothing fits")
    start, end = Pair.objects.values_list("candidate__moment__start", "candidate__moment__end").get(pk=pair_id)
    try:
        return in_video(sent.span, moment=Span(start, end), clip_seconds=clip_seconds)
    except ValueError as error:
        raise BadSpan(str(error)) from error


def _factors(collection: Collection, sent: NewJudgment) -> dict[Factor, int | None]:
    """What was answered to the collection's factors. One SQL query where there are any, none otherwise."""
    return checked_answers(collection, asked_in(collection), sent.grade, sent.factors)


def _judge_repeat(member: Membership, sent: NewJudgment, context: JudgmentContext) -> JudgmentResult | None:
    """Record the answer to a hidden repeat or gold, which decides nothing."""
    repeat = slipped_in_as(member, sent.pair)
    if repeat is None:
        raise Refused(NOT_YOURS)
    kept_before = repeat.answers.filter(key=sent.key).first()
    if kept_before is not None:
        known = told_with(kept_before, kept_before.given_at)
        return replace(_unless_second("already", standing_before(kept_before)), known=known)
    refuse_bad_grade(member.collection, sent.grade, sent.played)
    # The mark isn't kept, but what is refused elsewhere is refused here, in its order; its clip bounds its time.
    clips = Clip.objects.filter(moment=repeat.pair.candidate.moment_id)
    clip_seconds = clips.values_list("duration", flat=True).first()
    _span(member.collection, sent, repeat.pair_id, clip_seconds)
    factors = {factor.key: value for factor, value in _factors(member.collection, sent).items()}
    if context.clock is None:
        begin_clock(member, repeat.slipped_in_at)
        return None
    booking = _booking(member, sent, context, context.clock, repeat.slipped_in_at, clip_seconds)
    with transaction.atomic():
        answer = keep_answer(
            repeat=repeat,
            member=member,
            grade=sent.grade,
            key=sent.key,
            played=sent.played,
            factors=factors or None,
            active_seconds=booking.active_seconds,
            used=kinds_used(member.collection, sent.used),
            decided_at=booking.decided_at,
            now=context.now,
        )
        if answer is not None and not move_clock(member, context.clock, booking.clock):
            # No stretch of time is work on two of them: with the clock as it is now, once more.
            transaction.set_rollback(True)
            return None
        if answer is None:
            return None
        known = tell_known(answer, member.collection, context.now)
    return replace(_unless_second("repeat", standing_before(answer)), known=known)


def _booking(
    member: Membership,
    sent: NewJudgment,
    context: JudgmentContext,
    clock: ClockState,
    served_at: datetime,
    clip_seconds: float | None = None,
) -> Booking:
    return book(
        clock,
        served_at=served_at,
        now=context.now,
        said_seconds=sent.active_seconds,
        ago_seconds=sent.waited_seconds(context.now),
        clip_seconds=clip_seconds,
        idle_seconds=member.collection.idle_seconds,
    )


@transaction.atomic
def take_back_last(*, member: Membership, key: uuid.UUID | None = None) -> Judgment:
    """Take back an annotator's last judgment: it is kept, uncounted, and its pair comes again.

    With a `key`, that judgment and no other: a page that doesn't know whether its undo arrived may send it again. Of a
    second grade of a pair, the one that counts in its place.
    Open until somebody else has judged the pair since, or the batch has been reviewed.

    Raises: Refused, saying why.
    """
    now = lock_member(member)
    given = member.judgments.select_related("pair")
    last = newest_judgment(member) if key is None else given.filter(key=key).first()
    if last is None:
        raise Refused(_("There is nothing to take back."))
    if last.uncounted_because == Judgment.Uncounted.SECOND:
        last = grade_before(last) or last
    if not last.counted:
        return last
    # Locked, so that neither a judgment nor a review can come between this look and what follows from the undo.
    batch = Batch.objects.select_for_update(no_key=True).get(pk=last.pair.batch_id)
    pair = Pair.objects.select_for_update(no_key=True).get(pk=last.pair_id)
    if pair.judgments.filter(counted=True, pk__gt=last.pk).exists():
        raise Refused(_("Your last judgment stands: somebody else has judged that clip since."))
    if hasattr(batch, "review"):
        raise Refused(_("Your last judgment stands: its query has been reviewed."))
    if pair.status == Pair.Status.WITHDRAWN:
        raise Refused(_("Your last judgment stands: the lead has taken that clip out."))
    if pair.adjudications.filter(withdrawn_at__isnull=True).exists():
        # In the words of a review: that the pair was in dispute is nothing that its annotators learn.
        raise Refused(_("Your last judgment stands: its query has been reviewed."))
    last.counted, last.uncounted_because = False, Judgment.Uncounted.TAKEN_BACK
    last.taken_back_at = now
    last.save(update_fields=["counted", "uncounted_because", "taken_back_at"])
    settle_pair(pair, rule_of(member.collection))
    reopen_seat(member, pair, now)
    return last


def newest_judgment(member: Membership) -> Judgment | None:
    """The annotator's newest judgment that counts, or that is second to one that does."""
    first = Judgment.objects.filter(
        pair=OuterRef("pair"), annotator=OuterRef("annotator"), counted=True, pk__lt=OuterRef("pk")
    )
    stands = Q(counted=True) | Q(uncounted_because=Judgment.Uncounted.SECOND) & Exists(first)
    return member.judgments.filter(stands).select_related("pair").order_by("-given_at", "-pk").first()


def reopen_seat(member: Membership, pair: Pair, now: datetime) -> None:
    """Reopen the seat from which the judgment was given, at its former place in the order."""
    seats = Seat.objects.filter(batch=pair.batch_id, annotator=member).order_by("-pk")
    # A later one at the same batch takes the pair, where it is still live: nobody has two there.
    seat = seats.filter(ended_at=None).first() or seats.filter(pairs__contains=[pair.pk]).first() or seats.first()
    if seat is None:
        return
    if pair.pk not in seat.pairs:
        seat.pairs.append(pair.pk)
    if seat.ended_at is not None:
        seat.ended_at = None
        seat.expires_at = seat_expiry(member, now)
    seat.save(update_fields=["pairs", "ended_at", "expires_at"])
