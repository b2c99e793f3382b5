"""Static files found once a process: WhiteNoise looks for all of them for each `Client()`, which takes 20 ms."""

from collections.abc import Callable, Hashable
from typing import Any

from django.conf import settings
from whitenoise.middleware import WhiteNoiseMiddleware


def find_once() -> None:
    """Middleware that is made later shares the files that the first of the same settings has found."""
    found: dict[Hashable, dict[str, Any]] = {}
    in_a_folder = WhiteNoiseMiddleware.update_files_dictionary
    by_finders = WhiteNoiseMiddleware.add_files_from_finders

    def share(middleware: WhiteNoiseMiddleware, key: Hashable, find: Callable[[], None]) -> None:
        if key not in found:
            before, middleware.files = middleware.files, {}
            find()
            found[key], middleware.files = middleware.files, before
        middleware.files.update(found[key])

    def folder_once(self: WhiteNoiseMiddleware, root: str, prefix: str) -> None:
        share(self, (root, prefix), lambda: in_a_folder(self, root, prefix))

    def finders_once(self: WhiteNoiseMiddleware) -> None:
        key = (self.static_prefix, *map(str, settings.STATICFILES_DIRS), *settings.INSTALLED_APPS)
        share(self, key, lambda: by_finders(self))

    WhiteNoiseMiddleware.update_files_dictionary = folder_once
    WhiteNoiseMiddleware.add_files_from_finders = finders_once
