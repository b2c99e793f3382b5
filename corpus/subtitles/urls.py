"""The address of a clip's subtitles."""

from django.urls import re_path

from corpus.subtitles import views

urlpatterns = [
    re_path(r"^clips/(?P<public_name>[A-Za-z0-9_-]{1,32})\.vtt$", views.subtitles, name="clip-subtitles"),
]
