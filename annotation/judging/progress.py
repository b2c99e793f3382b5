"""An annotator's progress: judgments today, pace, agreement, and why there is no work."""

from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.assignment.session_targets import live_session, standing_of
from annotation.assignment.slipped_in import gives_any
from annotation.assignment.staffing import staffing
from annotation.batches.missing_clips import home_of, waiting_moments
from annotation.judging.notices import unread_notices
from annotation.models import Batch, GoldPair, Judgment
from corpus.clips.cut_clips import WAITED_FOR, lacking
from corpus.models import Moment
from evaluation.judgments.grade_classes import unit_of
from foundation.access.guards import CONSENT_FIRST, PAUSED, WITHDREW
from foundation.infra.worker_signs import no_worker
from foundation.models import Collection, Membership

SHORTEST_PACE = 300
"""Seconds of work before a pace is shown."""


def own_progress(member: Membership) -> dict[str, Any]:
    """An annotator's own figures, without what would tell how much of a query is left.

    Returns: `today` and `week`, what was judged since midnight and in the last seven days, counted as on Your time
    (`Judgment.TOLD`, by the day in UTC on which it was decided); `active_today`, seconds of work; `per_hour`, the pace
    of the week, None before there is one; `agreement` with partners where the lead allows; `notices`, the lead's
    notices and answers that weren't put away yet.
    """
    now = timezone.now()
    week = now - timedelta(days=7)
    today = Q(decided_at__gte=now.replace(hour=0, minute=0, second=0, microsecond=0))
    # Hidden repeats too: a figure that stood still would tell them. Nothing is given before it was decided.
    kinds = ((member.judgments, Judgment.TOLD), (member.repeat_answers, Q(taken_back_at=None)))
    figures, again = (
        given.filter(given_at__gte=week, decided_at__gte=week).aggregate(
            week=Count("pk", filter=shown),
            active=Sum("active_seconds"),
            today=Count("pk", filter=shown & today),
            active_today=Sum("active_seconds", filter=today),
        )
        for given, shown in kinds
    )
    total = {name: (figures[name] or 0) + (again[name] or 0) for name in figures}
    return {
        "today": total["today"],
        "week": total["week"],
        "active_today": round(total["active_today"]),
        "per_hour": round(total["week"] / total["active"] * 3600) if total["active"] >= SHORTEST_PACE else None,
        "agreement": own_agreement(member) if member.collection.show_agreement else None,
        "notices": [
            {"id": flag.pk, "text": _("About a clip that you flagged: %(answer)s") % {"answer": flag.answer}}
            for flag in member.flags.filter(answered_at__isnull=False, read_at__isnull=True).exclude(answer="")
        ]
        + [{"id": notice["id"], "text": notice["text"]} for notice in unread_notices(member)],
    }


def own_agreement(member: Membership) -> dict[str, Any] | None:
    """The shares of an annotator's grades that equal, or lie within one of, their partners' in the same round.

    Over decided pairs only, so that nobody learns of a round that is still open. None before there is any.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*), avg((a.grade = b.grade)::int), avg((abs(a.grade - b.grade) <= %s)::int)
              FROM annotation_judgment a
              JOIN annotation_judgment b
                ON b.pair_id = a.pair_id AND b.annotator_id <> a.annotator_id AND b.counted AND b.round = a.round
              JOIN annotation_pair p ON p.id = a.pair_id AND p.status IN ('consensus', 'discarded')
             WHERE a.annotator_id = %s AND a.counted""",
            [unit_of(member.collection.top_grade), member.pk],
        )
        pairs, exact, within_one = cursor.fetchone()
    return {"pairs": pairs, "exact": float(exact), "within_one": float(within_one)} if pairs else None


def why_no_work(member: Membership) -> str:
    """The message for an annotator without work: why there is none, and when to look again."""
    collection = member.collection
    if member.status == Membership.Status.PAUSED:
        return str(PAUSED)
    if member.recruited and (done := _why_done(member)):
        return done
    if held := why_held(member):
        return held
    batches = Batch.objects.filter(collection=collection)
    undecided = batches.exclude(status__in=[Batch.Status.FINISHED, Batch.Status.EXTENDED]).exists()
    lacks = lacking(home_of(collection), WAITED_FOR, clips_alone=True)
    if undecided and collection.has_clips and no_worker() and lacks.exists():
        return _("No work for you right now: clips are lacking, and nothing cuts them at the moment. The lead is told.")
    if undecided:
        if not batches.filter(status=Batch.Status.DECIDED).exists() and staffing(collection).stuck:
            return _(
                "What is left needs people who haven't judged it yet, and the lead is told. This page checks by itself."
            )
        # One line, and no number: whether queries are judged, disputed or with the lead tells what comes next.
        return _("No work for you right now. New work usually comes within an hour; this page checks by itself.")
    if batches.exists():
        return _("Everything is judged. Thank you.")
    return _("Nothing is open for judging yet. Once the lead opens it, this page shows it by itself.")


def why_held(member: Membership) -> str:
    """What somebody has to say or confirm before they are given work; "" if nothing."""
    if not member.agrees:
        return str(CONSENT_FIRST if member.consent_withdrawn_at is None else WITHDREW)
    if not member.old_enough:
        return _("This collection is for people of %(age)s and older: say so on the page Content.") % {
            "age": member.collection.minimum_age
        }
    return "" if member.knows_guideline else _("The guideline has changed. Read it and confirm it, then go on.")


def _why_done(member: Membership) -> str:
    """Why somebody whom a platform sent gets no more: they have done what they came for; "" if they haven't."""
    session = live_session(member)
    if session is None:
        return _("Your session has ended. Its page has your code.")
    if standing_of(session).complete:
        return _("You have done what this session asks for. Finish it on its page, and you get your code.")
    return ""


def judged_moments(collection: Collection) -> QuerySet[Moment]:
    """Moments with a judgment, counted or not: their clips must stay.

    Those judged in the collection's studies too: a study has no moments of its own.
    """
    collections = Collection.objects.filter(Q(pk=collection.pk) | Q(study_of=collection.pk))
    judged = Judgment.objects.filter(pair__batch__collection__in=collections.values("pk"))
    return Moment.objects.filter(pk__in=judged.values("pair__candidate__moment"))


def context_moments(collection: Collection) -> QuerySet[Moment]:
    """Moments whose surroundings annotators may look at: of what is to be judged, and of what may come again."""
    waiting = waiting_moments(collection)
    if not gives_any(collection):
        return waiting
    judged = judged_moments(collection).values("pk")
    gold = GoldPair.objects.filter(collection=collection, removed_at=None).values("pair__candidate__moment")
    return Moment.objects.filter(Q(pk__in=waiting.values("pk")) | Q(pk__in=judged) | Q(pk__in=gold))
