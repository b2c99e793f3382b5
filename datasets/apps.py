from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.apps import AppConfig

if TYPE_CHECKING:
    from corpus.models import Collection


class DatasetsConfig(AppConfig):
    name = "datasets"

    def ready(self) -> None:
        from annotation import precomputed
        from datasets.content.statistics import STATISTICS

        precomputed.register(
            STATISTICS, _statistics, stale_after=timedelta(minutes=30), at_once_below=STATISTICS_AT_ONCE_BELOW
        )
        precomputed.register("differences", _differences, stale_after=None, of_each=True)


STATISTICS_AT_ONCE_BELOW = 2000
"""Judgments, and descriptions, up to which the page counts while one waits."""


def _statistics(collection: Collection) -> dict[str, Any]:
    # The tagger of verbs is loaded by whoever counts, not by every process that starts.
    from datasets.content.statistics import release_statistics

    return release_statistics(collection=collection)


def _differences(collection: Collection, which: str) -> dict[str, Any]:
    from datasets.releases.precomputed_diff import keep_differences

    return keep_differences(collection, which)
