"""Addresses are found by the index as Django finds them by itself."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import URLResolver, include, path, re_path
from django.urls.exceptions import Resolver404
from django.urls.resolvers import RoutePattern
from hypothesis import given
from hypothesis import strategies as st

from config.urls import ROOMS
from config.web.address_index import AddressIndex
from tests.addresses import patterns


def view(request: object) -> None:
    """Nobody asks for it."""


MANY = [
    path("", view, name="home"),
    path("a/", include([path("", view, name="a"), path("<int:n>", view, name="a-n"), path("new", view, name="a-new")])),
    path("a/<slug:key>", view, {"more": True}, name="a-key"),
    path("a/<path:rest>", view, name="a-rest"),
    path("a/<path:rest>/end", view, name="never"),
    path("b/<str:one>.<str:two>", view, name="b"),
    path("b-<int:n>/c/", view, name="b-n"),
    re_path(r"^r/(?P<key>x+)\\.mp4$", view, name="r"),
    path("p/", include([re_path(r"^(\\d+)$", view, name="by-place")])),
    path("i/", include(([path("in", view, name="in")], "app"), namespace="space")),
    path("k/", include([path("in", view, name="k-in")]), {"kind": "k"}),
]
PARTS = ["", "a", "b", "new", "7", "b-7", "c", "x.y", "end", "r", "xx.mp4", "p", "i", "in", "k", "a b", "\\n", "é", "."]


def outcome(resolver: URLResolver, asked: str) -> tuple[Any, ...] | None:
    """All that a view or a middleware can see of what was found."""
    try:
        match = resolver.resolve(asked)
    except Resolver404:
        return None
    return (
        match.func,
        match.args,
        match.kwargs,
        match.url_name,
        match.app_names,
        match.namespaces,
        match.route,
        match.captured_kwargs,
        match.extra_kwargs,
    )


@given(st.lists(st.sampled_from(PARTS), max_size=6).map("/".join))
def test_any_path_is_found_as_django_finds_it(asked: str) -> None:
    assert outcome(AddressIndex(MANY), asked) == outcome(URLResolver(RoutePattern(""), MANY), asked)


@pytest.mark.parametrize("value", ["7", "x", "a-b", "", "a/b", "1.mp4", "new"])
def test_all_of_the_site_s_addresses_are_found_as_django_finds_them(value: str) -> None:
    index, django = AddressIndex(ROOMS), URLResolver(RoutePattern(""), ROOMS)
    reached = 0
    for pattern in patterns():
        asked = re.sub(r"<[^>]+>", value, str(pattern.pattern))
        for variant in (asked, f"api/v1/{asked}", f"{asked}/", asked.rstrip("/")):
            assert outcome(index, variant) == outcome(django, variant), variant
            reached += outcome(index, variant) is not None
    assert reached > 50, "the paths are made wrongly"


def test_names_lead_to_addresses_as_ever() -> None:
    root = URLResolver(RoutePattern("/"), [AddressIndex(MANY)])
    assert root.reverse("a-n", n=7) == "a/7"


@pytest.mark.parametrize("asked", ["/nothing/here", "/a/b/c/d/e/f/g/h/i/j/k/l", "/c/none/of/them/"])
def test_a_developer_sees_what_was_not_found(asked: str, settings: Any, client: Client, db: None) -> None:
    settings.DEBUG = True
    missing = client.get(asked)
    assert missing.status_code == 404
    assert "Page not found" in missing.content.decode()
