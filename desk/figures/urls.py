from django.urls import path

from desk.figures import views

urlpatterns = [
    path("c/<slug:name>/figures/", views.page, name="figures"),
    path("c/<slug:name>/figures/<slug:key>.svg", views.svg, name="figure-svg"),
    path("c/<slug:name>/figures/<slug:key>.csv", views.data, name="figure-csv"),
]
