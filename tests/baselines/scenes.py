"""A made-up collection that can be learnt: videos are sequences of scenes, each query asks for one of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from baselines.features.store import FeatureFile
from baselines.features.writing import FeatureWriter, VideoFeatures
from baselines.reading.release import Release, read_release
from tests.baselines.worlds import CLIP, manifest_of, moment

VISUAL, SUBTITLES, WORDS = 12, 8, 10
SCENES = 6
DEPTHS = (1, 4)


@dataclass(frozen=True)
class Collection:
    """A release's folder and a file of features for it."""

    folder: Path
    features: Path

    def release(self) -> Release:
        return read_release(self.folder)

    def feature_file(self) -> FeatureFile:
        return FeatureFile(self.features)


def make_collection(folder: Path, *, subtitles: bool = True, videos: int = 8, queries: int = 12) -> Collection:
    """``queries`` queries of pseudo-training, five of validation, five of test, all drawn from one seed."""
    draw = np.random.default_rng(7)
    looks, sounds, names = (draw.normal(size=(SCENES, size)) for size in (VISUAL, SUBTITLES, WORDS))
    sizes = {"visual": VISUAL, "subtitles": SUBTITLES if subtitles else None, "words": WORDS, "shared": None}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "features.h5"
    writer = FeatureWriter(path, manifest_of(dimensions=sizes))
    where: dict[int, list[tuple[str, float, float]]] = {scene: [] for scene in range(SCENES)}
    durations = {}
    for number in range(videos):
        name, scenes = f"v{number}", draw.permutation(SCENES)[: 2 + number % 2]
        visual, said = (0.3 * draw.normal(size=(4 * len(scenes), size)) for size in (VISUAL, SUBTITLES))
        for place, scene in enumerate(scenes):
            visual[4 * place : 4 * place + 3] += looks[scene]
            said[4 * place : 4 * place + 3] += sounds[scene]
            where[int(scene)].append((name, 4 * place * CLIP, (4 * place + 3) * CLIP))
        durations[name] = len(visual) * CLIP
        rows = [part.astype(np.float32) for part in (visual, said)]
        writer.add(name, VideoFeatures(durations[name], name, rows[0], rows[1] if subtitles else None))

    words: dict[str, Any] = {}
    records: list[tuple[int, dict[str, Any]]] = []
    for number in range(queries + 10):
        scene, text = number % SCENES, f"query {number}"
        words[text] = (names[scene] + 0.2 * draw.normal(size=(3 + number % 3, WORDS))).astype(np.float32)
        records.append((scene, {"query_id": number, "query": text}))
    writer.finish(words)

    for depth in DEPTHS:
        train = [
            record
            | {"relevant_moment": [moment(*at, similarity=1 - 0.1 * i) for i, at in enumerate(where[scene][:depth])]}
            for scene, record in records[:queries]
        ]
        (folder / f"train_top{depth:02d}.json").write_text(json.dumps(train))
    for split, first in (("val", queries), ("test", queries + 5)):
        judged = [
            record | {"relevant_moment": [moment(*at, relevance=3) for at in where[scene]]}
            for scene, record in records[first : first + 5]
        ]
        (folder / f"{split}.json").write_text(json.dumps(judged))
    (folder / "video_corpus.json").write_text(json.dumps(durations))
    return Collection(folder, path)
