"""The address of the form of a video's content."""

from django.urls import path

from corpus.content import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/videos/<int:video_id>/content", views.mark, name="video-content"),
)
