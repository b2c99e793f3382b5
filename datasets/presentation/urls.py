"""Addresses of a release's page: the lead's, and the public one, which lies outside the site's other pages."""

from django.urls import path

from datasets.presentation import public_views, views
from foundation.access.study_pages import not_of_studies

PUBLIC = "published/<slug:name>/<str:release>/"

urlpatterns = [
    *not_of_studies(
        path("c/<slug:name>/releases/<int:release_id>/", views.release, name="release"),
        path("c/<slug:name>/releases/<int:release_id>/citation", views.citation, name="release-citation"),
        path("c/<slug:name>/releases/<int:release_id>/signature", views.sign, name="release-signature"),
        path("c/<slug:name>/releases/<int:release_id>/signature/off", views.unsign, name="release-signature-off"),
        path("c/<slug:name>/releases/<int:release_id>/public/", views.public, name="release-public"),
        path("c/<slug:name>/releases/<int:release_id>/public/off", views.off, name="release-public-off"),
        path("c/<slug:name>/runs/<int:run_id>/show", views.show, name="run-show"),
    ),
    path(PUBLIC, public_views.page, name="published"),
    path(f"{PUBLIC}files/<path:path>", public_views.file, name="published-file"),
    path(f"{PUBLIC}certificate.json", public_views.certificate, name="published-certificate"),
    path(f"{PUBLIC}certificate-<slug:split>.svg", public_views.certificate_figure, name="published-certificate-figure"),
    path(f"{PUBLIC}all", public_views.archive, name="published-archive"),
    path(f"{PUBLIC}<int:place>.jpg", public_views.poster, name="published-poster"),
    path(f"{PUBLIC}<int:place>.mp4", public_views.clip, name="published-clip"),
]
