"""Addresses of Help and About."""

from django.urls import path

from desk.help import views

urlpatterns = [
    path("help/", views.index, name="help"),
    path("help/<slug:manual_name>/", views.page, name="help-page"),
    path("about/", views.about, name="about"),
]
