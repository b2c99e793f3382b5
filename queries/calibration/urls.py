"""Addresses of the page of the checks' calibration."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from queries.calibration import views

urlpatterns = not_of_studies(
    path("c/<slug:name>/rewriting/calibration/", views.calibration, name="calibration"),
    path("c/<slug:name>/rewriting/calibration/start", views.start, name="calibration-start"),
    path("c/<slug:name>/rewriting/calibration/<int:calibration_id>/adopt", views.adopt, name="calibration-adopt"),
)
