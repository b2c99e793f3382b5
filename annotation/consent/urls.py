"""Addresses of consent and survey."""

from django.urls import path

from annotation.consent import lead_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/consent/", views.page, name="consent"),
    path("c/<slug:name>/consent/<int:version>/", views.page, name="consent-version"),
    path("c/<slug:name>/consent/confirm", views.confirm, name="consent-confirm"),
    path("c/<slug:name>/consent/withdraw", views.withdraw, name="consent-withdraw"),
    path("c/<slug:name>/consent/edit/", lead_views.edit, name="consent-edit"),
    path("c/<slug:name>/survey/", views.survey, name="survey"),
    path("c/<slug:name>/survey/edit/", lead_views.survey, name="survey-edit"),
    path("c/<slug:name>/survey/edit/csv", lead_views.survey_csv, name="survey-csv"),
    path("c/<slug:name>/survey/edit/sum", lead_views.add_up, name="survey-sum"),
    path("c/<slug:name>/survey/edit/<int:survey_question_id>/retire", lead_views.retire, name="survey-retire"),
)
