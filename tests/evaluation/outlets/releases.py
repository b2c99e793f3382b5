"""Small releases, of plain files, with all that names and texts may have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NASTY = "Café a/b 50%"
DURATIONS: dict[str, float | None] = {"alpha": 60.5, NASTY: 12.0, "gamma": None, "unused": None, "silent": 30.0}


def pair(number: int, video: str, start: float, end: float, grade: int | None, caption: str | None) -> dict[str, Any]:
    place = {"pair_id": number, "video_name": video, "timestamp": [start, end], "duration": DURATIONS[video]}
    return place | {"caption": caption, "similarity": None, "relevance": grade}


VAL: list[dict[str, Any]] = [
    {
        "query_id": "q:1",
        "query": 'A man says "a --> b ## c" & <b>leaves</b>.\nThen it\'s dark.',
        "relevant_moment": [
            pair(1, "alpha", 0.0, 4.25, 4, "A man leaves."),
            pair(2, "alpha", 3.0, 9.0, 2, "It is dark."),
            pair(3, NASTY, 9.5, 11.25, 1, "Somebody talks."),
            pair(4, "gamma", 1.0, 2.0, 0, None),
        ],
    },
    {"query_id": 2, "query": "Nothing fits.", "relevant_moment": [pair(5, "alpha", 0.0, 4.25, 0, "A man leaves.")]},
]
TEST: list[dict[str, Any]] = [
    {
        "query_id": 3,
        "query": "NA",
        "relevant_moment": [
            pair(6, "gamma", 1.0, 2.0, 3, None),
            pair(7, "alpha", 3.0, 9.0, 1, "Night falls."),
            pair(8, "alpha", 58.0, 61.0, None, "Nobody judged this."),
        ],
    }
]
TRAIN: list[dict[str, Any]] = [
    {"query_id": 10, "query": "A dog runs.", "relevant_moment": [pair(0, "silent", 2.0, 7.0, None, "A dog runs.")]},
]
PAIRS = {"val": VAL, "test": TEST}


def write_release(folder: Path, *, manifest: dict[str, Any] | None = None, **files: Any) -> Path:
    """val, test, train_top01 and video_corpus; other files by their names, which may replace these."""
    folder.mkdir(parents=True)
    every = {"val": VAL, "test": TEST, "train_top01": TRAIN, "train_top20": TRAIN, "video_corpus": DURATIONS} | files
    if manifest is not None:
        every["manifest"] = manifest
    for name, content in every.items():
        if content is not None:
            (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def graded(split: str, least: int = 0) -> list[tuple[str, str, float, float, int]]:
    """Query, video, start, end and grade of each pair from a grade on, in order of the files."""
    return [
        (str(query["query_id"]), own["video_name"], *own["timestamp"], own["relevance"])
        for query in PAIRS[split]
        for own in query["relevant_moment"]
        if own["relevance"] is not None and own["relevance"] >= least
    ]
