"""Addresses of topics."""

from django.urls import path, re_path

from foundation.access.study_pages import not_of_studies
from queries.topics import media_views, views

urlpatterns = [
    re_path(
        r"^query-media/(?P<public_name>[A-Za-z0-9_-]{1,32})\.(?P<suffix>[a-z0-9]{3,4})$",
        media_views.medium,
        name="query-medium",
    ),
    *not_of_studies(
        path("c/<slug:name>/topics/", views.topics, name="topics"),
        path("c/<slug:name>/topics/import", views.bring, name="topics-import"),
        path("c/<slug:name>/topics/add", views.add, name="topic-add"),
        path("c/<slug:name>/topics/<int:topic_id>/", views.topic, name="topic"),
        path("c/<slug:name>/topics/<int:topic_id>/change", views.change, name="topic-change"),
        path("c/<slug:name>/topics/<int:topic_id>/delete", views.delete, name="topic-delete"),
        path("c/<slug:name>/topics/<int:topic_id>/medium", views.put, name="topic-medium"),
        path("c/<slug:name>/topics/<int:topic_id>/medium/remove", views.remove, name="topic-medium-remove"),
    ),
]
