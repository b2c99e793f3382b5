"""Version 1 as a whole: its endpoints, how it refuses, its description."""

from functools import lru_cache
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest
from django.http.request import RawPostDataException
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationErrorContext
from ninja.errors import ValidationError as Unreadable
from ninja.parser import Parser
from pydantic_core import from_json

from api import v1
from api.frame import problems
from api.frame.description import ABOUT, described
from foundation.access.throttle import Throttled
from foundation.infra.task_queue import QueueAway
from foundation.refused import Refused
from foundation.text import is_seen

NO_SUBJECTS = ("api.v1.api", "api.v1.schema_view")
SUBJECTS = tuple(
    import_module(found.name).endpoints
    for found in walk_packages(v1.__path__, "api.v1.")
    if not found.ispkg and found.name not in NO_SUBJECTS
)
"""Of every other module below `api.v1`."""


class BodyParser(Parser):
    """Bodies as JSON, read by pydantic's parser, which knows how deep one may go; a text that shows nothing is ""."""

    def parse_body(self, request: HttpRequest) -> Any:
        return _seen(from_json(request.body))


def _seen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _seen(value) for name, value in value.items()}
    if isinstance(value, list):
        return [_seen(value) for value in value]
    return "" if isinstance(value, str) and not value.isascii() and not is_seen(value) else value


class Api(NinjaAPI):
    """Ninja's API, whose errors keep what was found."""

    def validation_error_from_error_contexts(self, error_contexts: list[ValidationErrorContext[Any]]) -> Unreadable:
        errors = []
        for context in error_contexts:
            model: Any = context.model
            for error in context.pydantic_validation_error.errors(include_url=False, include_context=False):
                place = model.__ninja_flatten_map_reverse__.get(error["loc"], error["loc"])
                errors.append({**error, "loc": (model.__ninja_param_source__, *place)})
        return Unreadable(errors)


def _raise(request: HttpRequest, fault: Exception) -> Any:
    """Faults are Django's to note; `ProblemAnswers` says that there was one."""
    raise fault


def make_api() -> NinjaAPI:
    """The API with all its endpoints."""
    api = Api(
        title="Qreels",
        version="1",
        description=ABOUT,
        openapi_url=None,
        docs_url=None,
        urls_namespace="api",
        parser=BodyParser(),
    )
    for fault, answer in (
        (Exception, _raise),
        (problems.Problem, problems.of_problem),
        (Throttled, problems.of_throttled),
        (Http404, problems.of_missing),
        (PermissionDenied, problems.of_forbidden),
        (Refused, problems.of_refused),
        (QueueAway, problems.of_queue_away),
        (ValidationError, problems.of_invalid),
        (Unreadable, problems.of_unreadable),
        (HttpError, problems.of_unparsed),
        (RawPostDataException, problems.of_unparsed),  # a form, which the check against forgery has read
    ):
        api.add_exception_handler(fault, answer)  # type: ignore[arg-type]  # each takes its own fault
    for subject in SUBJECTS:
        api.add_router("", subject.router)
    return api


api = make_api()


@lru_cache(maxsize=1)
def description() -> dict[str, Any]:
    """The description in OpenAPI 3.1."""
    return described(api)
