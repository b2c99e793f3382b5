"""Pages of lists: a cursor says where the next one begins, and stays right while rows come and go before it."""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from pydantic import BaseModel, ConfigDict, Field

from api.frame.endpoints import Digits
from api.frame.problems import Problem
from foundation.infra.list_pages import Order, rows_beyond

MOST = 200
T = TypeVar("T")
Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")


class Asked(BaseModel):
    """Which page of a list is asked for."""

    limit: Annotated[int, Digits, Field(ge=1, le=MOST, description="How many at most.")] = 50
    cursor: Annotated[
        str,
        Field(max_length=400, pattern=r"^[A-Za-z0-9_=-]*$", description="`next` of the page before; empty: the first."),
    ] = ""

    def place(self, *kinds: type) -> list[Any] | None:
        """Where the page before ended: values of these kinds. None for the first page. Raises: Problem."""
        if not self.cursor:
            return None
        try:
            found = json.loads(base64.urlsafe_b64decode(self.cursor))
        except ValueError:
            found = None
        if not isinstance(found, list) or [type(one) for one in found] != list(kinds):
            raise Problem(422, "This cursor is of no page of this list: begin without one.", field="query.cursor")
        return found


class Page(BaseModel, Generic[T]):
    """A page of a list."""

    model_config = ConfigDict(json_schema_extra={"description": "A page of a list."})

    items: list[T]
    next: Annotated[str | None, Field(description="The cursor of the next page; null: this is the last.")]


def _cursor(*place: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(place, separators=(",", ":")).encode()).decode()


def page_of(rows: QuerySet[Row], asked: Asked, told: Callable[[Row], T], *, newest_first: bool = False) -> Page[T]:
    """A page of rows by primary key. One SQL query, whatever the page."""
    return page_of_all(rows, asked, lambda found: [told(row) for row in found], newest_first=newest_first)


def page_of_all(
    rows: QuerySet[Row], asked: Asked, told: Callable[[list[Row]], list[T]], *, newest_first: bool = False
) -> Page[T]:
    """Like `page_of`, for a selector that takes all rows of the page at once."""
    order = Order(("-pk" if newest_first else "pk",))
    found, more = rows_beyond(rows, order, asked.place(int), size=asked.limit)
    return Page(items=told(found), next=_cursor(found[-1].pk) if more else None)


def page_of_list(
    rows: Sequence[Item],
    asked: Asked,
    told: Callable[[Sequence[Item]], list[T]],
    key: Callable[[Item], tuple[Any, ...]],
    *kinds: type,
) -> Page[T]:
    """A page of a short list that is read whole, in its own order. Args: key: what tells a row, of these kinds.

    Raises: Problem where the row at which the page before ended is gone.
    """
    place, start = asked.place(*kinds), 0
    if place is not None:
        start = next((at for at, row in enumerate(rows, start=1) if list(key(row)) == place), -1)
        if start < 0:
            raise Problem(422, "What this cursor stands at is gone from the list: begin again.", field="query.cursor")
    found = rows[start : start + asked.limit]
    more = start + asked.limit < len(rows)
    return Page(items=told(found), next=_cursor(*key(found[-1])) if more and found else None)
