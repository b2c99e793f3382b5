"""Serve the pictures, clips and sounds that are queries, to who may see the collection's clips."""

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from corpus.clips.media_views import send_media, where_seen
from queries.models import QueryMedium
from queries.topics.media_files import TYPES


@require_safe
def medium(request: HttpRequest, public_name: str, suffix: str) -> HttpResponseBase:
    """What is a query; strangers, the logged-out and unknown names all get the same 404."""
    collections = where_seen(request).values("collection")
    seen = QueryMedium.objects.filter(public_name=public_name, suffix=suffix, query__collection__in=collections)
    file = seen.values_list("media_file", flat=True).first() or ""
    return send_media(request, file, f"{public_name}.{suffix}", TYPES.get(suffix, ""))
