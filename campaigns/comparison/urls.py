"""Addresses of results."""

from django.urls import path

from campaigns.comparison import views
from foundation.access.study_pages import not_of_studies

HERE = "c/<slug:name>/campaigns/<int:campaign_id>/standings/"
THERE = "campaigns/<slug:campaign>/"

urlpatterns = [
    *not_of_studies(
        path(HERE, views.standings, name="campaign-standings"),
        path(f"{HERE}compare", views.compare, name="campaign-compare"),
        path(f"{HERE}<slug:file>.csv", views.download, name="campaign-standings-file"),
    ),
    path(f"{THERE}standings/", views.public_standings, name="public-standings"),
    path(f"{THERE}standings/<slug:file>.csv", views.public_file, name="public-standings-file"),
    path(f"{THERE}topics/", views.own_topics, name="team-topics"),
]
