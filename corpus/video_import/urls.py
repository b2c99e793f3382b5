"""Addresses of videos that are brought in the browser."""

from django.urls import path

from corpus.access.study_pages import not_of_studies
from corpus.video_import import upload_views

urlpatterns = not_of_studies(
    path("c/<slug:name>/videos/uploads/", upload_views.uploads, name="video-uploads"),
    path("c/<slug:name>/videos/uploads/<slug:key>", upload_views.upload, name="video-upload"),
)
