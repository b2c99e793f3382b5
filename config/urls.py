"""Every address, by room."""

from django.urls import include, path

urlpatterns = [
    path("", include("corpus.urls")),
    path("", include("queries.urls")),
    path("", include("annotation.urls")),
    path("", include("datasets.urls")),
    path("", include("desk.urls")),
]

handler403 = "corpus.views.pages.forbidden"
handler404 = "corpus.views.pages.not_found"
handler500 = "corpus.views.pages.server_error"
