"""Every address, by room."""

from django.urls import include, path

urlpatterns = [
    path("", include("corpus.urls")),
    path("", include("queries.urls")),
    path("", include("annotation.urls")),
    path("", include("datasets.urls")),
    path("", include("desk.urls")),
]

handler403 = "corpus.access.home_views.forbidden"
handler404 = "corpus.access.home_views.not_found"
handler500 = "corpus.access.home_views.server_error"
