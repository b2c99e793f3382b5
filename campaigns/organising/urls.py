"""Addresses of the organiser's pages."""

from django.urls import path

from campaigns.organising import submission_views, team_views, views
from foundation.access.study_pages import not_of_studies

ONE = "c/<slug:name>/campaigns/<int:campaign_id>/"
RUN = "c/<slug:name>/submissions/<int:submission_id>/"

urlpatterns = not_of_studies(
    path("c/<slug:name>/campaigns/", views.campaigns, name="campaigns"),
    path("c/<slug:name>/campaigns/make", views.make, name="campaign-make"),
    path(ONE, views.campaign, name="campaign"),
    path(f"{ONE}change", views.change, name="campaign-change"),
    path(f"{ONE}topics", views.topics, name="campaign-topics"),
    path(f"{ONE}release", views.release, name="campaign-release"),
    path(f"{ONE}score", views.score, name="campaign-score"),
    path(f"{ONE}results", views.results, name="campaign-results"),
    path(f"{ONE}delete", views.delete, name="campaign-delete"),
    path(f"{ONE}teams/", team_views.teams, name="campaign-teams"),
    path(f"{ONE}teams/make", team_views.make, name="campaign-teams-make"),
    path("c/<slug:name>/teams/<int:team_id>/", team_views.team, name="campaign-team"),
    path("c/<slug:name>/teams/<int:team_id>/change", team_views.change, name="campaign-team-change"),
    path(RUN, submission_views.submission, name="campaign-submission"),
    path(f"{RUN}decide", submission_views.decide, name="campaign-submission-decide"),
    path(f"{RUN}file", submission_views.file, name="campaign-submission-file"),
)
