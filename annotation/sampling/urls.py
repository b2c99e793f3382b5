"""Addresses of sampling designs."""

from django.urls import path

from annotation.sampling import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/sampling/", views.sampling, name="sampling"),
    path("c/<slug:name>/sampling/make", views.make, name="sampling-make"),
    path("c/<slug:name>/sampling/extend", views.extend, name="sampling-extend"),
    path("c/<slug:name>/sampling/remove", views.remove, name="sampling-remove"),
)
