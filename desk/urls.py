from django.urls import path

from desk import views

urlpatterns = [path("c/<slug:name>/", views.overview, name="overview")]
