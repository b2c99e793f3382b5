"""Addresses of the candidates of the queries."""

from django.urls import path

from queries.pooling import views

urlpatterns = [
    path("c/<slug:name>/pool/", views.pool, name="pool"),
    path("c/<slug:name>/pool/fetch", views.fetch, name="pool-fetch"),
    path("c/<slug:name>/pool/<int:job_id>/progress", views.progress, name="pool-progress"),
]
