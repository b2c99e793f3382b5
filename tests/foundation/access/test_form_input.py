"""What people send in forms reaches every view without what no keyboard types; what programs send is left as it is."""

from typing import Any

import pytest
from django.http import HttpRequest, JsonResponse
from django.test import Client
from django.urls import path

from config import urls

SENT = {"name": "a\x00da", "reason": "\u200b\u2060", "note": "two\nlines "}


def echo(request: HttpRequest) -> JsonResponse:
    return JsonResponse(request.POST.dict())


urlpatterns = [path("echo", echo), path("api/echo", echo), *urls.urlpatterns]


@pytest.fixture(autouse=True)
def with_pages_that_echo(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__


def test_a_form_is_cleaned_before_its_view_whichever_that_is() -> None:
    assert Client().post("/echo", SENT).json() == {"name": "ada", "reason": "", "note": "two\nlines "}


def test_what_a_program_sends_is_its_endpoint_s_to_check() -> None:
    assert Client().post("/api/echo", SENT).json() == SENT
