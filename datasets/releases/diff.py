"""Differences between two releases: queries, pairs, grades, manifest.

A query is known by split and id, a pair by split, query and pair id. The files are read, not the database: a release
says for ever what it said.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

from corpus.infra.csv_escape import safe_cell
from datasets.models import Release
from datasets.releases.file_cache import file_on_disk
from datasets.validation.untrusted_files import read_records

SPLITS = ("val", "test")
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
        found = Counter((row.split, row.what, row.change) for row in self.rows)
        # A pair of which several fields changed is one changed pair.
        changed = {(row.split, row.what, row.query_id, row.pair_id) for row in self.rows if row.change == "changed"}
        once = Counter((split, what) for split, what, _, _ in changed)
        return {
            split: {
                what: {
                    change: once[split, what] if change == "changed" else found[split, what, change]
                    for change in ("added", "changed", "removed")
                }
                for what in (("query",) if split == "training" else ("query", "pair", "grade"))
            }
            for split in (*SPLITS, "training")
        }


def compare_releases(first: Release, second: Release) -> ReleaseDiff:
    """Compare two releases. Raises: archive.DamagedArchive, untrusted_files.UnreadableFile."""
    rows: list[Difference] = []
    for split in SPLITS:
        rows += _compare(split, _read(first, f"{split}.json"), _read(second, f"{split}.json"))
    rows += _compare("training", _read(first, TRAINING_FILE, pairs=False), _read(second, TRAINING_FILE, pairs=False))
    return ReleaseDiff(rows, _settings(first.manifest, second.manifest))


_Query = tuple[str, dict[str, tuple[Any, ...]]]
"""A query's text, and its pairs: pair id -> what is compared, the grade last."""


def _read(release: Release, path: str, *, pairs: bool = True) -> dict[str, _Query]:
    if path not in release.files:
        return {}
    with file_on_disk(release, path) as file:
        return {
            str(record["query_id"]): (record["query"], _pairs(record) if pairs else {}) for record in read_records(file)
        }


def _pairs(record: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {
        str(moment["pair_id"]): (*(moment[name] for name in COMPARED), moment["relevance"])
        for moment in record["relevant_moment"]
    }


def _compare(split: str, before: dict[str, _Query], after: dict[str, _Query]) -> Iterator[Difference]:
    for query_id, (text, pairs) in before.items():
        if query_id not in after:
            yield Difference(split, "query", "removed", query_id, text)
            yield from _one_sided(split, "removed", query_id, text, pairs)
            continue
        new_text, new_pairs = after[query_id]
        if new_text != text:
            yield Difference(split, "query", "changed", query_id, new_text, "", "query", text, new_text)
        yield from _compare_pairs(split, query_id, new_text, pairs, new_pairs)
    for query_id, (text, pairs) in after.items():
        if query_id not in before:
            yield Difference(split, "query", "added", query_id, text)
            yield from _one_sided(split, "added", query_id, text, pairs)


def _compare_pairs(
    split: str, query_id: str, text: str, before: dict[str, tuple[Any, ...]], after: dict[str, tuple[Any, ...]]
) -> Iterator[Difference]:
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


def _one_sided(
    split: str, change: str, query_id: str, text: str, pairs: dict[str, tuple[Any, ...]]
) -> Iterator[Difference]:
    """The differences for an added or removed pair: pair and grade."""
    for pair, facts in pairs.items():
        sides = (None, facts[-1]) if change == "added" else (facts[-1], None)
        yield Difference(split, "pair", change, query_id, text, pair)
        yield Difference(split, "grade", change, query_id, text, pair, "", *sides)


def _settings(before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    old, new = dict(_flat(before)), dict(_flat(after))
    return [
        {"name": name, "before": old.get(name), "after": new.get(name)}
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]


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
