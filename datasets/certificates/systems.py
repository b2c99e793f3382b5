"""The systems that a release's certificate compares: runs of the collection's pool and of the release's boards."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from corpus.models import Video
from datasets.content.splits import SPLITS
from datasets.leaderboard.scoring import standing_runs
from datasets.models import Release, Run
from evaluation import GroundTruth
from evaluation import Run as RunRead
from evaluation.moments.run import RunBuilder
from foundation.infra.scratch import scratch_folder
from foundation.refused import FileRefused
from queries.models import PoolRun, PoolRunAnswer, Query
from queries.pooling.query_columns import query_source_id
from queries.runs.received_run import fetch_run, read_received

FEWEST = 2
"""A certificate compares systems."""
POOL, BOARD = "pool", "leaderboard"
AT_ONCE = 500
"""Queries of a pool's run that are read by one statement."""

System = dict[str, Any]
"""name, team, from (`POOL` or `BOARD`), id of its row, sha256 of its file; of JSON's types, since it is kept."""


def systems_of(release: Release) -> dict[str, list[System]]:
    """The systems of each released split that has queries, by name; names are different within a split."""
    counts = release.manifest["counts"]
    return {
        split: _named([*_in_pool(release, split), *_on_board(release, split)])
        for split in SPLITS
        if counts[split]["queries"] > 0
    }


def systems_counted(releases: Sequence[Release]) -> dict[tuple[int, str], int]:
    """How many systems `systems_of` tells, by release and split, whatever their number by three statements."""
    files: dict[tuple[int, str], set[str]] = defaultdict(set)
    pools = {release.collection_id for release in releases}
    for split in SPLITS:
        answers = PoolRunAnswer.objects.filter(run=OuterRef("pk"), query__split=split)
        rows = PoolRun.objects.filter(Exists(answers), collection__in=pools).values_list("collection", "sha256")
        for release in releases:
            files[release.pk, split] |= {sha256 for pool, sha256 in rows if pool == release.collection_id}
    standing = Run.objects.filter(board__release__in=releases, state=Run.State.SCORED, withdrawn_at=None)
    for place, split, sha256 in standing.values_list("board__release", "board__split", "sha256"):
        files[place, split].add(sha256)
    with_queries = {(one.pk, split) for one in releases for split in SPLITS if one.manifest["counts"][split]["queries"]}
    return {place: len(files[place]) for place in sorted(with_queries)}


def enough(systems: Mapping[str, Sequence[System]]) -> dict[str, Sequence[System]]:
    """Those splits that can have a certificate."""
    return {split: listed for split, listed in systems.items() if len(listed) >= FEWEST}


def missing(systems: Mapping[str, Sequence[System]]) -> str:
    """Why there can be no certificate, in words; empty where there can be one."""
    if enough(systems):
        return ""
    counts = [(split, *_counted(listed)) for split, listed in systems.items()]
    there = "; ".join(
        _("%(split)s: %(pool)s in the pool, %(board)s on the leaderboard")
        % {"split": split, "pool": pool, "board": board}
        for split, pool, board in counts
    )
    return _(
        "A certificate compares systems, so it needs the runs of %(count)s or more on one split. Found %(there)s. "
        "Upload runs to a leaderboard of this release, or add them to the collection's pool before judging."
    ) % {"count": FEWEST, "there": there or _("no released query")}


def _counted(systems: Sequence[System]) -> tuple[int, int]:
    pooled = sum(system["from"] == POOL for system in systems)
    return pooled, len(systems) - pooled


def _in_pool(release: Release, split: str) -> Iterator[System]:
    answers = PoolRunAnswer.objects.filter(run=OuterRef("pk"), query__split=split)
    for run in PoolRun.objects.filter(Exists(answers), collection=release.collection_id).order_by("team", "system"):
        yield {"name": str(run), "team": run.team, "from": POOL, "id": run.pk, "sha256": run.sha256}


def _on_board(release: Release, split: str) -> Iterator[System]:
    for board in release.boards.filter(split=split):
        for run in standing_runs(board):
            yield {"name": str(run), "team": "", "from": BOARD, "id": run.pk, "sha256": run.sha256}


def _named(systems: list[System]) -> list[System]:
    by_name: dict[str, System] = {}
    seen: set[str] = set()
    for system in systems:
        if system["sha256"] in seen:
            continue  # one file that is in the pool and on the board is one system
        seen.add(system["sha256"])
        name, number = system["name"], 2
        while name in by_name:
            name, number = f"{system['name']} ({number})", number + 1
        by_name[name] = {**system, "name": name, "team": system["team"] or name}
    return [by_name[name] for name in sorted(by_name)]


def read_systems(release: Release, split: str, systems: Sequence[System], truth: GroundTruth) -> Iterator[RunRead]:
    """The systems' runs, named as they are there. Of a pool's run there are the predictions that a pool may use.

    Args: truth: of the split.

    Raises: FileRefused, evaluation.EvaluationError.
    """
    videos = dict(Video.objects.filter(collection=release.collection_id).values_list("pk", "name"))
    of_split = Query.objects.filter(split=split)
    rows = Run.objects.in_bulk([system["id"] for system in systems if system["from"] == BOARD])
    for system in systems:
        if system["from"] == POOL:
            yield read_pooled(system["id"], system["name"], of_split, videos)
        elif system["id"] not in rows:
            raise FileRefused(f"The run {system['name']} is no longer there.")
        else:
            row = rows[system["id"]]
            with scratch_folder("certificate") as folder:
                path = fetch_run(row.stored_file, folder, sha256=row.sha256)
                read = read_received(path, file_name=row.file_name, queries=truth.index, videos=truth.video_index)
                yield replace(read, name=system["name"])


def read_pooled(run_id: int, name: str, queries: QuerySet[Query], videos: Mapping[int, str]) -> RunRead:
    """A run of the pool, with the predictions that a pool may use. Args: videos: id -> name, of the collection."""
    builder = RunBuilder(name)
    answers = PoolRunAnswer.objects.filter(run=run_id, query__in=queries).order_by("query_id")
    rows = answers.values_list(query_source_id("query__"), "videos", "starts", "ends")
    for query_id, video_ids, starts, ends in rows.iterator(AT_ONCE):
        times = np.array([starts, ends], dtype=np.float64).T
        builder.add(query_id, [videos[video] for video in video_ids], times, [None] * len(video_ids))
    return builder.finished()
