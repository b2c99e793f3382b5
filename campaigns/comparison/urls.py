"""Addresses of results."""

from django.urls import path, re_path

from campaigns.comparison import views
from corpus.access.study_pages import not_of_studies

HERE = "c/<slug:name>/campaigns/<int:campaign_id>"
FILE = r"(?P<file>results|topics|pairs)\.csv"

urlpatterns = [
    *not_of_studies(
        path(f"{HERE}/standings/", views.standings, name="campaign-standings"),
        path(f"{HERE}/standings/compare", views.compare, name="campaign-compare"),
        re_path(
            rf"^c/(?P<name>[-\w]+)/campaigns/(?P<campaign_id>[0-9]{{1,18}})/standings/{FILE}\Z",
            views.download,
            name="campaign-standings-file",
        ),
    ),
    path("campaigns/<slug:campaign>/standings/", views.public_standings, name="public-standings"),
    path("campaigns/<slug:campaign>/topics/", views.own_topics, name="team-topics"),
    re_path(rf"^campaigns/(?P<campaign>[-\w]+)/standings/{FILE}\Z", views.public_file, name="public-standings-file"),
]
