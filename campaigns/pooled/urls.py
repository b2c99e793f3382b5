"""Addresses of a campaign's pool."""

from django.urls import path

from campaigns.pooled import views
from foundation.access.study_pages import not_of_studies

HERE = "c/<slug:name>/campaigns/<int:campaign_id>/pool"

urlpatterns = not_of_studies(
    path(f"{HERE}/", views.pool, name="campaign-pool"),
    path(f"{HERE}/make", views.make, name="campaign-pool-make"),
)
