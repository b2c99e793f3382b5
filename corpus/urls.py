"""The addresses of this room, by sub-room."""

from django.urls import include, path

urlpatterns = [
    path("", include("corpus.clips.urls")),
    path("", include("corpus.content.urls")),
    path("", include("corpus.subtitles.urls")),
    path("", include("corpus.video_import.urls")),
    path("", include("corpus.browse.urls")),
    path("", include("corpus.description_import.urls")),
]
