"""Addresses of the pages of videos."""

from django.urls import path

from corpus.browse import views

urlpatterns = [
    path("c/<slug:name>/videos/", views.videos, name="videos"),
    path("c/<slug:name>/videos.csv", views.videos_csv, name="videos-csv"),
    path("c/<slug:name>/videos/<int:video_id>/", views.video, name="video"),
]
