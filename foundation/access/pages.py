"""`lead_page` and `member_page`: views that return what their template gets; and guards of the requests beside them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.serializers.json import DjangoJSONEncoder
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from foundation.access.guards import lead_required, member_required
from foundation.access.needs_login import View
from foundation.infra.storage import StoringError
from foundation.lazy import LazyStr
from foundation.models import Membership
from foundation.refused import Refused

PageFacts = dict[str, Any]
"""What a page's template gets by name, besides `collection` and `member`."""
SaysFacts = Callable[..., PageFacts | HttpResponse]


def lead_page(template: str) -> Callable[[SaysFacts], View]:
    """A page for owners and leads: the view returns its `PageFacts`, or a response where there is none to show."""

    def decorate(view: SaysFacts) -> View:
        return require_safe(lead_required(_answering(template, view)))

    return decorate


def lead_get(view: View) -> View:
    """What owners and leads get besides pages: files, and what a page's script asks for."""
    return require_safe(lead_required(view))


def lead_post(view: View) -> View:
    """What a form of owners and leads does."""
    return require_POST(lead_required(view))


def lead_act(page: str) -> Callable[[Callable[..., LazyStr | None]], View]:
    """What a button of a page does: the collection's `page` follows, with what the view says of it, or why a service
    refused it."""

    def decorate(view: Callable[..., LazyStr | None]) -> View:
        @lead_post
        @wraps(view)
        def acted(request: HttpRequest, member: Membership, *args: Any, **kwargs: Any) -> HttpResponse:
            with refusal_told(request):
                if said := view(request, member, *args, **kwargs):
                    messages.info(request, said)
            return redirect(page, member.collection.name)

        return acted

    return decorate


def member_page(template: str) -> Callable[[SaysFacts], View]:
    """Like `lead_page`, for every member."""

    def decorate(view: SaysFacts) -> View:
        return require_safe(member_required(_answering(template, view)))

    return decorate


def _answering(template: str, view: SaysFacts) -> View:
    @wraps(view)
    def answered(request: HttpRequest, member: Membership, *args: Any, **kwargs: Any) -> HttpResponse:
        answer = view(request, member, *args, **kwargs)
        return answer if isinstance(answer, HttpResponse) else render_facts(request, member, template, answer)

    return answered


def render_facts(
    request: HttpRequest, member: Membership, template: str, facts: PageFacts, *, status: int = 200
) -> HttpResponse:
    """A page of these facts: for a view that shows a form again with what is wrong in it (400)."""
    return render(request, template, {"collection": member.collection, "member": member, **facts}, status=status)


@contextmanager
def refusal_told(request: HttpRequest, *others: type[Exception]) -> Iterator[None]:
    """Context that turns a service's refusal (`others` too) into a message on the next page."""
    refusals: tuple[type[Exception], ...] = (Refused, *others)
    try:
        yield
    except refusals as refusal:
        messages.error(request, str(refusal))


@contextmanager
def refusal_in(form: BaseForm) -> Iterator[None]:
    """Context that puts a service's refusal into the form: at its field, or above all where the form hasn't it; what
    can't be stored is the `file`."""
    try:
        yield
    except StoringError as fault:
        form.add_error("file" if "file" in form.fields else None, str(fault))
    except Refused as refusal:
        for field, why in refusal.wrong.items():
            form.add_error(field if field in form.fields else None, why)


class FactsEncoder(DjangoJSONEncoder):
    """Django's JSON encoder, extended by dataclasses."""

    def default(self, value: Any) -> Any:
        if is_dataclass(value) and not isinstance(value, type):
            return asdict(value)
        return super().default(value)
