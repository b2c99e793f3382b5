"""Addresses of a collection's goal."""

from django.urls import path

from datasets.stopping import views
from foundation.access.study_pages import not_of_studies

HERE = "c/<slug:name>/stopping/"

urlpatterns = not_of_studies(
    path(HERE, views.stopping, name="stopping"),
    path(f"{HERE}goal", views.goal, name="stopping-goal"),
    path(f"{HERE}change", views.change, name="stopping-change"),
)
