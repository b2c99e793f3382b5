"""The addresses of this room, by sub-room."""

from django.urls import include, path

urlpatterns = [
    path("", include("campaigns.organising.urls")),
    path("", include("campaigns.portal.urls")),
    path("", include("campaigns.comparison.urls")),
    path("", include("campaigns.pooled.urls")),
    path("", include("campaigns.archive.urls")),
]
