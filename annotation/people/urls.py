"""Addresses of the lead's pages about people, and of one's own data."""

from django.urls import path

from annotation.people import annotator_model_views, content_views, own_data_views, terms_views, timesheet_views
from annotation.people import views as people
from foundation.access.study_pages import not_of_studies

urlpatterns = [
    path("account/data", own_data_views.download, name="account-data"),
    path("c/<slug:name>/people/", people.people, name="people"),
    path("c/<slug:name>/people/csv", people.people_csv, name="people-csv"),
    path("c/<slug:name>/people/partners/", people.partners, name="partners"),
    path("c/<slug:name>/people/partners/csv", people.partners_csv, name="partners-csv"),
    path("c/<slug:name>/people/model/", annotator_model_views.model_view, name="model-view"),
    path("c/<slug:name>/people/<int:member_id>/", people.person, name="person"),
    path("c/<slug:name>/people/<int:member_id>/dismiss", people.dismiss, name="alert-dismiss"),
    path("c/<slug:name>/judge/time/", timesheet_views.own_time, name="own-time"),
    path("c/<slug:name>/judge/content/", content_views.own_content, name="own-content"),
    path("c/<slug:name>/judge/content/choose", content_views.choose, name="own-content-choose"),
    path("c/<slug:name>/judge/session", timesheet_views.session, name="judge-session"),
    path("c/<slug:name>/time/", timesheet_views.time, name="time"),
    path("c/<slug:name>/time/csv", timesheet_views.time_csv, name="time-csv"),
    path("c/<slug:name>/time/correct", timesheet_views.correct, name="time-correct"),
    *not_of_studies(
        path("c/<slug:name>/people/<int:member_id>/change", people.change, name="person-change"),
        path("c/<slug:name>/people/<int:member_id>/terms", terms_views.change_terms, name="person-terms"),
    ),
]
