"""Serve clips and posters to members, and those of a tryout to anybody: HTTP Range, nginx, or a signed redirect.

Nothing in an answer tells of the video: not the file's name nor its time, and its ETag is the public name.
"""

from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db.models import Q, QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponseBase,
)
from django.views.decorators.http import require_safe

from corpus.clips.moment_hooks import moments_of, shows_context
from corpus.clips.serving import by_nginx, redirect_to_storage, serve
from corpus.models import Clip, ContextClip, FormerClip
from foundation.access.client_address import client_address
from foundation.access.guards import TokenUnknown, shown_token
from foundation.access.second_factor import is_missing
from foundation.access.throttle import Limit, Throttled, take
from foundation.models import ApiToken, Membership

FROM_AN_ADDRESS = Limit("tryout-clips", 1500, 10)
"""Requests for clips of a tryout from one address, behind which a whole class may sit: some thirty a person."""
LEADS = Q(role__in=[Membership.Role.OWNER, Membership.Role.LEAD])
TYPES = {"mp4": "video/mp4", "jpg": "image/jpeg", "gif": "image/gif"}


@require_safe
def clip(request: HttpRequest, public_name: str, suffix: str) -> HttpResponseBase:
    """A clip (mp4), its poster (jpg) or, for leads, its GIF; replaced clips are served too.

    Strangers, the logged-out, unknown names and annotators who ask for what is the lead's all get the same 404; the few
    clips by which a collection lets anybody try judging are anybody's.
    """
    field = {"mp4": "video_file", "jpg": "poster_file", "gif": "gif_file"}[suffix]
    shown = clip_for(request, public_name, leads_only=suffix == "gif")
    file = "" if shown is None else str(getattr(shown, field))
    response = send_media(request, file, f"{public_name}.{suffix}", TYPES[suffix])
    if suffix == "gif":
        response["Content-Disposition"] = f'attachment; filename="{public_name}.gif"'
    return response


@require_safe
def context(request: HttpRequest, public_name: str) -> HttpResponseBase:
    """A context clip, for leads and for whoever has its moment to judge where the lead allows it; everybody else gets
    the 404 of a clip that doesn't exist."""
    row = _seen(request, ContextClip.objects.filter(public_name=public_name), leads_only=True).first()
    file = str(row.video_file) if row is not None else _file_at_hand(request, public_name)
    return send_media(request, file, f"{public_name}.mp4", TYPES["mp4"])


def clip_for(request: HttpRequest, public_name: str, *, leads_only: bool = False) -> Clip | FormerClip | None:
    """The clip of this name if whoever asks may see it, or what only leads may. Raises: Throttled."""
    for kind in (Clip, FormerClip):
        rows = kind.objects.filter(public_name=public_name).select_related("moment__video__collection")
        clip: Clip | FormerClip | None = _seen(request, rows, leads_only=leads_only).first()
        if clip is not None:
            return clip
    return None if leads_only else _clip_of_tryout(request, public_name)


def _seen(request: HttpRequest, rows: QuerySet[Any], *, leads_only: bool) -> QuerySet[Any]:
    """Those of the clips that whoever asks may see."""
    collections = where_seen(request, leads_only=leads_only).values("collection")
    return rows.filter(moment__video__collection__in=collections)


def where_seen(request: HttpRequest, *, leads_only: bool = False) -> QuerySet[Membership]:
    """The places of whoever asks in collections whose clips they may see; `leads_only`: where they lead."""
    # Who was barred or removed sees no more of the collection.
    return _places(request, LEADS).filter(LEADS if leads_only else LEADS | ~Q(status=Membership.Status.BARRED))


def _file_at_hand(request: HttpRequest, public_name: str) -> str:
    """The context clip's file if its moment is among what whoever asks has to judge; else nothing."""
    clip = ContextClip.objects.filter(public_name=public_name).select_related("moment__video").first()
    if clip is None:
        return ""
    home = clip.moment.video.collection_id
    places = _places(request, LEADS).exclude(LEADS).filter(Q(collection=home) | Q(collection__study_of=home))
    shown = any(shows_context(member, clip.moment_id) for member in places.select_related("collection"))
    return clip.video_file if shown else ""


def _places(request: HttpRequest, leads: Q) -> QuerySet[Membership]:
    """Where whoever asks has a place: by a token to read or to judge, else by the login."""
    try:
        token = shown_token(request)
    except (TokenUnknown, Throttled):
        return Membership.objects.none()
    if token is not None:
        if not {ApiToken.Scope.READ, ApiToken.Scope.JUDGE} & set(token.scopes):
            return Membership.objects.none()
        places = Membership.objects.filter(account=token.account)
        return places if token.collection_id is None else places.filter(collection=token.collection_id)
    if not request.user.is_authenticated:
        return Membership.objects.none()
    places = Membership.objects.filter(account_id=request.user.pk)
    return places.exclude(leads) if is_missing(request.session) else places


def _clip_of_tryout(request: HttpRequest, public_name: str) -> Clip | None:
    """The clip, if anybody may see it. Raises: Throttled."""
    offered = Clip.objects.filter(public_name=public_name, moment__video__collection__offers_tryout=True)
    clip = offered.select_related("moment__video__collection").first()
    if clip is None:
        return None
    take(FROM_AN_ADDRESS, client_address(request), what="Too many requests came from your address.")
    tried = moments_of("tryout", clip.moment.video.collection).filter(pk=clip.moment_id)
    return clip if tried.exists() else None


def send_media(request: HttpRequest, file: str, tag: str, content_type: str) -> HttpResponseBase:
    """A file of the storage that never changes, by its name there; `tag` is its ETag. 404 where the name is empty."""
    if not file:
        raise Http404("no such clip")
    if settings.CLIP_REDIRECT_SECONDS:
        return redirect_to_storage(request, file)
    etag = f'"{tag}"'
    if settings.CLIP_NGINX_PREFIX:
        return by_nginx(request, file, content_type=content_type, etag=etag)
    if not default_storage.exists(file):
        raise Http404("no such clip")
    return serve(request, file, content_type=content_type, etag=etag)
