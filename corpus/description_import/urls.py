"""Addresses of imports."""

from django.urls import path

from corpus.description_import import preview_views, removal_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/imports/", views.imports, name="imports"),
    path("c/<slug:name>/imports/upload", views.upload, name="import-upload"),
    path("c/<slug:name>/imports/look", preview_views.look, name="import-look"),
    path("c/<slug:name>/imports/template", preview_views.template, name="import-template"),
    path("c/<slug:name>/imports/previews/<int:preview_id>/", preview_views.preview, name="import-preview"),
    path("c/<slug:name>/imports/previews/<int:preview_id>/decide", preview_views.decide, name="import-preview-decide"),
    path("c/<slug:name>/imports/<int:import_id>/", views.report, name="import-report"),
    path("c/<slug:name>/imports/<int:import_id>/rejected", views.rejected, name="import-rejected"),
    path("c/<slug:name>/imports/<int:import_id>/take-back", removal_views.import_take_back, name="import-take-back"),
    path("c/<slug:name>/videos/<int:video_id>/remove", removal_views.video_remove, name="video-remove"),
    path(
        "c/<slug:name>/descriptions/<int:description_id>/remove",
        removal_views.description_remove,
        name="description-remove",
    ),
)
