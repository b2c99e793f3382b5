"""Addresses of imports of judgments."""

from django.urls import path

from datasets.judgment_import import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/judgments/imports/", views.judgment_imports, name="judgment-imports"),
    path("c/<slug:name>/judgments/imports/upload", views.upload, name="judgment-import-upload"),
    path("c/<slug:name>/judgments/imports/<int:judgment_import_id>/", views.judgment_import, name="judgment-import"),
)
