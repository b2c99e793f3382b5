"""Addresses of the API. They come after the pages', which are asked for more."""

from django.urls import include, path

from api.v1.api import api
from api.v1.schema_view import openapi

urlpatterns = [
    path("api/v1/openapi.json", openapi, name="api-openapi"),
    path("api/v1/", include(api.urls[0])),
]
