"""What somebody has at hand to judge, and what they may look at beside its clip: the seconds around it, and their own
last clips of its query."""

import uuid
from typing import Any

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy

from annotation.assignment.next_tasks import live_seats
from annotation.batches.missing_clips import UNDECIDED, ask_for_missing_clips, home_of
from annotation.judging.even_time import even_time
from annotation.judging.task_json import clip_addresses
from annotation.models import Judgment, Pair, Repeat, RepeatAnswer
from corpus.clips.cut_clips import WAITED_FOR, lacking
from corpus.models import ContextClip, Moment, clip_ready
from foundation.models import Membership

MOST_EARLIER = 3
EDGE = 0.05
"""Seconds, about a frame: less before or after a moment is nothing."""
BEING_CUT = gettext_lazy("What comes before and after is being cut. Try again in a moment.")
NOTHING_AROUND = gettext_lazy("There is nothing before or after this clip to show.")


def find_at_hand(member: Membership, public_id: uuid.UUID) -> Pair | None:
    """The pair that the page, or a program, was given under this id to judge, or to judge again without knowing, and
    hasn't answered; None for everything else."""
    named = Q(public_id=public_id)
    return _at_hand(member, named, named)


def has_at_hand(member: Membership, moment_id: int) -> bool:
    """Whether the moment's surroundings are shown to somebody: it is in what they have to judge."""
    if not member.collection.context_seconds:
        return False
    found = _at_hand(member, Q(candidate__moment=moment_id), Q(pair__candidate__moment=moment_id))
    return found is not None


def _at_hand(member: Membership, pairs: Q, repeats: Q) -> Pair | None:
    """The first of such pairs, or else of those that such repeats or gold are of, that somebody has to judge. As many
    SQL queries however many there are; how long it takes doesn't tell which it is."""
    if member.status != Membership.Status.ADMITTED:
        return None
    mine = Pair.objects.filter(batch__collection=member.collection_id).select_related("batch", "candidate__moment")
    with even_time(member):
        seats = list(live_seats(member).values_list("pairs", flat=True))
        held = [pair for seat in seats for pair in seat]
        judged = member.judgments.filter(counted=True, pair__in=held).values("pair")
        flagged = member.flags.filter(answered_at=None, pair__in=held).values("pair")
        found = mine.filter(pairs, pk__in=held).exclude(Q(pk__in=judged) | Q(pk__in=flagged)).first()
        if found is None and (seats or _left_nothing(member)):
            waits = Repeat.objects.filter(repeats, annotator=member, closed_at=None)
            found = mine.filter(repeats__in=waits).first()
    return found


def _left_nothing(member: Membership) -> bool:
    """Whether the last place of somebody without a live one ended with all its pairs judged: neither lapsed nor left.
    What is slipped in is still at hand then, as pairs would be."""
    last = member.seats.order_by("-pk").first()
    if last is None or last.ended_at is None:
        return False
    left = Pair.objects.filter(pk__in=last.pairs, status__in=UNDECIDED)
    return not left.exclude(judgments__in=member.judgments.filter(counted=True)).exists()


def context_of(member: Membership, moment: Moment) -> dict[str, Any]:
    """The video with the seconds around a moment: `clip`, its address, and `start` and `end`, the stretch of it (s)
    that is the moment; without a `clip`, a `message` says why there is none, or none yet. A worker cuts what lacks."""
    seconds = member.collection.context_seconds
    shown = ContextClip.objects.filter(clip_ready(), moment=moment, seconds=seconds).first()
    if shown is None:
        if not lacking(home_of(member.collection), WAITED_FOR).filter(pk=moment.pk).exists():
            return {"message": str(NOTHING_AROUND)}
        ask_for_missing_clips(collection=member.collection)
        return {"message": str(BEING_CUT)}
    start = shown.before or 0.0
    end = start + moment.end - moment.start
    if start < EDGE and end > (shown.duration or 0.0) - EDGE:
        return {"message": str(NOTHING_AROUND)}
    # What is no whole frame is nothing: then it begins, or ends, with the moment.
    start = 0.0 if start < EDGE else start
    return {"clip": reverse("clip-context", args=[shown.public_name]), "start": round(start, 3), "end": round(end, 3)}


def earlier_clips(member: Membership, pair: Pair) -> list[dict[str, Any]]:
    """The last clips of the same query that somebody judged, newest first: `clip` and `poster`, addresses, and their
    own `grade`.

    Of a clip judged again without knowing, the newer grade: an older one would tell that it had come before. Nothing
    that is at hand is ever among them. Two SQL queries.
    """
    query = pair.batch.query_id
    waiting = Repeat.objects.filter(annotator=member, closed_at=None).values("pair")
    judged = member.judgments.filter(Judgment.TOLD, pair__batch__query=query).exclude(
        Q(pair=pair) | Q(pair__in=waiting)
    )
    again = RepeatAnswer.objects.filter(annotator=member, taken_back_at=None, repeat__pair__batch__query=query)
    again = again.exclude(repeat__pair__in=waiting)
    path = "pair__candidate__moment__clip__"
    rows = [
        *_newest(judged.filter(clip_ready(path)), "pair", f"{path}public_name"),
        *_newest(again.filter(clip_ready(f"repeat__{path}")), "repeat__pair", f"repeat__{path}public_name"),
    ]
    last: dict[int, tuple[str, int]] = {}
    for _given_at, judged_pair, name, grade in sorted(rows, reverse=True):
        last.setdefault(judged_pair, (name, grade))
    return [
        dict(zip(("clip", "poster"), clip_addresses(name), strict=True)) | {"grade": grade}
        for name, grade in list(last.values())[:MOST_EARLIER]
    ]


def _newest(given: Any, pair: str, name: str) -> Any:
    # Twice as many: a clip judged again stands in both lists.
    return given.order_by("-given_at").values_list("given_at", pair, name, "grade")[: 2 * MOST_EARLIER]
