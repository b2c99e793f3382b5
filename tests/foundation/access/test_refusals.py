"""What a service refuses and no view catches is an answer with the refusal's status and sentence, never a fault."""

import html
from typing import Any, NoReturn

import pytest
from django import forms
from django.http import HttpRequest
from django.test import Client
from django.urls import path

from config import urls
from foundation.access.pages import refusal_in
from foundation.access.throttle import Throttled
from foundation.infra.storage import StoringError
from foundation.infra.task_queue import QueueAway
from foundation.refused import FieldsRefused, FileRefused, LinkUnknown, Refused

REFUSALS = {
    "refused": (Refused("The pool isn't made: no run is in it.", "depth"), 409),
    "file": (FileRefused("run.jsonl, line 3: found [2, 1], expected a start before the end."), 409),
    "link": (LinkUnknown("Nobody here has this link."), 404),
    "queue": (QueueAway("Connection refused."), 503),
    "full": (StoringError("There is no space left on the server's disk."), 507),
}


def page(request: HttpRequest, which: str) -> NoReturn:
    """A page whose service refuses."""
    raise REFUSALS[which][0]


def throttled(request: HttpRequest) -> NoReturn:
    raise Throttled("Too many questions.", 90)


urlpatterns = [path("refusing/throttled", throttled), path("refusing/<str:which>", page), *urls.urlpatterns]


@pytest.fixture(autouse=True)
def with_pages_that_refuse(settings: Any) -> None:
    settings.ROOT_URLCONF = __name__


@pytest.mark.parametrize("which", REFUSALS)
@pytest.mark.parametrize("method", ["get", "post"])
def test_an_uncaught_refusal_is_a_page_with_its_status_and_sentence(which: str, method: str) -> None:
    refusal, status = REFUSALS[which]
    answer = getattr(Client(), method)(f"/refusing/{which}")
    assert answer.status_code == status and answer["Content-Type"].startswith("text/html")
    assert str(refusal) in html.unescape(answer.content.decode())


@pytest.mark.parametrize("which", REFUSALS)
def test_a_script_gets_it_as_json(which: str) -> None:
    refusal, status = REFUSALS[which]
    answer = Client().post(f"/refusing/{which}", {}, content_type="application/json")
    assert (answer.status_code, answer.json()) == (status, {"message": str(refusal)})


def test_too_many_attempts_say_when_to_go_on() -> None:
    answer = Client().get("/refusing/throttled")
    assert (answer.status_code, answer["Retry-After"]) == (429, "90")
    assert "Too many questions." in html.unescape(answer.content.decode())


def test_a_refusal_stands_at_the_form_s_field_or_above_all_where_the_form_hasn_t_it() -> None:
    class DepthForm(forms.Form):
        depth = forms.IntegerField()

    form = DepthForm({"depth": "5"})
    assert form.is_valid()
    with refusal_in(form):
        raise FieldsRefused({"depth": "Too deep.", "iou": "Too near.", "": "Too late."})
    assert form.errors == {"depth": ["Too deep."], "__all__": ["Too near.", "Too late."]}
