"""The addresses of this room, by sub-room."""

from django.urls import include, path

from annotation import precomputed_views

urlpatterns = [
    path("", include("annotation.judging.urls")),
    path("", include("annotation.consent.urls")),
    path("", include("annotation.qualification.urls")),
    path("", include("annotation.people.urls")),
    path("", include("annotation.factors.urls")),
    path("", include("annotation.gold.urls")),
    path("", include("annotation.recruiting.urls")),
    path("", include("annotation.batches.urls")),
    path("", include("annotation.sampling.urls")),
    path("", include("annotation.review.urls")),
    path("", include("annotation.machine_judges.urls")),
    path("", include("annotation.settings.urls")),
    path("", include("annotation.assignment.urls")),
    path("", include("annotation.studies.urls")),
    path("", include("annotation.tryout.urls")),
    path("", include("annotation.machine_judges.calibration.urls")),
    path("", include("annotation.machine_judges.similarity.urls")),
    path("c/<slug:name>/computed/<slug:what>/anew", precomputed_views.refresh, name="computed-refresh"),
]
