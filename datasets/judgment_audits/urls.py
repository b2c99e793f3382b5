"""Addresses of audits of judgments."""

from django.urls import path

from datasets.judgment_audits import views
from foundation.access.study_pages import not_of_studies

RELEASE = "c/<slug:name>/releases/<int:release_id>/audit/"

urlpatterns = [
    path("judgment-audits/", views.judgment_audits, name="judgment-audits"),
    path("judgment-audits/upload", views.upload, name="judgment-audit-upload"),
    path("judgment-audits/<int:audit_id>/", views.judgment_audit, name="judgment-audit"),
    path("judgment-audits/<int:audit_id>/progress", views.progress, name="judgment-audit-progress"),
    path("judgment-audits/<int:audit_id>/change", views.change, name="judgment-audit-change"),
    path("judgment-audits/<int:audit_id>/<slug:key>.<slug:ending>", views.file, name="judgment-audit-file"),
    *not_of_studies(
        path(RELEASE, views.release_audit, name="release-audit"),
        path(f"{RELEASE}<slug:key>.<slug:ending>", views.release_audit_file, name="release-audit-file"),
    ),
]
