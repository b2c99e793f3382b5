"""Addresses of the recipe by which a pool is made."""

from django.urls import path

from annotation.batches import pool_views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/candidates/recipe/", pool_views.recipe, name="pool-recipe"),
    path("c/<slug:name>/candidates/recipe/change", pool_views.change, name="pool-recipe-change"),
    path("c/<slug:name>/candidates/recipe/make", pool_views.make, name="pool-make"),
)
