"""Refusals as `application/problem+json` (RFC 9457), each with the fields that are wrong and why."""

import json
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from pydantic import BaseModel, Field

from foundation.access.needs_login import is_api
from foundation.access.throttle import Throttled
from foundation.refused import Refused

PROBLEM_JSON = "application/problem+json"
SECONDS_BUSY = 5

_DETAIL = {
    400: "The request can't be read.",
    401: "Send a token: Authorization: Bearer TOKEN.",
    403: "This isn't yours to do.",
    404: "There is nothing here, or it isn't yours to see.",
    405: "This address doesn't take that method; the header Allow says which it takes.",
    409: "As things are, this can't be done.",
    413: "What was sent is larger than this address takes.",
    415: "What was sent is of a kind that this address doesn't read: send JSON in UTF-8.",
    422: "Something of what was sent can't be: `errors` says what.",
    429: "Too many requests. The header Retry-After says in how many seconds to go on.",
    500: "Something went wrong on the server, which has noted it. Nothing is half done.",
    503: "The server is busy or away just now. Nothing is half done; the header Retry-After says when to try again.",
    507: "There isn't enough space on the server's disk for this. Nothing is half done.",
}
_FIELD = {
    401: "header.Authorization",
    403: "header.Authorization",
    404: "path",
    405: "method",
    413: "body",
    415: "header.Content-Type",
    429: "header.Authorization",
}


class Wrong(BaseModel):
    """One thing that is wrong with a request."""

    field: str = Field(
        description="Where: `body.NAME`, `query.NAME`, `header.NAME`, `path`, `method`; empty: the whole."
    )
    reason: str


class ProblemDetails(BaseModel):
    """A refusal, as RFC 9457 has it, with `errors` besides."""

    type: str = Field(default="about:blank", description="Always about:blank: the status says what it is.")
    title: str = Field(description="The status in words.")
    status: int = Field(ge=400, le=599)
    detail: str = Field(description="What is the matter, and what can be done about it.")
    instance: str = Field(description="The path that was asked.")
    errors: list[Wrong] = Field(min_length=1, description="What is wrong, field by field.")


class Problem(Exception):
    """A refusal with its status."""

    def __init__(self, status: int, detail: str = "", *, field: str | None = None, **headers: str) -> None:
        super().__init__(detail or _DETAIL.get(status, ""))
        self.status, self.field, self.headers = status, field, headers


def problem(
    request: HttpRequest,
    status: int,
    detail: str = "",
    *,
    errors: Iterable[tuple[str, str]] = (),
    headers: dict[str, str] | None = None,
) -> HttpResponse:
    """The response for a refusal. Args: errors: (field, reason) each; none: the field that such a status is about."""
    body = problem_json(request.path, status, detail, errors=errors)
    response = HttpResponse(body, status=status, content_type=PROBLEM_JSON)
    response["Cache-Control"] = "no-store"
    for name, value in (headers or {}).items():
        response[name.replace("_", "-")] = value
    return response


def problem_json(path: str, status: int, detail: str = "", *, errors: Iterable[tuple[str, str]] = ()) -> str:
    """The body of a refusal: as `problem`. Args: path: of the request."""
    return _details(path, status, detail, errors).model_dump_json()


def problem_example(status: int) -> dict[str, Any]:
    """A refusal of this status, for the description."""
    field = _FIELD.get(status, "body.NAME")
    return _details("/api/v1/collections/theatre", status, "", [(field, _DETAIL[status])]).model_dump()


def title_of(status: int) -> str:
    """A status in the words of RFC 9110, which Python has for all of them since 3.13."""
    renamed = {413: "Content Too Large", 422: "Unprocessable Content"}
    return renamed.get(status) or (HTTPStatus(status).phrase if status in set(HTTPStatus) else "Refused")


def _details(path: str, status: int, detail: str, errors: Iterable[tuple[str, str]]) -> ProblemDetails:
    title = title_of(status)
    detail = detail or _DETAIL.get(status, title)
    return ProblemDetails(
        title=title,
        status=status,
        detail=detail,
        instance=path,
        errors=[Wrong(field=field, reason=reason) for field, reason in errors]
        or [Wrong(field=_FIELD.get(status, ""), reason=detail)],
    )


def of_problem(request: HttpRequest, refusal: Problem) -> HttpResponse:
    errors = [(refusal.field, str(refusal))] if refusal.field is not None else []
    return problem(request, refusal.status, str(refusal), errors=errors, headers=refusal.headers)


def of_throttled(request: HttpRequest, refusal: Throttled) -> HttpResponse:
    return problem(request, 429, str(refusal), headers={"Retry-After": str(refusal.seconds)})


def of_missing(request: HttpRequest, refusal: Http404) -> HttpResponse:
    # Django's own sentences name models and queries; only a study's says something to people.
    from foundation.access.study_pages import NotOfStudies

    return problem(request, 404, str(refusal) if isinstance(refusal, NotOfStudies) else "")


def of_forbidden(request: HttpRequest, refusal: PermissionDenied) -> HttpResponse:
    return problem(request, 403, str(refusal))


def of_refused(request: HttpRequest, refusal: Refused) -> HttpResponse:
    """What a service refused: 422 where it is about fields of the body."""
    if not any(refusal.wrong):
        return problem(request, refusal.status, str(refusal))
    errors = [(f"body.{field}" if field else "body", why) for field, why in refusal.wrong.items()]
    return problem(request, 422, _in_all(errors) if len(errors) > 1 else str(refusal), errors=errors)


def of_queue_away(request: HttpRequest, refusal: Exception) -> HttpResponse:
    """The queue of the workers, which can't be reached."""
    return problem(request, 503, headers={"Retry-After": str(SECONDS_BUSY)})


def of_invalid(request: HttpRequest, refusal: ValidationError) -> HttpResponse:
    """What a model or a form refused, by field."""
    if hasattr(refusal, "error_dict"):
        errors = [
            ("body" if field == NON_FIELD_ERRORS else f"body.{field}", " ".join(fault.messages))
            for field, faults in refusal.error_dict.items()
            for fault in faults
        ]
    else:
        errors = [("body", message) for message in refusal.messages]
    return problem(request, 422, _in_all(errors), errors=errors)


def of_unparsed(request: HttpRequest, refusal: Any) -> HttpResponse:
    """What ninja refuses before anything is looked at: a body that isn't JSON."""
    detail = "Found a body that isn't JSON, expected a JSON object in UTF-8."
    return problem(request, 422, detail, errors=[("body", detail)])


def of_unreadable(request: HttpRequest, refusal: Any) -> HttpResponse:
    """What pydantic refused: ninja's ValidationError. A number in the path that can be of no row is a 404."""
    if all(error["loc"][0] == "path" for error in refusal.errors):
        return problem(request, 404)
    errors = [(_field(error["loc"]), f"{error['msg']}{_found(error.get('input'))}.") for error in refusal.errors]
    return problem(request, 422, _in_all(errors), errors=errors)


def _field(place: Iterable[Any]) -> str:
    """Where it is: ninja puts the name of the view's own parameter between `body` and the field."""
    where, *rest = [str(part) for part in place]
    names = rest[1:] if where == "body" else rest
    return ".".join([where, *names])


def _found(value: object) -> str:
    return f" (found {value!r:.80})" if isinstance(value, str | int | float | bool) else ""


def _in_all(errors: list[tuple[str, str]]) -> str:
    return "; ".join(f"{field}: {reason.rstrip('.')}" for field, reason in errors[:5]) + "."


class ProblemAnswers:
    """Middleware: what is refused below `/api/` before or behind an endpoint is a problem too, with its headers.

    Such are unknown addresses, methods that aren't there, bodies too large, faults of the server, upgrades.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if not is_api(request) or response.status_code < 400:
            return response
        kind = response.get("Content-Type", "").partition(";")[0]
        if kind == PROBLEM_JSON:
            return response
        # A page says nothing to a program.
        detail = "" if kind == "text/html" or response.streaming else _words(response, kind)
        status = 422 if response.status_code == 400 else response.status_code
        answer = problem(request, status, detail)
        for name, value in response.items():
            if name not in ("Content-Type", "Content-Length", "Cache-Control"):
                answer[name] = value
        answer.cookies = response.cookies
        return answer


def _words(response: HttpResponse, kind: str) -> str:
    """The sentence of a refusal that was meant for a script of ours."""
    if response.status_code in (404, 405, 500):
        return ""
    text = response.content.decode(errors="replace")
    if kind != "application/json":
        return text[:500]
    facts = json.loads(text)
    return str(facts.get("error") or facts.get("message") or "") if isinstance(facts, dict) else ""
