"""Addresses of the opening of judging."""

from django.urls import path

from desk.opening import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/opening/", views.opening, name="opening"),
    path("c/<slug:name>/opening/open", views.open_judging, name="opening-open"),
)
