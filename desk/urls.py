from django.urls import include, path

from desk import views

urlpatterns = [
    path("c/<slug:name>/", views.overview, name="overview"),
    path("", include("desk.figures.urls")),
    path("", include("desk.opening.urls")),
    path("", include("desk.running.urls")),
    path("", include("desk.help.urls")),
]
