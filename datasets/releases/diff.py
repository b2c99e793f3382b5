"""Differences between two releases: queries, pairs, grades, manifest.

A query is known by split and id, a pair by split, query and pair id. The files are read, not the database: a release
says for ever what it said.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from datasets.content.splits import SPLITS
from datasets.models import Release
from datasets.releases.file_cache import file_on_disk
from evaluation.releases.spilled import Spilled
from evaluation.releases.untrusted_files import read_records
from foundation.infra.csv_escape import safe_cell

TRAINING_FILE = "train_top01.json"
COMPARED = ("video_name", "timestamp", "duration", "caption", "similarity")
"""A pair's fields besides its grade."""
COLUMNS = ("split", "what", "change", "query_id", "query", "pair_id", "field", "before", "after")
LEFT_OUT = {"release", "created_at", "files"}
"""Manifest fields that always differ, or are compared by content."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between two releases: something added, removed or changed.

    `what` is query, pair or grade; `change` added, changed or removed. `field` names what changed of a query or pair.
    """

    split: str
    what: str
    change: str
    query_id: str
    query: str
    pair_id: str = ""
    field: str = ""
    before: Any = None
    after: Any = None


@dataclass(frozen=True, slots=True)
class ReleaseDiff:
    """All differences from one release to another, ordered by split, then as in the first release's file."""

    rows: list[Difference]
    settings: list[dict[str, Any]] = field(default_factory=list)
    """{"name", "before", "after"}: what the manifests state differently."""

    @property
    def counts(self) -> dict[str, dict[str, dict[str, int]]]:
        """split -> what -> change -> how many; every combination is there."""
        tally = DiffCounts()
        for row in self.rows:
            tally.add(row)
        return tally.counts


class DiffCounts:
    """Counts differences as they come, in the order of `differences`."""

    def __init__(self) -> None:
        self.counts = {
            split: {what: {"added": 0, "changed": 0, "removed": 0} for what in _KINDS[split == "training"]}
            for split in (*SPLITS, "training")
        }
        self._last: dict[str, tuple[str, str, str]] = {}

    def add(self, row: Difference) -> None:
        """Count one more. A pair of which several fields changed is one changed pair: its rows follow each other."""
        about = (row.split, row.query_id, row.pair_id)
        if row.change != "changed" or self._last.get(row.what) != about:
            self.counts[row.split][row.what][row.change] += 1
        if row.change == "changed":
            self._last[row.what] = about


_KINDS = (("query", "pair", "grade"), ("query",))


def compare_releases(first: Release, second: Release) -> ReleaseDiff:
    """Compare two releases. Raises: archive.DamagedArchive."""
    return ReleaseDiff(list(differences(first, second)), changed_settings(first, second))


def differences(first: Release, second: Release) -> Iterator[Difference]:
    """All differences, one by one: neither release is held in memory. Raises: as `compare_releases`."""
    for split in SPLITS:
        yield from _compare(split, first, second, f"{split}.json")
    yield from _compare("training", first, second, TRAINING_FILE)


def changed_settings(first: Release, second: Release) -> list[dict[str, Any]]:
    """What the manifests state differently, as `ReleaseDiff.settings` has it."""
    before, after = dict(_flat(first.manifest)), dict(_flat(second.manifest))
    return [
        {"name": name, "before": before.get(name), "after": after.get(name)}
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


_Pairs = dict[str, list[Any]]
"""Pair id -> what is compared, the grade last."""


def _read(release: Release, path: str) -> Iterator[tuple[str, str, _Pairs]]:
    """The queries of a file with their texts and pairs; those of training have none."""
    if path not in release.files:
        return
    with file_on_disk(release, path) as file:
        for record in read_records(file):
            yield str(record["query_id"]), record["query"], {} if path == TRAINING_FILE else _pairs(record)


def _pairs(record: dict[str, Any]) -> _Pairs:
    return {
        str(moment["pair_id"]): [*(moment[name] for name in COMPARED), moment["relevance"]]
        for moment in record["relevant_moment"]
    }


def _compare(split: str, first: Release, second: Release, path: str) -> Iterator[Difference]:
    after, before = Spilled(), Spilled()
    for query_id, text, pairs in _read(second, path):
        after[query_id] = (text, pairs)
    for query_id, text, pairs in _read(first, path):
        before[query_id] = None
        later = after.get(query_id)
        if later is None:
            yield Difference(split, "query", "removed", query_id, text)
            yield from _one_sided(split, "removed", query_id, text, pairs)
            continue
        new_text, new_pairs = later
        if new_text != text:
            yield Difference(split, "query", "changed", query_id, new_text, "", "query", text, new_text)
        yield from _compare_pairs(split, query_id, new_text, pairs, new_pairs)
    for query_id, text, pairs in _read(second, path):
        if query_id not in before:
            yield Difference(split, "query", "added", query_id, text)
            yield from _one_sided(split, "added", query_id, text, pairs)


def _compare_pairs(split: str, query_id: str, text: str, before: _Pairs, after: _Pairs) -> Iterator[Difference]:
    gone = {pair: facts for pair, facts in before.items() if pair not in after}
    yield from _one_sided(split, "removed", query_id, text, gone)
    for pair, facts in before.items():
        if pair not in after or after[pair] == facts:
            continue
        *old, old_grade = facts
        *new, new_grade = after[pair]
        for name, was, now in zip(COMPARED, old, new, strict=True):
            if was != now:
                yield Difference(split, "pair", "changed", query_id, text, pair, name, was, now)
        if old_grade != new_grade:
            yield Difference(split, "grade", "changed", query_id, text, pair, "relevance", old_grade, new_grade)
    yield from _one_sided(
        split, "added", query_id, text, {pair: facts for pair, facts in after.items() if pair not in before}
    )


def _one_sided(split: str, change: str, query_id: str, text: str, pairs: _Pairs) -> Iterator[Difference]:
    """The differences for an added or removed pair: pair and grade."""
    for pair, facts in pairs.items():
        sides = (None, facts[-1]) if change == "added" else (facts[-1], None)
        yield Difference(split, "pair", change, query_id, text, pair)
        yield Difference(split, "grade", change, query_id, text, pair, "", *sides)


def _flat(manifest: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in manifest.items():
        if not prefix and name in LEFT_OUT:
            continue
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def write_csv(comparison: ReleaseDiff, file: IO[str]) -> None:
    """Write the differences as CSV, with cells escaped for spreadsheets."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in comparison.rows:
        writer.writerow(as_cells(row))


def as_cells(row: Difference) -> list[Any]:
    """A difference in the order of `COLUMNS`, "" where there is nothing to say."""
    cells = [getattr(row, name) for name in COLUMNS]
    return ["" if cell is None else safe_cell(cell) for cell in cells]
