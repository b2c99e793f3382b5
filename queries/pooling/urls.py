"""Addresses of the candidates of the queries."""

from django.urls import path

from corpus.access.study_pages import not_of_studies
from queries.pooling import views

urlpatterns = not_of_studies(
    path("c/<slug:name>/pool/", views.pool, name="pool"),
    path("c/<slug:name>/pool/fetch", views.fetch, name="pool-fetch"),
    path("c/<slug:name>/pool/<int:fetch_id>/progress", views.progress, name="pool-progress"),
)
