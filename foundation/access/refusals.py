"""What a view lets pass, as an answer: too many attempts, what a service refused that no form shows, time limits."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from foundation.access.error_pages import answer_to_time_limit, plain_problem
from foundation.access.middleware import Middleware
from foundation.access.throttle import Throttled
from foundation.refused import Refused


class Refusals(Middleware):
    """Middleware: a page with the refusal's sentence and its status, or JSON for clients that ask for it."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Throttled):
            return too_many(request, exception)
        if isinstance(exception, Refused):
            return plain_problem(request, exception.status, _("Invalid input"), str(exception))
        return answer_to_time_limit(request, exception)


def too_many(request: HttpRequest, refusal: Throttled) -> HttpResponse:
    """A 429 response with the message and Retry-After: a page, or JSON for clients that ask for it."""
    response = plain_problem(request, 429, _("Too many attempts"), str(refusal))
    response["Retry-After"] = str(refusal.seconds)
    return response
