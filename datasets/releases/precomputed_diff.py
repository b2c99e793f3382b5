"""Differences between two releases for a page: computed in the request, or by a task if releases are large.

Releases don't change, so what was found once stands for ever. The first rows and the counts lie in the database, all of
them in the storage, one JSON object a line.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.http import Http404

from annotation.precomputed import computed_or_ask
from datasets.models import Release
from datasets.releases.archive import DamagedArchive
from datasets.releases.diff import DiffCounts, Difference, changed_settings, compare_releases, differences
from foundation.infra.scratch import scratch_folder
from foundation.models import Collection

NAME = "differences"
SHOWN = 200
AT_ONCE_BELOW = 5_000
"""Up to so many pairs and training queries in both releases, a page compares within the request."""


@dataclass(frozen=True, slots=True)
class StoredDiff:
    """Stored differences; `counts` is None until compared, `rows` are the first of `total`."""

    counts: dict[str, Any] | None
    settings: list[dict[str, Any]]
    rows: list[dict[str, Any]]
    total: int
    running: bool = False
    problem: str = ""
    stored: str = ""

    def all_rows(self) -> Iterator[Difference]:
        """All differences, from the storage if there are more than `rows`."""
        if not self.stored:
            yield from (Difference(**row) for row in self.rows)
            return
        with default_storage.open(self.stored) as file:
            for line in file:
                yield Difference(**json.loads(line))


def differences_or_404(first: Release, second: Release) -> StoredDiff:
    """The differences between two releases of a collection; for large ones those that a task stored.

    Raises: Http404 where a small one's files can't be read.
    """
    try:
        return _differences(first, second)
    except DamagedArchive as error:
        raise Http404(str(error)) from error


def _differences(first: Release, second: Release) -> StoredDiff:
    if first.size_in_rows + second.size_in_rows < AT_ONCE_BELOW:
        comparison = compare_releases(first, second)
        rows = [asdict(row) for row in comparison.rows]
        return StoredDiff(comparison.counts, comparison.settings, rows, len(rows))
    result = computed_or_ask(collection=first.collection, name=f"{NAME}:{first.pk}-{second.pk}")
    if result.value is not None and not default_storage.exists(result.value["stored"]):
        # The storage lost it: once more.
        result = computed_or_ask(collection=first.collection, name=result.name, anew=True)
        return StoredDiff(None, [], [], 0, result.running, result.problem)
    if result.value is None:
        return StoredDiff(None, [], [], 0, result.running, result.problem)
    return StoredDiff(**result.value)


def keep_differences(collection: Collection, which: str) -> dict[str, Any]:
    """Compare the releases "3-4" of the collection and store all rows. Returns: the fields of `StoredDiff`.

    Raises: Release.DoesNotExist; archive.DamagedArchive.
    """
    first, second = (collection.releases.get(pk=int(number)) for number in which.split("-"))
    counts, shown, total = DiffCounts(), list[dict[str, Any]](), 0
    name = f"release-differences/{first.archive_sha256[:32]}-{second.archive_sha256[:32]}.jsonl"
    with scratch_folder("differences") as scratch:
        path = scratch / "rows.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for row in differences(first, second):
                file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
                counts.add(row)
                total += 1
                if total <= SHOWN:
                    shown.append(asdict(row))
        if not default_storage.exists(name):
            with path.open("rb") as rows:
                name = default_storage.save(name, File(rows))
    return {
        "counts": counts.counts,
        "settings": changed_settings(first, second),
        "rows": shown,
        "total": total,
        "stored": name,
    }
