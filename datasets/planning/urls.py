"""Addresses of plans."""

from django.urls import path

from datasets.planning import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/plans/", views.plans, name="plans"),
    path("c/<slug:name>/plans/make", views.make, name="plan-make"),
    path("c/<slug:name>/plans/<int:plan_id>/", views.plan, name="plan"),
    path("c/<slug:name>/plans/<int:plan_id>/change", views.change, name="plan-change"),
    path("c/<slug:name>/plans/<int:plan_id>/plan.<slug:ending>", views.file, name="plan-file"),
)
