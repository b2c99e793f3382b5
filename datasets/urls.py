"""The addresses of this room, by sub-room."""

from django.urls import include, path

urlpatterns = [
    path("", include("datasets.releases.urls")),
    path("", include("datasets.judgment_import.urls")),
    path("", include("datasets.judgment_audits.urls")),
    path("", include("datasets.publishing.urls")),
    path("", include("datasets.leaderboard.urls")),
    path("", include("datasets.certificates.urls")),
    path("", include("datasets.planning.urls")),
    path("", include("datasets.stopping.urls")),
    path("", include("datasets.guarantees.urls")),
    path("", include("datasets.presentation.urls")),
]
