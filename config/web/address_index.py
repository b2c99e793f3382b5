"""An index of addresses by their literal parts, where Django tries one address after the other.

Of some 600 addresses a path such as `c/paper/releases/3/` can be two or three. They are tried in the order in which
they are written, so what is found is what Django alone would find.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any

from django.urls import URLPattern, URLResolver
from django.urls.exceptions import Resolver404
from django.urls.resolvers import ResolverMatch, RoutePattern

Shape = tuple[str | None, ...] | None
"""Of an address, part by part: the literal, or None for what varies. None alone where it may be anything."""
REST = "/"
"""The last part of a shape where any number of parts may follow; no literal has a slash."""
KEPT = 4_096
"""Kinds of paths whose addresses are remembered."""


class AddressIndex(URLResolver):
    """Addresses that are found by an index: one element of `urlpatterns`, around all others."""

    def __init__(self, addresses: Sequence[URLPattern | URLResolver]) -> None:
        super().__init__(RoutePattern(""), addresses)

    def resolve(self, path: str) -> ResolverMatch:
        """Raises: Resolver404, also where a NUL stands in what varies: no row has one, and PostgreSQL takes none.

        A token is hashed before it is looked for, and its page says what is wrong with the link."""
        parts = path.split("/")
        # A part that is a literal nowhere at its place is like any other.
        kind = tuple(part if part in known else None for part, known in zip(parts, self._literals, strict=False))
        possible = self._possible(kind, min(len(parts), len(self._literals) + 1))
        for address in possible:
            match: ResolverMatch | None = address.resolve(path)
            if match is not None and not any(
                isinstance(value, str) and "\x00" in value for name, value in match.kwargs.items() if name != "token"
            ):
                return match
        # Where nothing at all was tried, Django takes a site without addresses to have just been installed.
        raise Resolver404({"tried": [[address] for address in possible] or [[self]], "path": path})

    @cached_property
    def _addresses(self) -> list[tuple[Shape, URLPattern | URLResolver]]:
        return list(_flattened(self.url_patterns, ""))

    @cached_property
    def _literals(self) -> list[set[str]]:
        """The literals at each place."""
        shapes = [shape for shape, _ in self._addresses if shape is not None]
        return [
            {part for shape in shapes if len(shape) > place and (part := shape[place]) is not None}
            for place in range(max(map(len, shapes), default=0))
        ]

    @cached_property
    def _possible(self) -> Any:
        @lru_cache(maxsize=KEPT)
        def possible(kind: tuple[str | None, ...], parts: int) -> list[URLPattern | URLResolver]:
            return [address for shape, address in self._addresses if _can_be(shape, kind, parts)]

        return possible


def _can_be(shape: Shape, kind: tuple[str | None, ...], parts: int) -> bool:
    if shape is None:
        return True
    if shape[-1] == REST:
        shape = shape[:-1]
        if parts < len(shape):
            return False
    elif parts != len(shape):
        return False
    return all(literal is None or literal == part for literal, part in zip(shape, kind, strict=False))


def _flattened(
    addresses: Sequence[URLPattern | URLResolver], prefix: str
) -> Iterator[tuple[Shape, URLPattern | URLResolver]]:
    """Every address without the includes around it, in order; what isn't a plain route stays as it is."""
    for address in addresses:
        plain = type(address.pattern) is RoutePattern
        if (
            isinstance(address, URLResolver)
            and plain
            and not (address.namespace or address.app_name or address.default_kwargs)
        ):
            yield from _flattened(address.url_patterns, prefix + str(address.pattern))
        elif isinstance(address, URLPattern) and plain:
            route = RoutePattern(prefix + str(address.pattern), name=address.name, is_endpoint=True)
            yield _shape(route), URLPattern(route, address.callback, address.default_args, address.name)
        else:
            yield None, URLResolver(RoutePattern(prefix), [address]) if prefix else address


def _shape(route: RoutePattern) -> Shape:
    parts: list[str | None] = []
    for part in str(route).split("/"):
        names = [name.rpartition(":")[2] for name in re.findall(r"<([^>]+)>", part)]
        if any(re.fullmatch(route.converters[name].regex, "a/b") for name in names):
            return (*parts, None, REST)
        parts.append(None if names else part)
    return tuple(parts)
