"""Addresses of the page from which a judge on similarity is fitted."""

from django.urls import path

from annotation.machine_judges.similarity import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/machine-judges/ours/", views.similarity, name="machine-similarity"),
    path("c/<slug:name>/machine-judges/ours/pairs.csv", views.pairs, name="machine-similarity-pairs"),
    path("c/<slug:name>/machine-judges/ours/fit", views.fit, name="machine-similarity-fit"),
)
