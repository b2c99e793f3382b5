"""Addresses of query priorities."""

from django.urls import path

from annotation.assignment import views

urlpatterns = [
    path("c/<slug:name>/work/", views.queries, name="work"),
    path("c/<slug:name>/work/<int:query_id>/", views.query, name="work-query"),
    path("c/<slug:name>/work/<int:query_id>/change", views.change, name="work-change"),
]
