"""The lead's own start and end of a pair on which annotators don't agree."""

from django.db import transaction
from django.utils.translation import gettext

from annotation.models import Judgment, Pair, SpanRuling
from annotation.review.adjudication import hold_pair, withdraw_ruling
from annotation.review.pair_spans import agreed_span, has_spans, marked_in
from annotation.span_consensus import Marked, Span
from foundation.models import Membership
from foundation.refused import Refused

NOISE = 0.001
"""Seconds: what a page shows is rounded."""


@transaction.atomic
def set_span(*, member: Membership, pair_id: int, start: float, end: float) -> SpanRuling:
    """Set a pair's span where its annotators don't agree. Repeating it changes nothing; judgments stay as they are.

    Args: start, end: in seconds of the clip, that is from the moment's start.
    Raises: Refused if the annotators agree, another span stands, or this one isn't a part of the clip.
    """
    pair = hold_pair(member, pair_id)
    if pair is None or not has_spans(member.collection):
        raise Refused(gettext("There is no such pair in this collection."))
    moment = pair.candidate.moment
    own = Span(moment.start, moment.end)
    if not -NOISE <= start < end <= own.end - own.start + NOISE:
        raise Refused(
            gettext("Found %(start)s to %(end)s s, expected a start before the end, from 0 to %(length)s s.")
            % {"start": f"{start:g}", "end": f"{end:g}", "length": f"{own.end - own.start:.2f}"}
        )
    span = Span(round(max(own.start, own.start + start), 3), round(min(own.end, own.start + end), 3))
    standing = pair.span_rulings.filter(withdrawn_at__isnull=True).select_related("decided_by").first()
    if standing is not None:
        if (standing.start, standing.end, standing.decided_by_id) == (span.start, span.end, member.pk):
            return standing
        raise Refused(
            gettext("%(worker)s has set this pair's start and end already. Withdraw that first.")
            % {"worker": standing.decided_by.worker}
        )
    given = list(Judgment.objects.filter(pair=pair, counted=True).order_by("pk"))
    marked = marked_in([judgment.pk for judgment in given])
    if pair.status != Pair.Status.CONSENSUS or not pair.grade:
        raise Refused(gettext("Only pairs with a grade of 1 or more have a start and an end."))
    agreed = agreed_span(
        member.collection, own, [Marked(judgment.grade, marked.get(judgment.pk)) for judgment in given]
    )
    if agreed.status != "apart":
        raise Refused(gettext("The annotators agree on this pair's start and end, so they stay."))
    return SpanRuling.objects.create(pair=pair, start=span.start, end=span.end, decided_by=member)


@transaction.atomic
def withdraw_span(*, member: Membership, ruling_id: int) -> SpanRuling:
    """Withdraw a span that a lead has set: it is kept, with who withdrew it. Repeating it changes nothing.

    Raises: Refused if there is none in the member's collection.
    """
    ruling = withdraw_ruling(SpanRuling, member, ruling_id)
    if ruling is None:
        raise Refused(gettext("There is no such pair in this collection."))
    return ruling
