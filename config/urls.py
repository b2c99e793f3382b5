"""Every address, by room."""

from django.urls import include, path

from config.web.address_index import AddressIndex

ROOMS = [
    path("", include("annotation.urls")),
    path("", include("foundation.urls")),
    path("", include("corpus.urls")),
    path("", include("queries.urls")),
    path("", include("datasets.urls")),
    path("", include("campaigns.urls")),
    path("", include("desk.urls")),
    path("", include("operation.urls")),
    path("", include("api.urls")),
]
urlpatterns = [AddressIndex(ROOMS)]

handler403 = "foundation.access.error_pages.forbidden"
handler404 = "foundation.access.error_pages.not_found"
handler500 = "foundation.access.error_pages.server_error"
