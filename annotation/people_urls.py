"""Addresses of the lead's pages about people."""

from django.urls import path

from annotation.views import model_view, people, terms

urlpatterns = [
    path("c/<slug:name>/people/", people.people, name="people"),
    path("c/<slug:name>/people/csv", people.people_csv, name="people-csv"),
    path("c/<slug:name>/people/partners/", people.partners, name="partners"),
    path("c/<slug:name>/people/partners/csv", people.partners_csv, name="partners-csv"),
    path("c/<slug:name>/people/model/", model_view.model_view, name="model-view"),
    path("c/<slug:name>/people/<int:member_id>/", people.person, name="person"),
    path("c/<slug:name>/people/<int:member_id>/change", people.change, name="person-change"),
    path("c/<slug:name>/people/<int:member_id>/terms", terms.change_terms, name="person-terms"),
    path("c/<slug:name>/people/<int:member_id>/dismiss", people.dismiss, name="alert-dismiss"),
]
