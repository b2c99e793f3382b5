"""Every address, by room: annotation's first, since Django tries one after the other and judging is asked for most."""

from django.urls import include, path

urlpatterns = [
    path("", include("annotation.urls")),
    path("", include("corpus.urls")),
    path("", include("queries.urls")),
    path("", include("datasets.urls")),
    path("", include("campaigns.urls")),
    path("", include("desk.urls")),
    path("", include("operation.urls")),
    path("", include("api.urls")),
]

handler403 = "corpus.access.home_views.forbidden"
handler404 = "corpus.access.home_views.not_found"
handler500 = "corpus.access.home_views.server_error"
