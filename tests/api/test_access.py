"""Who may ask which endpoint: every role by login and by token, strangers, foreign tokens, tokens without the scope."""

# ruff: noqa: F811 - a parameter has the name of the fixture that is imported

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from api.v1.api import description
from foundation.access.api_tokens import MadeToken, make_token
from foundation.models import Account, ApiToken, Collection
from tests.api.callers import EVERY_SCOPE, Caller
from tests.api.endpoint_rules import ACCOUNT, ANNOTATOR, MAY, OF_ARCHIVED, RULES, SITE_OWNER, TRAINEE
from tests.test_access import (
    collection,  # noqa: F401 - fixtures
    founded,  # noqa: F401 - fixtures
    logged_in,
)

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("with_tokens")]
_tokens: dict[tuple[str, tuple[str, ...]], MadeToken] = {}
"""By whose they are and their scopes, made once for this file."""

ENDPOINTS = {
    operation["operationId"]: (method.upper(), path)
    for path, methods in description()["paths"].items()
    for method, operation in methods.items()
}


@pytest.fixture(scope="module")
def with_tokens(founded: None, once_a_file: Any) -> Iterator[None]:
    """A site owner, a second collection, and everybody's tokens: to what some endpoint needs, and to all but that."""

    def found() -> None:
        Collection.objects.create(name="elsewhere", title="Elsewhere")
        Account.objects.create(username="sue", is_superuser=True)
        needed = {tuple(scopes) for _, *scopes in RULES.values()}
        wanted = {(scope,) for scopes in needed for scope in scopes} | {_lacking(scopes) for scopes in needed}
        for account in Account.objects.all():
            for scopes in wanted:
                _tokens[account.username, scopes] = make_token(account=account, name="a test", scopes=scopes)

    once_a_file(found)
    yield
    _tokens.clear()


def _lacking(scopes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(scope for scope in EVERY_SCOPE if scope not in scopes)


def by_token(who: str, scopes: tuple[str, ...]) -> Client:
    return Client(headers={"Authorization": f"Bearer {_tokens[who, scopes].token}"}, raise_request_exception=False)


def ask(client: Client, endpoint: str, *, name: str = "paper") -> Any:
    """Ask for a row that may not be there, with a body that may be wrong: who may is told so by the guard before."""
    method, path = ENDPOINTS[endpoint]
    path = re.sub(r"\{\w+_id\}|\{version\}", "1", path.replace("{name}", name))
    return client.generic(method, re.sub(r"\{\w+\}", "x", path), b"[]", content_type="application/json")


def without_limit(settings: Any) -> None:
    settings.API_PER_MINUTE = 10**9


def test_every_endpoint_is_under_a_rule() -> None:
    assert set(ENDPOINTS) == set(RULES)


@pytest.mark.parametrize("endpoint", sorted(RULES))
def test_who_may_ask_what(collection: Collection, endpoint: str, settings: Any) -> None:
    without_limit(settings)
    role, *scopes = RULES[endpoint]
    for who in ("olga", "ada", "bo", "mal", *(["sue"] if role == SITE_OWNER else [])):
        callers = {"login": logged_in(who)}
        callers |= {f"token to {scope}": by_token(who, (scope,)) for scope in scopes}
        for how, client in callers.items():
            status = ask(client, endpoint).status_code
            if who in MAY[role]:
                assert status not in (401, 403, 405) and status < 500, (who, how, status)
            else:
                assert status == (404 if who == "mal" and role != SITE_OWNER else 403), (who, how, status)
            assert how == "login" or status != 403 or who not in MAY[role]
        assert ask(by_token(who, _lacking(tuple(scopes))), endpoint).status_code == 403
    for client in (Client(), Client(headers={"Authorization": "Bearer of-nobody"})):
        refused = ask(client, endpoint)
        assert (refused.status_code, refused["Content-Type"]) == (401, "application/problem+json")
    if role != ACCOUNT:
        whose = "sue" if role == SITE_OWNER else "olga"
        other = Collection.objects.get(name="elsewhere")
        ApiToken.objects.filter(pk=_tokens[whose, (scopes[0],)].row.pk).update(collection=other)
        expected = 403 if role == SITE_OWNER else 404
        assert ask(by_token(whose, (scopes[0],)), endpoint).status_code == expected, "a token of another collection"


@pytest.mark.parametrize(
    "endpoint", sorted(name for name, (role, *_) in RULES.items() if role not in (ACCOUNT, SITE_OWNER))
)
def test_a_stranger_s_404_is_that_of_a_collection_that_is_not_there(collection: Collection, endpoint: str) -> None:
    mal = logged_in("mal")
    there, gone = ask(mal, endpoint), ask(mal, endpoint, name="no-such")
    assert (there.status_code, gone.status_code) == (404, 404)
    assert there.content.replace(b"/paper", b"/no-such") == gone.content


@pytest.mark.parametrize("endpoint", sorted(name for name, (method, _) in ENDPOINTS.items() if method != "GET"))
def test_what_changes_something_needs_the_token_against_forgery(collection: Collection, endpoint: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(Account.objects.get(username="olga"))
    refused = ask(client, endpoint)
    assert refused.status_code == 403
    assert refused.json()["errors"][0]["field"] == "header.X-CSRFToken"


def test_an_archived_collection_is_only_read(collection: Collection, settings: Any) -> None:
    without_limit(settings)
    olga = Caller(Account.objects.get(username="olga"))
    assert olga.post("/collections/paper/archive").status_code == 200
    for endpoint, (method, path) in ENDPOINTS.items():
        if "{name}" not in path or RULES[endpoint][0] in (ANNOTATOR, TRAINEE) or endpoint == "restore_a_collection":
            continue
        status = ask(olga.client, endpoint).status_code
        assert status != 403 if method == "GET" or endpoint in OF_ARCHIVED else status == 403, endpoint
    assert olga.post("/collections/paper/restore").json()["archived_at"] is None
