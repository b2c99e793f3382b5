"""Addresses of clips."""

from django.urls import path, re_path

from corpus.clips import cutting_views, media_views
from foundation.access.study_pages import not_of_studies

urlpatterns = [
    re_path(r"^clips/(?P<public_name>[A-Za-z0-9_-]{1,32})\.(?P<suffix>mp4|jpg|gif)$", media_views.clip, name="clip"),
    re_path(r"^clips/context/(?P<public_name>[A-Za-z0-9_-]{1,32})\.mp4$", media_views.context, name="clip-context"),
    *not_of_studies(
        path("c/<slug:name>/clips/", cutting_views.clips, name="clips"),
        path("c/<slug:name>/clips/cut", cutting_views.clips_cut, name="clips-cut"),
    ),
]
