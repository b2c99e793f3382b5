"""Every endpoint is asked what its description allows and what it doesn't: no 500, and every answer as described."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as bounded
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks

from api.v1.api import description
from foundation.models import Account, Membership
from tests.api.callers import Caller
from tests.api.whole_worlds import build_whole_world, names_of_rows
from tests.conftest import find_world

pytestmark = pytest.mark.long

EXAMPLES = 3
"""Of each kind, of each endpoint: always the same ones."""
CHECKS: list[Any] = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
LONGEST = 2_000
"""Characters of what is sent. Schemathesis builds a regular expression of each length, which takes half a second for
the 900,000 that a file in base 64 may have, each time; its examples are never as long."""


def shortened(schema: Any) -> Any:
    """A description with lower limits of what may be sent."""
    if isinstance(schema, list):
        return [shortened(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: shortened(part) for name, part in schema.items()}
    if isinstance(made.get("maxLength"), int):
        made["maxLength"] = min(LONGEST, made["maxLength"])
    return made


SCHEMA = schemathesis.openapi.from_dict(shortened(description()))
SCHEMA.app = get_wsgi_application()
OF_ANNOTATORS = re.compile(r"/(judging|practice|qualification|exam/(begin|next|grade|undo|hand-in|feedback))")
OPERATIONS = {operation.ok().label: operation.ok() for operation in SCHEMA.get_all_operations()}


@pytest.fixture(scope="module")
def founded(once_a_file: Any) -> None:
    once_a_file(build_whole_world)


@pytest.fixture(scope="module")
def rows(founded: None, django_db_blocker: Any) -> dict[str, Any]:
    """What the paths' names stand for in that world."""
    with django_db_blocker.unblock():
        return names_of_rows()


def who_asks(label: str) -> Account | Membership:
    """An annotator in judging, a campaign's team in what is teams', the lead elsewhere."""
    if "/campaigns" in label and "/collections/" not in label:
        return Account.objects.get(username="kite")
    return find_world()["cy" if OF_ANNOTATORS.search(label) else "ada"]


@pytest.fixture
def in_process(db: None) -> Iterator[None]:
    """Requests by WSGI share the test's transaction, as those of Django's own client do."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("label", sorted(OPERATIONS))
def test_every_answer_is_as_described(label: str, settings: Any, folder: Path, rows: dict[str, Any]) -> None:
    settings.API_PER_MINUTE = 10**9
    operation = OPERATIONS[label]
    caller = Caller(who_asks(label))
    known = {parameter.name: rows[parameter.name] for parameter in operation.path_parameters if parameter.name in rows}
    if "webhook_id" in known and "/collections/" not in label:
        known["webhook_id"] = rows["webhook_of_the_site"]
    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
        wanted: dict[str, Any] = {"path_parameters": known} if known else {}
        strategy = operation.as_strategy(generation_mode=mode, **wanted)

        @bounded(
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=strategy)
        def ask(case: Any) -> None:
            with transaction.atomic():
                response = case.call(headers={"Authorization": f"Bearer {caller.made.token}"})
                transaction.set_rollback(True)
            case.validate_response(response, checks=CHECKS)

        ask()
