"""Addresses of boards that are estimated with a machine's help."""

from django.urls import path

from datasets.guarantees import views
from foundation.access.study_pages import not_of_studies

SPLIT = "c/<slug:name>/releases/<int:release_id>/board/<slug:split>/estimates"

urlpatterns = not_of_studies(
    path(f"{SPLIT}/", views.board_estimates, name="board-estimates"),
    path(f"{SPLIT}/ask", views.ask, name="board-estimate-ask"),
    path("c/<slug:name>/estimates/<int:estimate_id>.<slug:ending>", views.file, name="board-estimate-file"),
)
