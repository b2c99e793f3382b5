"""Addresses of a campaign's archive."""

from django.urls import path

from campaigns.archive import views
from foundation.access.study_pages import not_of_studies

HERE = "c/<slug:name>/campaigns/<int:campaign_id>"

urlpatterns = not_of_studies(
    path(f"{HERE}/export/", views.export, name="campaign-export"),
    path(f"{HERE}/export/make", views.make, name="campaign-export-make"),
    path(f"{HERE}/campaign.tar.gz", views.download, name="campaign-archive"),
)
