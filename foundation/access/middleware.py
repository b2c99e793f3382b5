"""What our middlewares have in common."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class Middleware:
    """Passes each request on to `_get_response`; what a middleware does besides is its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)
