"""Pages of lists that grow with a collection: none costs more than the first, however long the list is.

The first `COUNTED` rows have page numbers, as the pages of short lists do. Beyond, nothing is counted: a page begins
after the row at which the one before ended, which its link names (a cursor). Where an index has the list's order, it
leads there.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, Generic, TypeVar

from django.core import signing
from django.core.paginator import Paginator
from django.db.models import F, Func, Model, OrderBy, Q, QuerySet, TextField, Value
from django.db.models.lookups import GreaterThan, LessThan

COUNTED = 10_000
"""Rows that a list is counted to, and that are skipped for a page by its number, at most."""
T = TypeVar("T")
Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True, slots=True)
class Link:
    """Parameters of the address of another page of the list; None: the address has none."""

    page: int | None = None
    after: str | None = None
    before: str | None = None


@dataclass(slots=True)
class ListPage(Generic[T]):
    """A page of a list, for `templates/foundation/pager.html`.

    number: from 1; None: the page was asked for by a cursor. count, pages: of the whole list, or of its first `COUNTED`
    rows where there are `more`. previous, next: None at the ends.
    """

    rows: list[T]
    number: int | None
    pages: int
    count: int
    more: bool
    previous: Link | None
    next: Link | None

    def __iter__(self) -> Iterator[T]:
        return iter(self.rows)


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a list: names as `order_by` takes them, which together tell any two rows apart.

    nullable: those of them that may be null; nulls are last, in either direction.
    """

    keys: tuple[str, ...]
    nullable: frozenset[str] = frozenset()

    def expressions(self, *, backwards: bool = False) -> list[OrderBy]:
        """For `order_by`."""
        return [self._expression(key, backwards) for key in self.keys]

    def _expression(self, key: str, backwards: bool) -> OrderBy:
        name, descending = _parsed(key)
        nulls = ({"nulls_first": True} if backwards else {"nulls_last": True}) if name in self.nullable else {}
        return F(name).desc(**nulls) if descending != backwards else F(name).asc(**nulls)

    def place(self, row: Any) -> list[Any]:
        """The row's values of the keys, of JSON's types."""
        values = [reduce(getattr, _parsed(key)[0].split("__"), row) for key in self.keys]
        return [value.isoformat() if isinstance(value, datetime) else value for value in values]

    def beyond(self, place: Sequence[Any], *, backwards: bool) -> Q:
        """The condition that a row comes after a place, or before it."""
        first, descending = _parsed(self.keys[0])
        same_direction = len({_parsed(key)[1] for key in self.keys}) == 1
        bound = Q() if first in self.nullable else Q(**{f"{first}__{_beyond(descending, backwards)}e": place[0]})
        if same_direction and not self.nullable:
            # To a comparison of rows an index leads, and to the bound where the keys are of several tables.
            compare = LessThan if descending != backwards else GreaterThan
            return bound & Q(compare(_Row(*(F(_parsed(key)[0]) for key in self.keys)), _Row(*map(Value, place))))
        passed, same = Q(pk__in=[]), Q()
        for key, value in zip(self.keys, place, strict=True):
            passed |= same & self._passed(key, value, backwards)
            same &= Q(**{f"{_parsed(key)[0]}__isnull": True} if value is None else {_parsed(key)[0]: value})
        return bound & passed

    def _passed(self, key: str, value: Any, backwards: bool) -> Q:
        name, descending = _parsed(key)
        if value is None:
            return Q(**{f"{name}__isnull": False}) if backwards else Q(pk__in=[])
        passed = Q(**{f"{name}__{_beyond(descending, backwards)}": value})
        return passed | Q(**{f"{name}__isnull": True}) if name in self.nullable and not backwards else passed


class _Row(Func):
    function = "ROW"
    output_field = TextField()


def rows_beyond(
    rows: QuerySet[Row], order: Order, place: Sequence[Any] | None, *, size: int, backwards: bool = False
) -> tuple[list[Row], bool]:
    """The next rows after a place, the nearest first, and whether there are more; None: from the list's beginning. One
    SQL query."""
    beyond = rows if place is None else rows.filter(order.beyond(place, backwards=backwards))
    nearest = list(beyond.order_by(*order.expressions(backwards=backwards))[: size + 1])
    return nearest[:size], len(nearest) > size


def numbered_page(rows: "Sequence[T] | QuerySet[Any, T]", sent: Mapping[str, str], *, size: int) -> ListPage[T]:
    """A page of rows in their own order, as an address's `page` asks for it; anything else asks for the first one. For
    lists that are short, or at hand anyway."""
    page = Paginator(rows, size).get_page(sent.get("page"))
    number, pages = page.number, page.paginator.num_pages
    return ListPage(
        rows=list(page),
        number=number,
        pages=pages,
        count=page.paginator.count,
        more=False,
        previous=Link(page=number - 1) if number > 1 else None,
        next=Link(page=number + 1) if number < pages else None,
    )


def list_page(rows: QuerySet[Row], sent: Mapping[str, str], order: Order, *, size: int) -> ListPage[Row]:
    """A page of rows in an order, as an address's `page`, `after` or `before` ask for it; anything else asks for the
    first one. Two SQL queries.

    A cursor is signed, so that it holds values which were a row's, in a list with these keys.
    """
    counted = rows.order_by().values("pk")[: COUNTED + 1].count()
    more = counted > COUNTED
    places = numbered_page(range(min(counted, COUNTED)), sent, size=size)
    salt = salt_of(rows, order)

    def cursor(row: Row) -> str:
        return cursor_at(order.place(row), salt)

    def page(shown: list[Row], number: int | None, previous: Link | None, following: Link | None) -> ListPage[Row]:
        return ListPage(shown, number, places.pages, places.count, more, previous, following)

    for name in ("after", "before"):
        backwards = name == "before"
        place = place_at(sent.get(name, ""), salt)
        if place is None:
            continue
        shown, left = rows_beyond(rows, order, place, size=size, backwards=backwards)
        if not shown or (backwards and not left):
            # Nothing comes after that row any more, or the list begins there: the first page has all that it had.
            break
        if backwards:
            shown.reverse()
        following = Link(after=cursor(shown[-1])) if left or backwards else None
        return page(shown, None, Link(before=cursor(shown[0])), following)
    shown = list(rows.order_by(*order.expressions())[places.rows[0] : places.rows[-1] + 1] if places.rows else [])
    beyond = Link(after=cursor(shown[-1])) if more and shown else None
    return page(shown, places.number, places.previous, places.next or beyond)


def _beyond(descending: bool, backwards: bool) -> str:
    """The look-up of what comes after a value."""
    return "lt" if descending != backwards else "gt"


def _parsed(key: str) -> tuple[str, bool]:
    """A key's name, and whether it is descending."""
    return key.removeprefix("-"), key.startswith("-")


def salt_of(rows: QuerySet[Row], order: Order) -> str:
    """What the cursors of a list are signed with besides the site's secret."""
    return f"{rows.model._meta.label} by {' '.join(order.keys)}"


def cursor_at(place: Sequence[Any], salt: str) -> str:
    """The cursor of a place, the same whenever it is asked for."""
    return signing.Signer(salt=salt).sign_object(place)


def place_at(cursor: str, salt: str) -> list[Any] | None:
    """The place of a cursor; None for one that isn't of such a list."""
    try:
        place: list[Any] = signing.Signer(salt=salt).unsign_object(cursor)
    except signing.BadSignature:
        return None
    return place
