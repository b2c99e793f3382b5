"""The addresses of this room, by sub-room."""

from django.urls import include, path

urlpatterns = [
    path("", include("foundation.access.urls")),
    path("", include("foundation.collections.urls")),
    path("", include("foundation.accounts.urls")),
    path("", include("foundation.audit.urls")),
    path("", include("foundation.mail.urls")),
    path("", include("foundation.webhooks.urls")),
    path("", include("foundation.jobs.urls")),
    path("", include("foundation.deletion.urls")),
]
