"""Addresses of recruiting: where people from platforms enter and end, and the lead's pages."""

from django.urls import path

from annotation.recruiting import entry_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = [
    path("take-part/<str:token>/", entry_views.take_part, name="take-part"),
    *not_of_studies(
        path("c/<slug:name>/session/", entry_views.own_session, name="own-session"),
        path("c/<slug:name>/recruiting/", views.recruiting, name="recruiting"),
        path("c/<slug:name>/recruiting/<int:recruitment_id>/", views.recruitment, name="recruitment"),
        path("c/<slug:name>/recruiting/<int:recruitment_id>/change", views.change, name="recruitment-change"),
        path(
            "c/<slug:name>/recruiting/<int:recruitment_id>/<slug:what>.csv", views.sessions_csv, name="recruitment-csv"
        ),
    ),
]
