"""Serve the subtitles of clips, where their collection asks for them: whoever may see a clip may read them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from corpus.clips.media_views import clip_for
from corpus.subtitles.import_subtitles import asked_for, cues_of_moment
from corpus.subtitles.webvtt import webvtt


@require_safe
def subtitles(request: HttpRequest, public_name: str) -> HttpResponse:
    """A clip's subtitles as WebVTT, empty where nothing is said; strangers and others get a clip's 404.

    They aren't kept with the clip's file: an import replaces them, but for those that somebody has judged by.
    """
    clip = clip_for(request, public_name)
    if clip is None or not asked_for(clip.moment.video.collection):
        raise Http404("no such clip")
    moment, video = clip.moment, clip.moment.video
    cues = cues_of_moment(video, video.collection.language)
    text = webvtt(cues, start=moment.start, end=moment.end)
    return HttpResponse(text, content_type="text/vtt; charset=utf-8", headers={"Cache-Control": "private, no-cache"})
