"""Pages of lists: a cursor says where the next one begins, and stays right while rows come and go before it."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from django.db.models import Model, QuerySet
from ninja import Query
from pydantic import BaseModel, ConfigDict, Field

from api.frame.endpoints import Digits
from api.frame.problems import Problem
from foundation.infra.list_pages import Order, cursor_at, place_at, rows_beyond, salt_of

MOST = 200
WHOLE = "a list read whole"
"""Salt of the cursors of such lists: they hold what tells an item, which is looked for in the list."""
T = TypeVar("T")
Row = TypeVar("Row", bound=Model)
Item = TypeVar("Item")


class Asked(BaseModel):
    """Which page of a list is asked for."""

    limit: Annotated[int, Digits, Field(ge=1, le=MOST, description="How many at most.")] = 50
    cursor: str = Field(
        "", max_length=400, pattern=r"^[A-Za-z0-9_:-]*$", description="`next` of the page before; empty: the first."
    )


AskedPage = Query[Asked]


class Page(BaseModel, Generic[T]):
    """A page of a list."""

    model_config = ConfigDict(json_schema_extra={"description": "A page of a list."})

    items: list[T]
    next: str | None = Field(description="The cursor of the next page; null: this is the last.")


def _place(asked: Asked, salt: str) -> list[Any] | None:
    """Where the page before ended. None for the first page. Raises: Problem."""
    place = place_at(asked.cursor, salt)
    if place is None and asked.cursor:
        raise Problem(422, "This cursor is of no page of this list: begin without one.", field="query.cursor")
    return place


def page_of(rows: QuerySet[Row], asked: Asked, answer: Callable[[Row], T], *, newest_first: bool = False) -> Page[T]:
    """A page of rows by primary key. One SQL query, whatever the page."""
    return page_of_all(rows, asked, lambda shown: [answer(row) for row in shown], newest_first=newest_first)


def page_of_all(
    rows: QuerySet[Row], asked: Asked, answers: Callable[[list[Row]], list[T]], *, newest_first: bool = False
) -> Page[T]:
    """Like `page_of`, for a selector that takes all rows of the page at once."""
    order = Order(("-pk" if newest_first else "pk",))
    salt = salt_of(rows, order)
    shown, more = rows_beyond(rows, order, _place(asked, salt), size=asked.limit)
    return Page(items=answers(shown), next=cursor_at(order.place(shown[-1]), salt) if more else None)


def page_of_list(
    rows: Sequence[Item],
    asked: Asked,
    answers: Callable[[Sequence[Item]], list[T]],
    key: Callable[[Item], Sequence[Any]],
) -> Page[T]:
    """A page of a short list that is read whole, in its own order. Args: key: what tells an item from the others.

    Raises: Problem where the item at which the page before ended is gone.
    """
    place, start = _place(asked, WHOLE), 0
    if place is not None:
        start = next((at for at, row in enumerate(rows, start=1) if list(key(row)) == place), 0)
        if not start:
            raise Problem(422, "What this cursor stands at is gone from the list: begin again.", field="query.cursor")
    shown, more = rows[start : start + asked.limit], len(rows) > start + asked.limit
    return Page(items=answers(shown), next=cursor_at(key(shown[-1]), WHOLE) if more else None)
