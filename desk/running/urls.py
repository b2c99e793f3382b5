"""Address of the run to open."""

from django.urls import path

from corpus.access.study_pages import not_of_studies
from desk.running import views

urlpatterns = not_of_studies(path("c/<slug:name>/run", views.run, name="run-to-open"))
