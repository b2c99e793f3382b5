"""The addresses of this room, by sub-room."""

from django.urls import include, path

urlpatterns = [
    path("", include("corpus.access.urls")),
    path("", include("corpus.collections.urls")),
    path("", include("corpus.accounts.urls")),
    path("", include("corpus.audit.urls")),
    path("", include("corpus.mail.urls")),
    path("", include("corpus.webhooks.urls")),
    path("", include("corpus.jobs.urls")),
    path("", include("corpus.clips.urls")),
    path("", include("corpus.video_import.urls")),
    path("", include("corpus.browse.urls")),
    path("", include("corpus.description_import.urls")),
    path("", include("corpus.deletion.urls")),
]
