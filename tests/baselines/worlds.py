"""Small releases and files of features for the tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from baselines.__main__ import main
from baselines.features.encoders.interface import WordEncoder
from baselines.features.store import FORMAT, FeatureFile
from baselines.features.writing import FeatureWriter, VideoFeatures

CLIP = 1.5
VISUAL, WORDS = 6, 4


def moment(video: str, start: float, end: float, **more: Any) -> dict[str, Any]:
    """A record of a moment."""
    return {"video_name": video, "timestamp": [start, end], **more}


def write_release(folder: Path, *, durations: dict[str, float | None] | None = None, depth: int = 2) -> Path:
    """Three videos, two val and two test queries, three of pseudo-training with two moments each."""
    folder.mkdir(parents=True, exist_ok=True)
    durations = durations or {"night": 9.0, "noon": 12.0, "morning": 6.0}
    first, second, third = list(durations)[:3]
    files: dict[str, Any] = {
        "video_corpus.json": durations,
        "val.json": [
            {"query_id": 1, "query": "A man sleeps.", "relevant_moment": [moment(first, 0, 3, relevance=4)]},
            {"query_id": 2, "query": "A cat walks.", "relevant_moment": [moment(second, 3, 6, relevance=2)]},
        ],
        "test.json": [
            {
                "query_id": 3,
                "query": "A woman eats.",
                "relevant_moment": [moment(second, 0, 3, relevance=4), moment(third, 1.5, 4.5, relevance=1)],
            },
            {"query_id": "4b", "query": "A dog barks.", "relevant_moment": [moment(third, 0, 3, relevance=3)]},
        ],
        f"train_top{depth:02d}.json": [
            {
                "query_id": 10 + row,
                "query": text,
                "relevant_moment": [
                    moment(first, 0, 3, similarity=1.0),
                    moment(second, 3, 7.5, similarity=0.5),
                ][:depth],
            }
            for row, text in enumerate(("A man rests.", "Someone wakes up.", "A man rests again."))
        ],
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return folder


def manifest_of(**changed: Any) -> dict[str, Any]:
    """A manifest of features that no encoder made."""
    made: dict[str, Any] = {
        "format": FORMAT,
        "frames": {"name": "drawn", "library": "none", "weights": "0" * 64},
        "text": {"name": "minilm", "library": "none", "weights": "0" * 64},
        "shared": None,
        "shared_texts": None,
        "frames_per_second": 3.0,
        "clip_seconds": CLIP,
        "pool": "max",
        "picture_size": [224, 224],
        "dimensions": {"visual": VISUAL, "subtitles": None, "words": WORDS, "shared": None},
        "code": {"name": "qreels", "version": "0", "revision": None},
    }
    return made | changed


def rows(clips: int, size: int = VISUAL, *, seed: int = 0) -> Any:
    """Features of a video, shape (clips, size)."""
    return np.random.default_rng(seed).normal(size=(clips, size)).astype(np.float32)


def write_features(path: Path, clips: dict[str, int] | None = None, *, texts: Sequence[str] = ()) -> FeatureFile:
    """A file of features of the release above."""
    writer = FeatureWriter(path, manifest_of())
    for number, (video, count) in enumerate((clips or {"night": 6, "noon": 8, "morning": 4}).items()):
        writer.add(video, VideoFeatures(count * CLIP, f"{video}.mp4 {count}", rows(count, seed=number)))
    return writer.finish({text: rows(3, WORDS, seed=len(text)) for text in texts})


def run_line(*arguments: Any) -> int:
    """`python -m baselines ARGUMENTS...` in this process: its exit code."""
    return main([str(argument) for argument in arguments])


class CountedWords:
    """An encoder of words that was drawn by hand: a text's words are the lengths of its words."""

    identity: dict[str, Any] = {"name": "counted", "library": "none", "weights": "1" * 64}
    size = 2

    def words(self, texts: Sequence[str]) -> list[Any]:
        """Shape (words, 2) each."""
        return [np.array([[len(word), 1.0] for word in text.split()], dtype=np.float32) for text in texts]


COUNTED: WordEncoder = CountedWords()
