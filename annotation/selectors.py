"""What the pages of this room read."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, F, Prefetch, Q, QuerySet, Sum
from django.utils import timezone

from annotation.models import Batch, Flag, Judgment
from annotation.notices import told
from corpus.models import Collection, Membership, Moment
from queries.models import Query

SHORTEST_PACE = 300
"""Seconds of work before a pace is told."""


def own_progress(member: Membership) -> dict[str, Any]:
    """What an annotator sees of their own work, and of nobody else's; never how much of a query is left.

    Returns: `today` and `week`, counted judgments since midnight and in the last seven days (UTC); `active_today`,
    seconds; `per_hour`, the pace of the week, None before there is one; `agreement` with partners where the lead
    allows; `notices`, the lead's notices and answers that weren't put away yet.
    """
    now = timezone.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    week = member.judgments.filter(counted=True, given_at__gte=now - timedelta(days=7))
    figures = week.aggregate(
        week=Count("pk"),
        active=Sum("active_seconds"),
        today=Count("pk", filter=Q(given_at__gte=midnight)),
        active_today=Sum("active_seconds", filter=Q(given_at__gte=midnight)),
    )
    # Hidden repeats too: a figure that stood still would tell them.
    again = member.repeat_answers.filter(taken_back_at=None, given_at__gte=now - timedelta(days=7)).aggregate(
        week=Count("pk"),
        active=Sum("active_seconds"),
        today=Count("pk", filter=Q(given_at__gte=midnight)),
        active_today=Sum("active_seconds", filter=Q(given_at__gte=midnight)),
    )
    total = {name: (figures[name] or 0) + (again[name] or 0) for name in figures}
    return {
        "today": total["today"],
        "week": total["week"],
        "active_today": round(total["active_today"]),
        "per_hour": round(total["week"] / total["active"] * 3600) if total["active"] >= SHORTEST_PACE else None,
        "agreement": own_agreement(member) if member.collection.show_agreement else None,
        "notices": [
            {"id": flag.pk, "text": f"About a clip that you flagged: {flag.answer}"}
            for flag in member.flags.filter(answered_at__isnull=False, read_at__isnull=True).exclude(answer="")
        ]
        + [{"id": one["id"], "text": one["text"]} for one in told(member)],
    }


def own_agreement(member: Membership) -> dict[str, Any] | None:
    """How often the annotator's grades equal, or lie within one of, those of partners in the same round.

    Over decided pairs only, so that nobody learns of a round that is still open. None before there is any.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT count(*), avg((a.grade = b.grade)::int), avg((abs(a.grade - b.grade) <= 1)::int)
              FROM annotation_judgment a
              JOIN annotation_judgment b
                ON b.pair_id = a.pair_id AND b.annotator_id <> a.annotator_id AND b.counted AND b.round = a.round
              JOIN annotation_pair p ON p.id = a.pair_id AND p.status IN ('consensus', 'discarded')
             WHERE a.annotator_id = %s AND a.counted""",
            [member.pk],
        )
        pairs, exact, within_one = cursor.fetchone()
    return {"pairs": pairs, "exact": float(exact), "within_one": float(within_one)} if pairs else None


def why_no_work(member: Membership) -> str:
    """One calm line for an annotator whom no pair can be given: why, and when to look again."""
    collection = member.collection
    if member.status == Membership.Status.PAUSED:
        return "The lead has paused your judging. What you judged is safe; ask them when it goes on."
    if member.guideline_confirmed < collection.guideline_version:
        return "The guideline has changed. Read it and confirm it, then go on."
    batches = Batch.objects.filter(collection=collection)
    undecided = batches.exclude(status__in=[Batch.Status.FINISHED, Batch.Status.EXTENDED]).exists()
    if undecided:
        # One line, and no number: whether queries are judged, disputed or with the lead tells what comes next.
        return "No work for you right now. New work usually comes within an hour; this page looks by itself."
    if batches.exists():
        return "Everything is judged. Thank you."
    return "Nothing is open for judging yet. The lead opens it; this page looks again by itself."


def review_queue(collection: Collection) -> QuerySet[Batch]:
    """Decided batches that wait for the lead, oldest first, those put off at the end."""
    return (
        Batch.objects.filter(query__collection=collection, status=Batch.Status.DECIDED)
        .select_related("query__collection")
        .order_by(F("postponed_at").asc(nulls_first=True), "pk")
    )


@dataclass(frozen=True, slots=True)
class FlaggedPair:
    """An open flag's pair as the lead sees it, with everything said about it."""

    flag: Flag
    query: str
    caption: str
    video: str
    start: float
    end: float
    clip: str | None
    others: list[Flag]
    judgments: list[int]


def open_flags(collection: Collection) -> list[FlaggedPair]:
    """Pairs that wait for the lead, one entry a pair, the oldest flag first. Four SQL queries."""
    flags = (
        Flag.objects.filter(pair__batch__collection=collection, answered_at__isnull=True)
        .select_related("annotator", "pair__batch__query", "pair__candidate__moment__video")
        .select_related("pair__candidate__moment__clip")
        .order_by("pk")
    )
    by_pair: dict[int, list[Flag]] = {}
    for flag in flags:
        by_pair.setdefault(flag.pair_id, []).append(flag)
    grades: dict[int, list[int]] = {}
    for pair, grade in Judgment.objects.filter(pair__in=by_pair, counted=True).values_list("pair_id", "grade"):
        grades.setdefault(pair, []).append(grade)
    found = []
    for first, *others in by_pair.values():
        candidate = first.pair.candidate
        clip = getattr(candidate.moment, "clip", None)
        found.append(
            FlaggedPair(
                flag=first,
                query=first.pair.batch.query.text,
                caption=candidate.caption_text,
                video=candidate.moment.video.name,
                start=candidate.moment.start,
                end=candidate.moment.end,
                clip=clip.public_name if clip is not None and clip.ready else None,
                others=others,
                judgments=grades.get(first.pair_id, []),
            )
        )
    return found


def answered_flags(collection: Collection) -> QuerySet[Flag]:
    """Flags that the lead has answered, newest first."""
    return (
        Flag.objects.filter(pair__batch__collection=collection, answered_at__isnull=False)
        .select_related("annotator", "answered_by", "pair__batch__query")
        .order_by("-answered_at", "-pk")
    )


def queries_at_work(collection: Collection, asked: str = "") -> QuerySet[Query]:
    """The queries that are open for judging, those that the lead moved up first; `asked` are words of their text.

    Each has its `batches`, and says by `assigned` how many people are reserved for it or barred from it.
    """
    found = (
        collection.queries.filter(batches__number=1)
        .annotate(priority=F("batches__priority"), assigned=Count("assignments"))
        .prefetch_related(Prefetch("batches", Batch.objects.order_by("number")))
        .order_by("-priority", "split", "position")
    )
    for word in asked.split():
        found = found.filter(text__icontains=word)
    return found


def judged_moments(collection: Collection) -> QuerySet[Moment]:
    """Moments that somebody has judged, whether it counts or not: what they saw is what the grades are about.

    Those judged in the collection's studies too: a study has no moments of its own.
    """
    collections = Collection.objects.filter(Q(pk=collection.pk) | Q(study_of=collection.pk))
    judged = Judgment.objects.filter(pair__batch__collection__in=collections.values("pk"))
    return Moment.objects.filter(pk__in=judged.values("pair__candidate__moment"))
