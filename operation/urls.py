"""Addresses of operation. Probes have none here: `operation/probes.py` answers them before Django looks."""

from django.urls import path

from operation.system import views

urlpatterns = [
    path("system/", views.system, name="system"),
    path("system/back-up", views.back_up, name="back-up"),
    path("system/start-mails", views.start_mails, name="start-mails"),
    path("system/alert-mail", views.alert_mail, name="alert-mail"),
]
