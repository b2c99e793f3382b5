"""Addresses of clips."""

from django.urls import re_path

from corpus.clips import media_views

urlpatterns = [
    re_path(r"^clips/(?P<public_name>[A-Za-z0-9_-]{1,32})\.(?P<suffix>mp4|jpg|gif)$", media_views.clip, name="clip"),
    re_path(r"^clips/context/(?P<public_name>[A-Za-z0-9_-]{1,32})\.mp4$", media_views.context, name="clip-context"),
]
