"""The videos that one system found, for another that localises in them: a trained model's ranking, or a run's.

A model's score of a video is score_scale times its own, and a run's that of the video's best moment: what is added to
log P(begin) + log P(end) (`best_moments`). Runs of this room have such scores; of other runs only the order of videos
counts for certain, and how far their scores lie apart is theirs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.arrays import SingleArray
from baselines.collation.collator import Collator
from baselines.errors import BaselineError
from baselines.features.interface import Features
from baselines.features.opening import require_same_features
from baselines.models.checkpoint import read_model
from baselines.models.interface import RetrievalModel
from baselines.reading.release import Query
from baselines.retrieval.search import Told, rank_videos, silent
from baselines.retrieval.state import StateFile
from evaluation.reading import read_run


@dataclass(frozen=True, eq=False)
class Candidates:
    """The best videos of Q queries, K at most, best first.

    Attributes:
        rows: query_id -> its row. video_names: V names.
        video: (Q, K) int32, places in them, -1 where a query has fewer.
        score: (Q, K). source: what found them, for manifests.
    """

    rows: Mapping[str, int]
    video_names: tuple[str, ...]
    video: NDArray[np.int32]
    score: SingleArray
    source: Mapping[str, Any]

    def videos_of(self, query_id: str) -> list[str]:
        """The names of a query's videos, best first."""
        return [name for name, _ in self.ranked(query_id)]

    def ranked(self, query_id: str, depth: int | None = None) -> list[tuple[str, float]]:
        """A query's best videos with their scores; none for a query that wasn't asked.

        Args: depth: so many at most.
        """
        row = self.rows.get(query_id)
        if row is None:
            return []
        ranked = zip(self.video[row, :depth].tolist(), self.score[row, :depth].tolist(), strict=True)
        return [(self.video_names[place], score) for place, score in ranked if place >= 0]

    def ranking(self, queries: Sequence[Query], depth: int) -> dict[str, list[tuple[str, float]]]:
        """What `search` takes. Raises: BaselineError if a query has no video."""
        ranking = {query.query_id: self.ranked(query.query_id, depth) for query in queries}
        without = [query.query_id for query in queries if not ranking[query.query_id]]
        if without:
            raise BaselineError(
                f"{self.source['name']}: found no video for {len(without)} of {len(queries)} queries, {without[0]!r} "
                "the first; expected some for each"
            )
        return ranking


def require_videos_from(model: type[RetrievalModel], source: Path | None) -> None:
    """Raises: BaselineError if a model needs another system's videos and none is named, or one is and isn't needed."""
    if model.needs_retriever != (source is not None):
        told = "localises in another system's videos: name it by" if source is None else "searches by itself: leave out"
        raise BaselineError(f"{model.NAME} {told} --videos-from")


def candidates_from(
    source: Path,
    queries: Sequence[Query],
    features: Features,
    durations: Mapping[str, float | None],
    *,
    depth: int,
    device: torch.device,
    kept: Path | None = None,
    told: Told = silent,
) -> Candidates:
    """What a system found for these queries among these videos.

    Args: source: a trained model that searches by itself (its file or folder), or a run. depth: videos a query at most.
        kept: a file for what a model found so far: a killed search goes on from it, and one that is done, of the same
        model, features, queries and videos, isn't done again.
    Raises: BaselineError if it is neither, a model that needs a retriever itself, or one of other features;
        EvaluationError if the run can't be read.
    """
    if not source.exists():
        raise BaselineError(f"{source}: found nothing, expected a trained model or a run")
    if source.is_dir() or source.suffix == ".pt":
        return _by_a_model(source, queries, features, durations, depth, device, kept, told)
    return _of_a_run(source, queries, durations, depth)


def _by_a_model(
    source: Path,
    queries: Sequence[Query],
    features: Features,
    durations: Mapping[str, float | None],
    depth: int,
    device: torch.device,
    kept: Path | None,
    told: Told,
) -> Candidates:
    trained = read_model(source)
    if trained.model.needs_retriever:
        raise BaselineError(f"{source}: found a model of {trained.model.NAME}, expected one that searches by itself")
    require_same_features(features, trained.about["features"], str(source))
    model = trained.model.to(device)
    collator = Collator(features, model.config, with_subtitles=model.dimensions.subtitles is not None)
    state = None
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        asked = [[query.query_id, query.text] for query in queries]
        search = [trained.digest, dict(features.manifest), asked, list(durations), depth]
        state = StateFile(kept, hashlib.sha256(json.dumps(search, sort_keys=True).encode()).hexdigest())
    names, video, score = rank_videos(model, collator, durations, queries, depth=depth, kept=state, told=told)
    rows = {query.query_id: row for row, query in enumerate(queries)}
    about = {"name": str(source.name), "system": model.NAME, "checkpoint": trained.digest}
    return Candidates(rows, names, video, score * model.config.score_scale, about)


def _of_a_run(source: Path, queries: Sequence[Query], durations: Mapping[str, float | None], depth: int) -> Candidates:
    asked = {query.query_id for query in queries}
    run = read_run(source, queries=asked, videos=durations)
    known = np.array([name in durations for name in run.video_names], dtype=np.bool_)
    rows: dict[str, int] = {}
    video = np.full((len(asked), depth), -1, np.int32)
    score = np.full((len(asked), depth), -np.inf, np.float32)
    for place, query_id in enumerate(run.query_ids):
        if query_id not in asked:
            continue
        row = rows.setdefault(query_id, len(rows))
        there = slice(run.offset[place], run.offset[place + 1])
        own_video, values = run.video[there], run.score[there]
        if np.isnan(values).any():
            raise BaselineError(f"{source}: found predictions of query {query_id!r} without a score, expected one each")
        _, first = np.unique(own_video, return_index=True)
        first = np.sort(first)
        first = first[known[own_video[first]]][:depth]
        video[row, : len(first)], score[row, : len(first)] = own_video[first], values[first]
    about = {"name": source.name, "run": hashlib.sha256(source.read_bytes()).hexdigest()}
    return Candidates(rows, run.video_names, video, score, about)
