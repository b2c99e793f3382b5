"""Addresses of the pages of machine judges."""

from django.urls import path

from annotation.machine_judges import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/machine-judges/", views.machine_judges, name="machine-judges"),
    path("c/<slug:name>/machine-judges/declare", views.declare, name="machine-judge-declare"),
    path("c/<slug:name>/machine-judges/declare-server", views.declare_server, name="machine-judge-declare-server"),
    path("c/<slug:name>/machine-judges/<int:judge_id>/", views.machine_judge, name="machine-judge"),
    path("c/<slug:name>/machine-judges/<int:judge_id>/ask", views.ask_server, name="machine-judge-ask"),
    path("c/<slug:name>/machine-judges/<int:judge_id>/grades", views.send_grades, name="machine-judge-grades"),
    path("c/<slug:name>/machine-judges/<int:judge_id>/pairs.csv", views.pairs, name="machine-judge-pairs"),
    path("c/<slug:name>/machine-judges/<int:judge_id>/retire", views.retire, name="machine-judge-retire"),
)
