"""Addresses of the home page and the pages of videos."""

from django.urls import path

from corpus.browse import home_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = [path("", home_views.home, name="home")]
urlpatterns += not_of_studies(
    path("c/<slug:name>/videos/", views.videos, name="videos"),
    path("c/<slug:name>/videos.csv", views.videos_csv, name="videos-csv"),
    path("c/<slug:name>/videos/<int:video_id>/", views.video, name="video"),
)
