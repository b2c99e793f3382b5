"""The description of the API in OpenAPI 3.1: what ninja reads off the endpoints, with every refusal."""

from typing import Any

from ninja import NinjaAPI

from api.frame.problems import PROBLEM_JSON, ProblemDetails, problem_example, title_of

COMMON = (401, 403, 404, 429, 500, 503)
"""What every endpoint may answer."""
WITH_BODY = (409, 413, 415)
ABOUT = """\
What programs read and change on a Qreels site, by the rules of its pages. Send a token (made on the page Tokens) in the
header `Authorization: Bearer TOKEN`; scripts of the site itself go by the browser's login and send `X-CSRFToken` with
what changes something. Lists come in pages: `next` is the cursor of the page after. Times are ISO 8601 in UTC, shares 0
to 1. A refusal is `application/problem+json` (RFC 9457) with what is wrong, field by field."""


def described(api: NinjaAPI) -> dict[str, Any]:
    """The whole description, the same for the same code."""
    description: dict[str, Any] = dict(api.get_openapi_schema(path_prefix="api/v1"))
    description["components"]["schemas"]["ProblemDetails"] = ProblemDetails.model_json_schema(
        ref_template="#/components/schemas/{model}"
    )
    schemas = description["components"]["schemas"]
    schemas |= schemas["ProblemDetails"].pop("$defs")
    description["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "A token of the page Tokens."},
        "login": {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "The browser's own login."},
    }
    description["components"]["responses"] = {
        str(status): {
            "description": title_of(status),
            "content": {
                PROBLEM_JSON: {
                    "schema": {"$ref": "#/components/schemas/ProblemDetails"},
                    "example": problem_example(status),
                }
            },
        }
        for status in sorted({*COMMON, *WITH_BODY, 422, 405, 507})
    }
    for methods in description["paths"].values():
        for method, operation in methods.items():
            _refusals(method, operation)
    description["paths"] = dict(sorted(description["paths"].items()))
    description["components"]["schemas"] = dict(sorted(schemas.items()))
    return description


def _refusals(method: str, operation: dict[str, Any]) -> None:
    """Add what an operation may refuse, and how it is asked for."""
    for parameter in operation["parameters"]:
        # Its schema has them; beside it OpenAPI wants them named.
        parameter.pop("examples", None)
    responses = {str(status): response for status, response in operation["responses"].items()}
    statuses = [*COMMON, 405]
    if operation["parameters"] or "requestBody" in operation:
        statuses.append(422)
    if method != "get":
        statuses += WITH_BODY
    else:
        responses["304"] = {"description": "As the ETag says that you have it."}
        responses["200"].setdefault("headers", {})["ETag"] = {"schema": {"type": "string"}}
    responses |= {str(status): {"$ref": f"#/components/responses/{status}"} for status in statuses}
    operation["responses"] = dict(sorted(responses.items()))
    operation["security"] = [{"token": []}, {"login": []}]
