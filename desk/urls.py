from django.urls import include, path

from desk import views
from foundation.access.study_pages import not_of_studies

urlpatterns = [
    path("c/<slug:name>/", views.overview, name="overview"),
    *not_of_studies(path("c/<slug:name>/run", views.run, name="run-to-open")),
    path("", include("desk.figures.urls")),
    path("", include("desk.opening.urls")),
    path("", include("desk.help.urls")),
]
