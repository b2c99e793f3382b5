"""Addresses of teams' pages and of the public one, outside collections: teams aren't members of one."""

from django.urls import path

from campaigns.portal import join_views, views

ONE = "campaigns/<slug:campaign>/"

urlpatterns = [
    path(ONE, views.home, name="campaign-home"),
    path(f"{ONE}board/", views.board, name="campaign-board"),
    path(f"{ONE}files/<str:file>", views.file, name="campaign-file"),
    path(f"{ONE}submit", views.submit, name="campaign-submit"),
    path(f"{ONE}team", views.change_own_team, name="team-change"),
    path(f"{ONE}runs/<int:submission_id>/", views.submission, name="team-submission"),
    path(f"{ONE}runs/<int:submission_id>/progress", views.progress, name="team-submission-progress"),
    path(f"{ONE}runs/<int:submission_id>/change", views.change_submission, name="team-submission-change"),
    path(f"{ONE}runs/<int:submission_id>/file", views.submission_file, name="team-submission-file"),
    path("teams/join/<str:token>/", join_views.join, name="team-join"),
]
