"""Addresses of publishing."""

from django.urls import path

from datasets.publishing import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/releases/<int:release_id>/publish/", views.publish, name="publish"),
    path("c/<slug:name>/releases/<int:release_id>/publish/look", views.look, name="publish-look"),
    path("c/<slug:name>/publications/<int:publication_id>/", views.publication, name="publication"),
    path("c/<slug:name>/publications/<int:publication_id>/send", views.send, name="publication-send"),
)
