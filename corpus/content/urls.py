"""The addresses of a video's forms: its content, and what of it is hidden."""

from django.urls import path

from corpus.content import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/videos/<int:video_id>/content", views.mark, name="video-content"),
    path("c/<slug:name>/videos/<int:video_id>/hide", views.hide, name="video-hide"),
)
