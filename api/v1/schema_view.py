"""`/api/v1/openapi.json`: the description, for anybody; it says nothing of the site."""

import json

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from api.v1.api import description
from foundation.access.language import says_who_asks


def as_text() -> str:
    """The description as it is sent and as it lies in `docs/`."""
    return json.dumps(description(), indent=1, ensure_ascii=False) + "\n"


@require_safe
@says_who_asks
def openapi(request: HttpRequest) -> HttpResponse:
    """The description of this version."""
    response = HttpResponse(as_text(), content_type="application/json")
    response["Cache-Control"] = "no-cache"
    return response
