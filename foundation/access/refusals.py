"""What a view lets pass, as an answer: too many attempts, what a service refused that no form shows, time limits,
and an address that only takes forms."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from foundation.access.error_pages import answer_to_time_limit, plain_page, plain_problem, speaks_json
from foundation.access.middleware import Middleware
from foundation.access.throttle import Throttled
from foundation.refused import Refused


class Refusals(Middleware):
    """Middleware: a page with the refusal's sentence and its status, or JSON for clients that ask for it."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if response.status_code != 405 or request.method != "GET" or speaks_json(request):
            return response
        # The address that a refused form leaves in the browser, reloaded by hand.
        text = _("This address only takes what a form sends: open the form's page, and send it from there.")
        page = plain_page(405, _("Nothing to show here"), text)
        page["Allow"] = response["Allow"]
        return page

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
