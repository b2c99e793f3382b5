"""Addresses of the pages about captions made elsewhere."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from queries.caption_import import views

urlpatterns = not_of_studies(
    path("c/<slug:name>/captions/elsewhere/", views.caption_imports, name="caption-imports"),
    path("c/<slug:name>/captions/elsewhere/send", views.send, name="caption-import-send"),
    path("c/<slug:name>/captions/elsewhere/<int:import_id>/decide", views.decide, name="caption-import-decide"),
)
