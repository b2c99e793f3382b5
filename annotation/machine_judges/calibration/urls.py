"""Addresses of the page of a judge's calibration."""

from django.urls import path

from annotation.machine_judges.calibration import views
from foundation.access.study_pages import not_of_studies

HERE = "c/<slug:name>/machine-judges/<int:judge_id>/calibration"
urlpatterns = not_of_studies(
    path(f"{HERE}/", views.calibration, name="machine-calibration"),
    path(f"{HERE}.<str:ending>", views.file, name="machine-calibration-file"),
)
