"""Addresses of collections and their members."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from foundation.collections import views

urlpatterns = [
    path("collections/new/", views.new, name="collection-new"),
    path("collections/offers/<slug:offer>", views.begin_offer, name="offer-begin"),
    *not_of_studies(
        path("c/<slug:name>/members/", views.members, name="members"),
        path("c/<slug:name>/members/<int:member_id>/change", views.change_member, name="member-change"),
        path("c/<slug:name>/archive", views.archive, name="archive"),
    ),
]
