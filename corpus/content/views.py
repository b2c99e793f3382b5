"""The lead's forms on a video's page: its kinds of content and minimum age, and what of it is hidden."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from corpus.content.hiding import hide_in_video
from corpus.content.marks import mark_video
from corpus.description_formats import BadRow
from corpus.models import Video
from foundation.access.pages import lead_post, refusal_told
from foundation.models import Membership


@contextmanager
def _fault_told(request: HttpRequest) -> Iterator[None]:
    with refusal_told(request):
        try:
            yield
        except BadRow as bad:
            raise bad.refusal() from bad


def _video_of(member: Membership, video_id: int) -> Video:
    return get_object_or_404(Video.objects.select_related("collection"), pk=video_id, collection=member.collection)


@lead_post
def mark(request: HttpRequest, member: Membership, video_id: int) -> HttpResponse:
    """Mark a video; owners and leads only."""
    video, sent = _video_of(member, video_id), request.POST
    with _fault_told(request):
        mark_video(video=video, content=sent.get("content", ""), minimum_age=sent.get("minimum_age", ""))
        messages.info(request, _("Saved. From now on people are given work by it."))
    return redirect("video", member.collection.name, video_id)


@lead_post
def hide(request: HttpRequest, member: Membership, video_id: int) -> HttpResponse:
    """Hide rectangles of a video in its clips; owners and leads only."""
    video = _video_of(member, video_id)
    with _fault_told(request):
        if hide_in_video(video=video, lines=request.POST.get("regions", "")):
            messages.info(request, _("Saved. The video's clips are gone, and have to be cut anew."))
    return redirect("video", member.collection.name, video_id)
