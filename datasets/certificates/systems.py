"""The systems that a release's certificate compares: runs of the collection's pool and of the release's boards."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from corpus.infra.scratch import scratch_folder
from datasets.content.splits import SPLITS
from datasets.leaderboard.scoring import fetch_run
from datasets.models import Release, Run

if TYPE_CHECKING:
    from evaluation import Run as RunRead

FEWEST = 2
"""A certificate compares systems."""
BOARD = "leaderboard"

System = dict[str, Any]
"""name, team, from (`BOARD`), id of its row, sha256 of its file; of JSON's types, since it is kept."""


def systems_of(release: Release) -> dict[str, list[System]]:
    """The systems of each released split that has queries, by name; names are different within a split."""
    counts = release.manifest["counts"]
    return {
        split: _named(list(_on_board(release, split))) for split in map(str, SPLITS) if counts[split]["queries"] > 0
    }


def enough(systems: Mapping[str, Sequence[System]]) -> dict[str, Sequence[System]]:
    """Those splits that can have a certificate."""
    return {split: found for split, found in systems.items() if len(found) >= FEWEST}


def _on_board(release: Release, split: str) -> Iterator[System]:
    standing = Run.objects.filter(
        board__release=release, board__split=split, state=Run.State.SCORED, withdrawn_at=None
    ).defer("manifest")
    for run in standing.order_by("pk"):
        yield {"name": str(run), "team": "", "from": BOARD, "id": run.pk, "sha256": run.sha256}


def _named(systems: list[System]) -> list[System]:
    found: dict[str, System] = {}
    seen: set[str] = set()
    for one in systems:
        if one["sha256"] in seen:
            continue  # one file that is in the pool and on the board is one system
        seen.add(one["sha256"])
        name, number = one["name"], 2
        while name in found:
            name, number = f"{one['name']} ({number})", number + 1
        found[name] = {**one, "name": name, "team": one["team"] or name}
    return [found[name] for name in sorted(found)]


def read_systems(systems: Sequence[System]) -> "Iterator[RunRead]":
    """The systems' runs, named as they are there.

    Raises: RunRefused, evaluation.EvaluationError.
    """
    from evaluation.reading import read_run

    rows = Run.objects.in_bulk([one["id"] for one in systems if one["from"] == BOARD])
    for one in systems:
        with scratch_folder("certificate") as folder:
            yield replace(read_run(fetch_run(rows[one["id"]], folder)), name=one["name"])
