"""Every list of the API, over two rows and more: pages of one walk through it, and longer pages ask no more often."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from foundation.jobs.selectors import kinds
from tests.api.callers import Caller
from tests.api.test_every_answer import OPERATIONS, who_asks
from tests.api.test_foreign_rows import path_to
from tests.api.whole_worlds import build_whole_world, names_of_rows

LISTS = sorted(
    label
    for label, operation in OPERATIONS.items()
    if label.startswith("GET ") and "cursor" in [parameter.name for parameter in operation.query]
)
A_ROW = {
    # One for each kind of job that stands on the page, of which there are fifteen.
    "GET /api/v1/collections/{name}/jobs": 1,
}
"""Statements that each row more takes, where rows stay few."""


@pytest.fixture(scope="module")
def founded(once_a_file: Any) -> None:
    def found() -> None:
        build_whole_world("paper")
        build_whole_world("other")
        at = timezone.now()
        # Jobs asked for at the same moment, as those of one transaction are.
        for model in kinds().values():
            # Ended ones: of those under way each is looked up, whether a worker has it.
            model._default_manager.update(asked_at=at)
            model._default_manager.filter(state__in=model.TURN).update(state=model.DONE)

    once_a_file(found)


@pytest.fixture(scope="module")
def rows(founded: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    with django_db_blocker.unblock():
        yield names_of_rows()


@pytest.mark.django_db
@pytest.mark.parametrize("label", LISTS)
def test_pages_of_one_walk_through_a_list_and_a_longer_page_asks_no_more_often(
    label: str, settings: Any, rows: dict[str, Any]
) -> None:
    settings.API_PER_MINUTE = 10**9
    caller, path = Caller(who_asks(label)), path_to(OPERATIONS[label], rows).removeprefix("/api/v1")

    def asked(limit: int, cursor: str = "") -> tuple[Any, int]:
        with CaptureQueriesContext(connection) as captured:
            response = caller.get(f"{path}?limit={limit}&cursor={cursor}")
        assert response.status_code == 200, response.content
        return response.json(), len(captured)

    asked(1)
    (whole, statements), (first, of_one) = asked(200), asked(1)
    assert len(whole["items"]) >= 2, "too few rows to tell"
    assert statements <= of_one + A_ROW.get(label, 0) * (len(whole["items"]) - 1)
    walked = first["items"]
    for _ in whole["items"]:
        if first["next"] is None:
            break
        first, _ = asked(1, first["next"])
        assert len(first["items"]) == 1
        walked += first["items"]
    assert walked == whole["items"]
