"""Addresses of deletions."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from foundation.deletion import views

urlpatterns = [
    *not_of_studies(path("c/<slug:name>/delete/", views.delete, name="collection-delete")),
    path("deletions/<int:deletion_id>/", views.deletion, name="collection-deletion"),
    path("deletions/<int:deletion_id>/progress", views.progress, name="collection-deletion-progress"),
]
