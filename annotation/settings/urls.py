"""Addresses of a collection's settings."""

from django.urls import path

from annotation.settings import scale_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/settings/", views.settings, name="settings"),
    path("c/<slug:name>/settings/change", views.change, name="settings-change"),
    path("c/<slug:name>/settings/scale/", scale_views.scale_page, name="settings-scale"),
    path("c/<slug:name>/settings/scale/number", scale_views.change_number, name="settings-scale-number"),
    path("c/<slug:name>/settings/scale/words", scale_views.change_words, name="settings-scale-change"),
)
