"""Pages that a study doesn't have, declared by each room."""

from django.http import Http404
from django.urls import URLPattern
from django.utils.translation import gettext as _

from foundation.models import Collection

NOT_OF_STUDIES: set[str] = set()
"""Names of the addresses that `not_of_studies` was called with."""


def not_of_studies(*patterns: URLPattern) -> list[URLPattern]:
    """Declare pages (URL names) that a study doesn't have.

    Returns the patterns, for `urlpatterns`.
    """
    NOT_OF_STUDIES.update(pattern.name for pattern in patterns if pattern.name)
    return list(patterns)


class NotOfStudies(Http404):
    """A study doesn't have this page; the message tells members where to go instead."""

    def __init__(self, study: Collection) -> None:
        super().__init__(
            _(
                "%(study)s is a study: it never counts, and has no such page of its own. "
                "Its material, people, guideline and settings are those of its collection."
            )
            % {"study": study.title}
        )
