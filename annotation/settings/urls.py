"""Addresses of a collection's settings."""

from django.urls import path

from annotation.settings import views

urlpatterns = [
    path("c/<slug:name>/settings/", views.settings, name="settings"),
    path("c/<slug:name>/settings/change", views.change, name="settings-change"),
]
