"""Addresses of a collection's settings."""

from django.urls import path

from annotation.settings import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/settings/", views.settings, name="settings"),
    path("c/<slug:name>/settings/change", views.change, name="settings-change"),
)
