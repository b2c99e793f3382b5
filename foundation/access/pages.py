"""`lead_page` and `member_page`: views that are HTML, and JSON with `?format=json`."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from foundation.access.guards import View, lead_required, member_required
from foundation.models import Membership


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The content of a page.

    Args:
        facts: by name, of JSON's types, dates and dataclasses of these; the template gets them under the same names.
        only_shown: what the template needs besides and JSON leaves out (forms, drawings).
    """

    facts: Mapping[str, Any]
    only_shown: Mapping[str, Any] = field(default_factory=dict)


SaysFacts = Callable[..., PageFacts | HttpResponse]


def lead_page(template: str) -> Callable[[SaysFacts], View]:
    """A page for owners and leads: the view returns its `PageFacts`, or a response where there is none to show."""

    def decorate(view: SaysFacts) -> View:
        page = require_safe(lead_required(_answering(template, view)))
        page.gives_facts = True
        return page

    return decorate


def member_page(template: str) -> Callable[[SaysFacts], View]:
    """Like `lead_page`, for every member: keep what an annotator mustn't see out of both facts and page."""

    def decorate(view: SaysFacts) -> View:
        return require_safe(member_required(_answering(template, view)))

    return decorate


def _answering(template: str, view: SaysFacts) -> View:
    @wraps(view)
    def answered(request: HttpRequest, member: Membership, *args: Any, **kwargs: Any) -> HttpResponse:
        found = view(request, member, *args, **kwargs)
        if isinstance(found, HttpResponse):
            return found
        if request.GET.get("format") == "json":
            response = JsonResponse(dict(found.facts), encoder=FactsEncoder)
            response["Cache-Control"] = "no-store"
            return response
        return render_facts(request, member, template, found)

    return answered


def render_facts(
    request: HttpRequest, member: Membership, template: str, found: PageFacts, *, status: int = 200
) -> HttpResponse:
    """A page of these facts: for a view that shows a form again with what is wrong in it (400)."""
    common = {"collection": member.collection, "member": member}
    return render(request, template, {**common, **found.facts, **found.only_shown}, status=status)


@contextmanager
def refusal_told(request: HttpRequest, *refused: type[Exception]) -> Iterator[None]:
    """Context that turns a service's refusal into a message on the next page."""
    try:
        yield
    except refused as refusal:
        messages.error(request, str(refusal))


class FactsEncoder(DjangoJSONEncoder):
    """Django's JSON encoder, extended by dataclasses."""

    def default(self, value: Any) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            return asdict(value)
        return super().default(value)
