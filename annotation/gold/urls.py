"""Addresses of the lead's pages of gold."""

from django.urls import path

from annotation.gold import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/gold/", views.gold, name="gold"),
    path("c/<slug:name>/gold/add", views.add, name="gold-add"),
    path("c/<slug:name>/gold/<int:gold_id>/remove", views.remove, name="gold-remove"),
    path("c/<slug:name>/people/<int:member_id>/gold/", views.person_gold, name="person-gold"),
    path("c/<slug:name>/people/<int:member_id>/gold/set-aside", views.put_aside, name="set-aside"),
    path("c/<slug:name>/set-aside/<int:set_aside_id>/withdraw", views.take_back_aside, name="set-aside-withdraw"),
)
