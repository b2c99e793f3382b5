"""Addresses of mails: chosen, and stopped without a login."""

from django.urls import path

from foundation.mail import views

urlpatterns = [
    path("account/mails", views.change, name="mail-choice"),
    path("unsubscribe/<str:token>/", views.stop_by_link, name="mail-stop"),
]
