"""Addresses of webhooks: a collection's, and the whole site's."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from foundation.webhooks import views

urlpatterns = [
    path("webhooks/", views.of_the_site, name="site-webhooks"),
    path("webhooks/<int:webhook_id>/change", views.change_of_the_site, name="site-webhook-change"),
    *not_of_studies(
        path("c/<slug:name>/webhooks/", views.webhooks, name="webhooks"),
        path("c/<slug:name>/webhooks/make", views.make, name="webhook-make"),
        path("c/<slug:name>/webhooks/<int:webhook_id>/change", views.change, name="webhook-change"),
    ),
]
