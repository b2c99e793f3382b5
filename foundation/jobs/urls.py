"""Addresses of jobs."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from foundation.jobs import views

urlpatterns = not_of_studies(
    path("c/<slug:name>/jobs/", views.jobs, name="jobs"),
    path("c/<slug:name>/jobs/<slug:kind>/<int:job_id>/", views.job, name="job"),
    path("c/<slug:name>/jobs/<slug:kind>/<int:job_id>/progress", views.progress, name="job-progress"),
    path("c/<slug:name>/jobs/<slug:kind>/<int:job_id>/stop", views.stop, name="job-stop"),
    path("c/<slug:name>/jobs/<slug:kind>/<int:job_id>/resume", views.resume, name="job-resume"),
)
