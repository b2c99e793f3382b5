"""Addresses of the pages about rewriting."""

from django.urls import path

from foundation.access.study_pages import not_of_studies
from queries.rewriting import cast_views, llm_views, views

urlpatterns = not_of_studies(
    path("c/<slug:name>/cast/", cast_views.cast, name="cast"),
    path("c/<slug:name>/cast/change", cast_views.change_cast, name="cast-change"),
    path("c/<slug:name>/cast/names", cast_views.find_names, name="cast-names"),
    path("c/<slug:name>/rewriting/preview", views.preview, name="rewriting-preview"),
    path("c/<slug:name>/rewriting/start", views.start, name="rewriting-start"),
    path("c/<slug:name>/rewriting/llm/", llm_views.collection_llm, name="rewriting-llm"),
    path("c/<slug:name>/rewriting/llm/change", llm_views.change_collection_llm, name="rewriting-llm-change"),
    path("c/<slug:name>/rewriting/llm/try", llm_views.try_collection_llm, name="rewriting-llm-try"),
    path("c/<slug:name>/rewriting/llm/trial", llm_views.collection_trial, name="rewriting-llm-trial"),
    path("c/<slug:name>/rewriting/", views.rewriting, name="rewriting"),
    path("c/<slug:name>/rewriting/captions/", views.caption_list, name="caption-list"),
)
urlpatterns += [
    path("llm/", llm_views.llm, name="llm"),
    path("llm/<int:server_id>/try", llm_views.try_server, name="llm-try"),
    path("llm/<int:server_id>/trial", llm_views.server_trial, name="llm-trial"),
]
