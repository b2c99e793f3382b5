"""Addresses of the draw of queries, and of their candidates."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from queries.pooling import draw_views, views

urlpatterns = not_of_studies(
    path("c/<slug:name>/draw/", draw_views.draw, name="draw"),
    path("c/<slug:name>/draw/make", draw_views.make, name="draw-make"),
    path("c/<slug:name>/candidates/", views.pool, name="pool"),
    path("c/<slug:name>/candidates/fetch", views.fetch, name="pool-fetch"),
)
