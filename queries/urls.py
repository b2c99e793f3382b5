"""The addresses of this room, by sub-room."""

from django.urls import include, path

urlpatterns = [
    path("", include("queries.rewriting.urls")),
    path("", include("queries.review.urls")),
    path("", include("queries.caption_import.urls")),
    path("", include("queries.calibration.urls")),
    path("", include("queries.pooling.urls")),
    path("", include("queries.topics.urls")),
    path("", include("queries.runs.urls")),
]
