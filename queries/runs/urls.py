"""Addresses of the runs that a collection's pool is made from."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from queries.runs import views

urlpatterns = not_of_studies(
    path("c/<slug:name>/candidates/runs/", views.pool_runs, name="pool-runs"),
    path("c/<slug:name>/candidates/runs/add", views.add, name="pool-run-add"),
    path("c/<slug:name>/candidates/runs/<int:run_id>/remove", views.remove, name="pool-run-remove"),
)
