"""Addresses of the pages about rewriting."""

from django.urls import path

from queries.rewriting import views

urlpatterns = [
    path("c/<slug:name>/rewriting/", views.rewriting, name="rewriting"),
    path("c/<slug:name>/rewriting/captions/", views.caption_list, name="caption-list"),
]
