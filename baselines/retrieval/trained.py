"""A run by a trained model: read, checked against the features, searched, written with what made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from baselines.collation.collator import Collator
from baselines.features.interface import Features
from baselines.features.opening import require_same_features
from baselines.models.checkpoint import Trained, read_model
from baselines.models.interface import retriever_config
from baselines.reading.release import Release
from baselines.retrieval.candidates import candidates_from, require_videos_from
from baselines.retrieval.search import Ranking, SearchSettings, Told, search, silent
from baselines.retrieval.state import StateFile
from baselines.runs import run_manifest, write_run
from evaluation.moments.run import Run
from evaluation.reading import run_name

MOST_ROWS = 200
ENDING = ".search.npz"
"""How the file ends in which a search keeps its state beside the run."""
ENDING_OF_VIDEOS = ".videos.npz"
"""The same of the search for videos by another system, where the model localises in that one's."""


def retrieve(
    checkpoint: Path,
    release: Release,
    features: Features,
    out: Path,
    *,
    split: str,
    device: torch.device,
    settings: SearchSettings | None = None,
    log: Sequence[Mapping[str, Any]] = (),
    videos_from: Path | None = None,
    told: Told = silent,
) -> Run:
    """Search for a split's queries and write the run with its manifest; a killed search goes on where it was.

    Args: log: the training's rows (`baselines.training.log`), from which the manifest has losses and validations.
    videos_from: a trained model or a run, for a model that localises in another system's videos.
    Raises: BaselineError if the checkpoint is broken, or was trained on features of another kind.
    """
    settings = settings or SearchSettings()
    trained = read_model(checkpoint)
    require_same_features(features, trained.about["features"], str(checkpoint))
    model = trained.model.to(device)
    require_videos_from(type(model), videos_from)
    # Each video is read once a walk: nothing to keep.
    collator = Collator(features, model.config, with_subtitles=model.dimensions.subtitles is not None, cache_bytes=0)
    collator.require(list(release.durations), "of the release")
    queries = release.queries(split)
    features.prepare_words([query.text for query in queries])
    manifest = _manifest(trained, release, features, split, settings)
    ranking: Ranking | None = None
    found_videos = out.with_name(out.name + ENDING_OF_VIDEOS)
    if videos_from is not None:
        depth = min(settings.videos, retriever_config(model.config).candidates)
        candidates = candidates_from(
            videos_from,
            queries,
            features,
            release.durations,
            depth=depth,
            device=device,
            kept=found_videos,
            told=told,
        )
        manifest["videos_from"] = dict(candidates.source)
        ranking = candidates.ranking(queries, depth)
    ranked = hashlib.sha256(json.dumps(ranking).encode()).hexdigest() if ranking is not None else None
    kept = StateFile(
        out.with_name(out.name + ENDING),
        json.dumps([manifest, ranked, [query.query_id for query in queries]], sort_keys=True),
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    run = search(
        model,
        collator,
        release.durations,
        queries,
        name=run_name(out),
        settings=settings,
        ranking=ranking,
        kept=kept,
        told=told,
    )
    write_run(out, run, manifest | {"log": _told_of(log)})
    kept.remove()
    found_videos.unlink(missing_ok=True)
    return run


def _told_of(log: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Losses and validations by epoch, `MOST_ROWS` of them at most, evenly."""
    step = -(-len(log) // MOST_ROWS) if log else 1
    return [{key: row[key] for key in ("epoch", "losses", "validation")} for row in log[::step]]


def _manifest(
    trained: Trained, release: Release, features: Features, split: str, settings: SearchSettings
) -> dict[str, Any]:
    about = trained.about
    more = {
        "config": trained.model.config.as_dict(),
        "subtitles": about["subtitles"],
        "schedule": about["schedule"],
        "trained": {name: about[name] for name in ("step", "epoch", "validation", "release", "code")},
        "checkpoint": trained.digest,
        "search": asdict(settings),
    }
    return run_manifest(
        release,
        system=trained.model.NAME,
        split=split,
        seed=about["seed"],
        features=features.manifest,
        top=about["top"],
        loss=about["loss"],
        more=more,
    )
