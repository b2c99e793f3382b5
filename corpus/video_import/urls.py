"""Addresses of videos that are brought in the browser."""

from django.urls import path

from corpus.video_import import upload_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/videos/add/", views.videos_add, name="videos-add"),
    path("c/<slug:name>/videos/imports/start", views.video_import_start, name="video-import-start"),
    path("c/<slug:name>/videos/imports/<int:video_import_id>/", views.video_import, name="video-import"),
    path("c/<slug:name>/videos/names/settle", views.video_names_settle, name="video-names-settle"),
    path("c/<slug:name>/videos/uploads/", upload_views.uploads, name="video-uploads"),
    path("c/<slug:name>/videos/uploads-give-up", views.video_uploads_give_up, name="video-uploads-give-up"),
    path("c/<slug:name>/videos/uploads/<slug:key>", upload_views.upload, name="video-upload"),
)
