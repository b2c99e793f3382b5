"""The lead's form on a video's page: its kinds of content and minimum age."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from corpus.content.marks import mark_video
from corpus.description_formats import BadRow
from corpus.models import Video
from foundation.access.guards import lead_required
from foundation.models import Membership


@require_POST
@lead_required
def mark(request: HttpRequest, member: Membership, video_id: int) -> HttpResponse:
    """Mark a video; owners and leads only."""
    video = get_object_or_404(Video.objects.select_related("collection"), pk=video_id, collection=member.collection)
    try:
        mark_video(
            video=video, content=request.POST.get("content", ""), minimum_age=request.POST.get("minimum_age", "")
        )
        messages.info(request, _("Saved. From now on people are given work by it."))
    except BadRow as bad:
        messages.error(
            request, _("Found %(found)s, expected %(expected)s.") % {"found": bad.found, "expected": bad.expected}
        )
    return redirect("video", member.collection.name, video_id)
