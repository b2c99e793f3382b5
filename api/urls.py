"""Addresses of the API. They come after the pages', which are asked for more."""

from django.urls import include, path

from api.v1.api import SUBJECTS, api
from api.v1.schema_view import openapi

ADDRESSES = api.urls[0]
for subject in SUBJECTS:
    for address in ADDRESSES:
        if address.name in subject.uploads:
            subject.uploads[address.name](address.callback)

urlpatterns = [
    path("api/v1/openapi.json", openapi, name="api-openapi"),
    path("api/v1/", include(ADDRESSES)),
]
