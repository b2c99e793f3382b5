"""A row of another collection is none: every operation that names one answers 404, and changes nothing of it."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
import schemathesis
from django.db import connection, transaction
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as bounded
from schemathesis.core import NOT_SET
from schemathesis.generation import GenerationMode

from api.v1.api import description
from tests.api.callers import Caller
from tests.api.test_every_answer import shortened
from tests.api.whole_worlds import build_whole_world, names_of_rows
from tests.conftest import find_world

pytestmark = pytest.mark.long

SCHEMA = schemathesis.openapi.from_dict(shortened(description()))
OPERATIONS = {operation.ok().label: operation.ok() for operation in SCHEMA.get_all_operations()}
NAMING = re.compile(r"\{(\w+_id|file|upload)\}")
OF_COLLECTIONS = sorted(
    label
    for label, operation in OPERATIONS.items()
    if "/collections/{name}/" in operation.path and NAMING.search(operation.path)
)


def found_both() -> None:
    build_whole_world("paper")
    build_whole_world("other")


@pytest.fixture(scope="module")
def founded(once_a_file: Any) -> None:
    once_a_file(found_both)


@pytest.fixture(scope="module")
def rows(founded: None, django_db_blocker: Any) -> Iterator[dict[str, dict[str, Any]]]:
    with django_db_blocker.unblock():
        yield {name: names_of_rows(name) for name in ("paper", "other")}


def path_to(operation: Any, rows: dict[str, Any]) -> str:
    """The operation's path with these rows; two kinds have names that others have as well."""
    path = operation.path
    if "/pool-runs/" in path:
        path = path.replace("{run_id}", "{pool_run_id}")
    if "/exam/items/" in path:
        path = path.replace("{item_id}", "{exam_item_id}")
    return re.sub(r"\{(\w+)\}", lambda match: str(rows[match[1]]), path)


def sent_to(operation: Any) -> Any:
    """What its description takes, the simplest: a case with `query` and `body`."""
    cases: list[Any] = []

    @bounded(
        max_examples=1, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
    def keep(case: Any) -> None:
        cases.append(case)

    keep()
    return cases[0]


def asked(caller: Caller, path: str, case: Any) -> Any:
    """Ask as the API's clients do, with nothing kept of what it changed."""
    method, path = case.method.upper(), f"{path}?{urlencode(case.query or {})}"
    with transaction.atomic():
        if case.method.upper() == "PATCH" and ("{file}" in case.path or "{upload}" in case.path):
            response = caller.piece(path.removeprefix("/api/v1"), 0, b"x")
        else:
            body = None if isinstance(case.body, type(NOT_SET)) else case.body
            response = caller.ask(method, path.removeprefix("/api/v1"), body)
        transaction.set_rollback(True)
    return response


def rows_now() -> dict[str, str]:
    """A digest of every table but those that say who asked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        tables = [table for (table,) in cursor.fetchall() if not table.startswith(("django_", "foundation_apitoken"))]
        digests = {}
        for table in tables:
            cursor.execute(f'SELECT md5(string_agg(row::text, chr(10) ORDER BY row::text)) FROM "{table}" AS row')
            digests[table] = cursor.fetchone()[0]
    return digests


@pytest.mark.django_db
@pytest.mark.parametrize("label", OF_COLLECTIONS)
def test_a_row_of_another_collection_is_not_found(
    label: str, settings: Any, folder: Any, rows: dict[str, dict[str, Any]]
) -> None:
    """Ada owns both collections, and asks for each row that the path names by the address of the other one."""
    settings.API_PER_MINUTE = 10**9
    operation = OPERATIONS[label]
    caller = Caller(find_world()["ada"])
    case = sent_to(operation)
    own = asked(caller, path_to(operation, rows["paper"]), case)
    assert own.status_code != 404 or own.json()["detail"] not in ("", "There is nothing at this address."), own.content
    before = rows_now()
    for name in set(NAMING.findall(operation.path)):
        key = {"run_id": "pool_run_id"}.get(name, name) if "/pool-runs/" in operation.path else name
        key = "exam_item_id" if "/exam/items/" in operation.path else key
        mixed = {**rows["paper"], key: rows["other"][key]}
        response = asked(caller, path_to(operation, mixed), case)
        assert response.status_code == 404 or (case.method, response.status_code) == ("DELETE", 204), (
            name, response.status_code, response.content[:300],
        )  # fmt: skip
    assert rows_now() == before
