"""Addresses of releases, their differences, statistics and leakage."""

from django.urls import path

from datasets.releases import check_views, diff_views, leakage_views, statistics_views, views
from foundation.access.study_pages import not_of_studies

urlpatterns = not_of_studies(
    path("c/<slug:name>/statistics/", statistics_views.statistics, name="statistics"),
    path("c/<slug:name>/statistics/<slug:key>.<slug:ending>", statistics_views.table, name="statistics-table"),
    path("c/<slug:name>/leakage/", leakage_views.leakage, name="leakage"),
    path("c/<slug:name>/leakage/csv", leakage_views.leakage_csv, name="leakage-csv"),
    path("c/<slug:name>/releases/", views.releases, name="releases"),
    path("c/<slug:name>/releases/make", views.make, name="release-make"),
    path("c/<slug:name>/releases/shared/", views.shared, name="shared-releases"),
    path("c/<slug:name>/releases/<int:release_id>/check", check_views.check, name="release-check"),
    path("c/<slug:name>/releases/<int:release_id>/share", views.share, name="release-share"),
    path("c/<slug:name>/releases/<int:release_id>/archive", views.archive, name="release-archive"),
    path("c/<slug:name>/releases/<int:release_id>/files/<path:path>", views.file, name="release-file"),
    path(
        "c/<slug:name>/releases/<int:first_id>/to/<int:second_id>/", diff_views.differences, name="release-differences"
    ),
    path(
        "c/<slug:name>/releases/<int:first_id>/to/<int:second_id>/csv",
        diff_views.differences_csv,
        name="release-differences-csv",
    ),
)
