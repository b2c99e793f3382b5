"""Addresses of leaderboards and runs."""

from django.urls import path

from datasets.leaderboard import trace_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/releases/<int:release_id>/board/<slug:split>/", views.board, name="board"),
    path("c/<slug:name>/releases/<int:release_id>/board/<slug:split>/upload", views.upload, name="run-upload"),
    path("c/<slug:name>/releases/<int:release_id>/trace/", trace_views.trace, name="release-trace"),
    path("c/<slug:name>/runs/<int:run_id>/", views.run, name="run"),
    path("c/<slug:name>/runs/<int:run_id>/withdraw", views.withdraw, name="run-withdraw"),
    path("c/<slug:name>/runs/<int:run_id>/figure.svg", views.figure, name="run-figure"),
    path("c/<slug:name>/runs/<int:run_id>/file", views.run_file, name="run-file"),
    path("c/<slug:name>/runs/<int:run_id>/queries/<int:answer_id>/", views.query, name="run-query"),
)
