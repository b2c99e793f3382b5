"""Accept request bodies in UTF-8 only: other charsets are refused before Django parses them."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest

UTF8 = {"utf-8", "utf8", "us-ascii", "ascii"}
CHARSET = "What was sent is not UTF-8, the only encoding that is read here. Nothing of it was kept."


class OnlyUtf8:
    """Middleware: 415 for a body that names another charset."""

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        from foundation.access.error_pages import refused_body

        charset = (request.content_params or {}).get("charset", "utf-8")
        if charset.strip("\"' ").lower() not in UTF8:
            return refused_body(request, 415, CHARSET)
        return self.get_response(request)
