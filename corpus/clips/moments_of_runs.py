"""Moments that no description names: made where a system's run returned them."""

from collections.abc import Collection as Several

from django.db.models import Q

from corpus.models import Moment

Span = tuple[int, float, float]
"""A video's key, start and end in seconds."""


def make_moments(spans: Several[Span]) -> dict[Span, int]:
    """The keys of moments with exactly these spans; those that the corpus lacks are made, without a clip.

    Their start is below their end, and both lie within the video: the caller has checked that.
    """
    if not spans:
        return {}
    Moment.objects.bulk_create(
        (Moment(video_id=video, start=start, end=end) for video, start, end in sorted(spans)), ignore_conflicts=True
    )
    condition = Q(pk__in=[])
    for video, start, end in spans:
        condition |= Q(video=video, start=start, end=end)
    rows = Moment.objects.filter(condition).values_list("video_id", "start", "end", "pk")
    return {(video, start, end): pk for video, start, end, pk in rows}
