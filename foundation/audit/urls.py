"""Addresses of the trail of changes."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from foundation.audit import views

urlpatterns = [
    *not_of_studies(
        path("c/<slug:name>/audit/", views.audit, name="audit"),
        path("c/<slug:name>/audit/csv", views.audit_csv, name="audit-csv"),
        path("c/<slug:name>/audit/jsonl", views.audit_lines, name="audit-jsonl"),
    ),
    path("system/audit/", views.site_audit, name="site-audit"),
]
