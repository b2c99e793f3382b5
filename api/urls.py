"""Addresses of the API. They come after the pages', which are asked for more."""

from django.urls import URLPattern, include, path

from api.v1.api import SUBJECTS, api
from api.v1.schema_view import openapi

ADDRESSES = api.urls[0]
UPLOADS = {name: mark for subject in SUBJECTS for name, mark in subject.uploads.items()}
for address in ADDRESSES:
    if isinstance(address, URLPattern) and address.name in UPLOADS:
        UPLOADS[address.name](address.callback)

urlpatterns = [
    path("api/v1/openapi.json", openapi, name="api-openapi"),
    path("api/v1/", include(ADDRESSES)),
]
