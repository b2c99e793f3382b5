"""Addresses of deletions."""

from django.urls import path

from corpus.access.study_pages import not_of_studies
from corpus.deletion import views

urlpatterns = [
    *not_of_studies(path("c/<slug:name>/delete/", views.delete, name="collection-delete")),
    path("deletions/<int:deletion_id>/", views.deletion, name="collection-deletion"),
    path("deletions/<int:deletion_id>/progress", views.progress, name="collection-deletion-progress"),
]
