"""Addresses of the pages about rewriting."""

from django.urls import path

from corpus.access.study_pages import not_of_studies
from queries.rewriting import views

urlpatterns = not_of_studies(
    path("c/<slug:name>/rewriting/", views.rewriting, name="rewriting"),
    path("c/<slug:name>/rewriting/captions/", views.caption_list, name="caption-list"),
)
