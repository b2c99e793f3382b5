"""Addresses of the caption review."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from queries.review import views

urlpatterns = not_of_studies(
    path("c/<slug:name>/captions/", views.captions, name="captions"),
    path("c/<slug:name>/captions/card", views.caption_card, name="caption-card"),
    path("c/<slug:name>/captions/checked", views.caption_checked, name="caption-checked"),
    path("c/<slug:name>/captions/accept-many", views.accept_many, name="caption-accept-many"),
    path("c/<slug:name>/captions/undo", views.undo, name="caption-undo"),
    path("c/<slug:name>/captions/<int:caption_id>/check", views.caption_check, name="caption-check"),
    path("c/<slug:name>/captions/<int:caption_id>/decide", views.decide, name="caption-decide"),
)
