"""Features opened from either kind of file, and held against the release that they are for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from baselines.errors import BaselineError
from baselines.features.interface import Features
from baselines.features.published import PublishedFeatures
from baselines.features.store import FeatureFile, settled

SLACK = 1.25
"""By what factor lengths may differ: TVR's durations were aligned by frames, and sources state rounded ones."""


def open_features(path: Path | str) -> Features:
    """The features in a file of ours (HDF5), or those that a JSON file names. Raises: BaselineError."""
    path = Path(path)
    return PublishedFeatures(path) if path.suffix.lower() == ".json" else FeatureFile(path)


def require_fit(features: Features, durations: Mapping[str, float | None], release: Path) -> None:
    """Check that every video of a release has features, and clips as long as they are said to be.

    Raises: BaselineError naming the first videos without features; or where most videos have more clips than their
    durations allow, or one has too few: then frame rate or clip length were others.
    """
    there = set(features.videos)
    missing = [video for video in durations if video not in there]
    if missing:
        raise BaselineError(
            f"{features.name}: found no features for {len(missing)} of {len(durations)} videos of {release}, among "
            f"them {', '.join(map(repr, missing[:3]))}"
        )
    ratios = []
    for video, seconds in durations.items():
        if seconds is None:
            continue
        clips, due = features.clips(video), max(1, math.ceil(seconds / features.clip_seconds))
        if clips * SLACK + 2 < due:
            raise BaselineError(
                f"{features.name}: found {clips} clips for the video {video!r} of {seconds:g} s, expected {due} of "
                f"{features.clip_seconds:g} s: it was cut off, or the clips have another length"
            )
        ratios.append(clips / due)
    # A duration that no source states is a release's lower bound, so one video may have more clips than it says.
    if ratios and median(ratios) > SLACK and len(ratios) > 1:
        raise BaselineError(
            f"{features.name}: found {median(ratios):.1f} times as many clips as {release}'s durations have at "
            f"{features.clip_seconds:g} s a clip: they were made with another frame rate or clip length"
        )


def require_same_features(found: Features, trained: Mapping[str, object], checkpoint: str) -> None:
    """Raises: BaselineError if features aren't of the kind that a model was trained on (by their manifests)."""
    for key in ("frames", "text", "frames_per_second", "clip_seconds", "pool", "dimensions"):
        if settled(found.manifest.get(key)) != settled(trained.get(key)):
            raise BaselineError(
                f"{found.name}: found {key} = {found.manifest.get(key)}, expected {trained.get(key)}, on which "
                f"{checkpoint} was trained"
            )
