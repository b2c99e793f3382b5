"""Addresses of studies."""

from django.urls import path

from annotation.studies import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/studies/", views.page, name="studies"),
    path("c/<slug:name>/studies/start", views.start, name="study-start"),
    path("c/<slug:name>/studies/<int:study_id>/put-away", views.put_away, name="study-put-away"),
)
