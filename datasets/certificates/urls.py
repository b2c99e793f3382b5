"""Addresses of a release's certificate."""

from django.urls import path

from datasets.certificates import views
from foundation.access.study_pages import not_of_studies

RELEASE = "c/<slug:name>/releases/<int:release_id>/"

urlpatterns = not_of_studies(
    path(f"{RELEASE}certify", views.certify, name="release-certify"),
    path(f"{RELEASE}certificate.json", views.as_json, name="release-certificate"),
    path(f"{RELEASE}certificate-<slug:split>.svg", views.figure, name="release-certificate-figure"),
)
