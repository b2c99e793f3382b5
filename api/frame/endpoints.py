"""`Endpoints`: the addresses of a subject. What every endpoint does besides its own: guard, refusals, ETag, repeats."""

import hashlib
import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any, TypeVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from ninja import Path, Router
from pydantic import BeforeValidator, Field, TypeAdapter

from api.frame.calls import OF_NO_COLLECTION, Call, Guard, Scope, Who
from api.frame.repeats import HEADER, key_of, once
from foundation.access.form_input import whole_number
from foundation.access.guards import takes_uploads

Id = Annotated[int, Path(ge=1, le=2**63 - 1)]
"""The number of a row, in a path."""
Digits = BeforeValidator(lambda value: _in_digits(value))
"""For numbers in a query or header: digits alone, where pydantic also takes "+5", " 5", "5.0" and "1_0"."""
Start = Annotated[int, Digits, Field(ge=0, le=10_000_000)]
"""The first row of a list that the answer has, from 0."""
Name = Annotated[str, Path(pattern="^[-a-zA-Z0-9_]{1,60}$", examples=["theatre"])]
STORABLE = "^[^\\x00]*$"
"""The pattern of a text that PostgreSQL can store."""
Storable = Annotated[str, Field(pattern=STORABLE)]
Text = Annotated[Storable, Field(max_length=100_000)]

View = Callable[..., Any]
V = TypeVar("V", bound=View)
Scopes = str | Sequence[str]
BYTES = "application/octet-stream"


def _in_digits(value: Any) -> Any:
    if isinstance(value, str) and whole_number(value) is None:
        raise ValueError("expected a number in digits alone")
    return value


class Endpoints:
    """The endpoints of one subject, in ninja's router."""

    def __init__(self, subject: str) -> None:
        self.router = Router(tags=[subject])
        self.uploads: dict[str, Callable[[View], View]] = {}
        """URL name -> what marks its view as one that takes large bodies (config/web/limits.py)."""

    def read(self, path: str, **options: Any) -> Callable[[V], V]:
        """GET: changes nothing. Options as of `_endpoint`."""
        return self._endpoint("GET", path, **{"scope": Scope.READ, **options})

    def make(self, path: str, *, scope: Scopes, **options: Any) -> Callable[[V], V]:
        """POST that makes something: 201. It takes an `Idempotency-Key`."""
        return self._endpoint("POST", path, scope=scope, **{"status": 201, "repeats": True, **options})

    def act(self, path: str, *, scope: Scopes, **options: Any) -> Callable[[V], V]:
        """POST that does something with what is there: 200."""
        return self._endpoint("POST", path, scope=scope, **options)

    def change(self, path: str, *, scope: Scopes, **options: Any) -> Callable[[V], V]:
        """PATCH: fields that aren't sent stay."""
        return self._endpoint("PATCH", path, scope=scope, **options)

    def piece(self, path: str, *, scope: Scopes, longest: int, **options: Any) -> Callable[[V], V]:
        """PATCH whose body is a piece of a file, of up to `longest` bytes, which the view reads off the request."""
        return self._endpoint("PATCH", path, scope=scope, longest=longest, stores=True, **options)

    def remove(self, path: str, *, scope: Scopes, **options: Any) -> Callable[[V], V]:
        """DELETE: 204, also where it was gone already."""
        return self._endpoint("DELETE", path, scope=scope, status=204, **options)

    def _endpoint(
        self,
        method: str,
        path: str,
        *,
        scope: Scopes,
        who: Who = Who.LEAD,
        status: int = 200,
        repeats: bool = False,
        of_archived: bool = False,
        of_studies: bool = False,
        content: str = "",
        stores: bool = False,
        longest: int = 0,
    ) -> Callable[[V], V]:
        """Declare an endpoint; the view gets its `Call` first, then what its signature names. What it returns is made
        into the type that the signature says, which is the answer's; None: no content.

        Args:
            path: below the collection's, but for an endpoint for accounts, which is of no collection.
            content: the media type where the view answers with a file.
            scope: which a token needs; of several, one.
            stores: whether it keeps a file, for which there may be no room: 507.
            longest: bytes of a body that is no JSON; 0: it takes none.
        """
        path = path if who in OF_NO_COLLECTION else f"/collections/{{slug:name}}{path}"
        scopes = (scope,) if isinstance(scope, str) else tuple(scope)
        takes_key = repeats

        def decorate(view: V) -> V:
            returns = None if content else view.__annotations__["return"]
            adapter = None if returns is None else TypeAdapter(returns)

            @wraps(view)
            def run(request: HttpRequest, **values: Any) -> HttpResponseBase:
                values.pop("name", None)
                call: Call = request.auth  # type: ignore[attr-defined]  # ninja puts there what `Guard` returns

                def answer() -> HttpResponseBase:
                    returned = view(call, **values)
                    return returned if isinstance(returned, HttpResponseBase) else _response(returned, adapter, status)

                key = key_of(request) if takes_key else ""
                response = once(call.account, key, request, answer) if key else answer()
                return _conditional(request, response)

            run.__signature__ = _signature(view, path)  # type: ignore[attr-defined]  # inspect reads it
            declare = self.router.api_operation(
                [method],
                path,
                auth=Guard(scopes, who, of_archived=of_archived, of_studies=of_studies),
                response={status: returns},
                operation_id=view.__name__,
                summary=(view.__doc__ or "").partition("\n")[0].rstrip("."),
                description=_description(view, scopes, who),
                url_name=url_name(path),
                openapi_extra=_extra(method, status, content, takes_key=takes_key, stores=stores, longest=longest),
            )
            if longest:
                uploaders = "members" if who is Who.MEMBER else "leads"
                self.uploads[url_name(path)] = takes_uploads(uploaders, method=method, longest=longest, scopes=scopes)
            declare(run)
            return view

        return decorate


def url_name(path: str) -> str:
    """The URL name of a path's pattern.

    >>> url_name("/collections/{slug:name}/jobs/{slug:kind}/{int:job_id}")
    'api-collections-name-jobs-kind-job_id'
    """
    parts = [part.strip("{}").rpartition(":")[2] for part in path.split("/") if part]
    return "-".join(["api", *parts])


def _signature(view: View, path: str) -> inspect.Signature:
    """The view's signature as ninja reads it: a request first, and the collection's name where the path has it."""
    call, *others = inspect.signature(view).parameters.values()
    kinds = inspect.Parameter.KEYWORD_ONLY
    request = call.replace(name="request", annotation=HttpRequest)
    named = [inspect.Parameter("name", kinds, annotation=Name)] if "{slug:name}" in path else []
    return inspect.Signature([request, *named, *(parameter.replace(kind=kinds) for parameter in others)])


def _description(view: View, scopes: tuple[str, ...], who: Who) -> str:
    more = inspect.cleandoc(view.__doc__ or "").partition("\n")[2].strip()
    return "\n\n".join([*([more] if more else []), f"For {who}. Scope of a token: `{'` or `'.join(scopes)}`."])


def _extra(method: str, status: int, content: str, *, takes_key: bool, stores: bool, longest: int) -> dict[str, Any]:
    headers = []
    if method == "GET":
        headers.append(("If-None-Match", "The ETag of an answer that you have: 304 where it still holds."))
    if takes_key:
        headers.append((HEADER, "Any text of up to 100 characters. Sent again with the same, nothing is made twice."))
    extra: dict[str, Any] = {
        "parameters": [
            {"in": "header", "name": name, "required": False, "schema": {"type": "string"}, "description": words}
            for name, words in headers
        ]
    }
    if stores:
        extra["responses"] = {507: {"$ref": "#/components/responses/507"}}
    if longest:
        sent = {"type": "string", "format": "binary", "maxLength": longest}
        extra["requestBody"] = {"required": True, "content": {BYTES: {"schema": sent}}}
    if content:
        schema = {} if content == "application/json" else {"type": "string", "format": "binary"}
        media = {content: {"schema": schema}}
        extra["responses"] = {status: {"description": "The file.", "content": media}}
    return extra


def _response(returned: Any, adapter: TypeAdapter[Any] | None, status: int) -> HttpResponse:
    if adapter is None:
        return HttpResponse(status=status)
    checked = adapter.validate_python(returned)
    return HttpResponse(adapter.dump_json(checked), status=status, content_type="application/json")


def _conditional(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """With an ETag by its content, and 304 where the caller has just that."""
    if request.method != "GET" or response.status_code != 200 or not isinstance(response, HttpResponse):
        return response
    response["ETag"] = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
    return get_conditional_response(request, etag=response["ETag"], response=response) or response
