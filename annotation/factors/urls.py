"""Addresses of factors."""

from django.urls import path

from annotation.factors import views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/factors/", views.page, name="factors"),
    path("c/<slug:name>/factors/add", views.add, name="factors-add"),
    path("c/<slug:name>/factors/upload", views.upload, name="factors-upload"),
    path("c/<slug:name>/factors/change", views.change, name="factors-change"),
    path("c/<slug:name>/factors/declared.csv", views.declared_csv, name="factors-csv"),
    path("c/<slug:name>/factors/figures/", views.figures, name="factor-figures"),
    path("c/<slug:name>/factors/figures.<str:ending>", views.figures_file, name="factor-figures-file"),
)
