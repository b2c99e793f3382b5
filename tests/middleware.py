"""Middleware made once a process: each `Client()` makes all of it anew, which takes as long as a short answer."""

from collections.abc import Hashable
from typing import Any

from django.conf import UserSettingsHolder, settings
from django.test.client import ClientHandler

PARTS = ("_view_middleware", "_template_response_middleware", "_exception_middleware", "_middleware_chain")


def load_once() -> None:
    """Clients whose middleware would read the same settings share it, as the threads of a web process do."""
    loaded: dict[Hashable, dict[str, Any]] = {}
    load = ClientHandler.load_middleware

    def share(self: ClientHandler, is_async: bool = False) -> None:
        key = (is_async, *_overridden())
        if key not in loaded:
            load(self, is_async)
            loaded[key] = {part: getattr(self, part) for part in PARTS}
        vars(self).update(loaded[key])

    ClientHandler.load_middleware = share


def _overridden() -> list[str]:
    """What tests have set, innermost first."""
    found = []
    here = settings._wrapped
    while isinstance(here, UserSettingsHolder):
        found += [f"{name}={value!r}" for name, value in sorted(vars(here).items()) if name.isupper()]
        here = here.default_settings
    return found
