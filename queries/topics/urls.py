"""Addresses of topics."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from queries.topics import views

urlpatterns = not_of_studies(
    path("c/<slug:name>/topics/", views.topics, name="topics"),
    path("c/<slug:name>/topics/import", views.bring, name="topics-import"),
    path("c/<slug:name>/topics/add", views.add, name="topic-add"),
    path("c/<slug:name>/topics/<int:topic_id>/", views.topic, name="topic"),
    path("c/<slug:name>/topics/<int:topic_id>/change", views.change, name="topic-change"),
    path("c/<slug:name>/topics/<int:topic_id>/delete", views.delete, name="topic-delete"),
)
