"""Runs as TVR-Ranking's systems write them, and their pool and differences by json and pandas alone."""

from __future__ import annotations

import gzip
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "tvr_ranking"
INDICES = "video_name_duration_id.json"
SPAN = ["query", "video", "start", "end"]
Told = dict[tuple[str, str], tuple[int, dict[int, float]]]
"""Of each two runs: moments of both, and the mean overlap of their first k ranks by k."""


def drawn(folder: Path, *, runs: int = 9, queries: int = 500, predictions: int = 40, videos: int = 20_000) -> Path:
    """A folder laid out as the real one. Times are multiples of 1.5 s, as there, so that runs share spans."""
    rng = np.random.default_rng(0)
    names = {f"v{video}": [90.0, video] for video in range(videos)}
    (folder / INDICES).write_text(json.dumps(names))
    (folder / "val_runs").mkdir()
    likely = rng.integers(0, videos, (queries, 20))
    for run in range(runs):
        rows = []
        for query in range(queries):
            starts, lengths = rng.integers(0, 20, predictions) * 1.5, rng.integers(1, 8, predictions) * 1.5
            spans = zip(rng.choice(likely[query], predictions).tolist(), starts.tolist(), lengths.tolist(), strict=True)
            listed = {(video, start, start + length): None for video, start, length in spans}
            rows.append(
                {"query_id": query, "desc": "", "predictions": [[*one, -float(i)] for i, one in enumerate(listed)]}
            )
        with gzip.open(folder / "val_runs" / f"run{run}.json.gz", "wt", compresslevel=1) as file:
            json.dump(rows, file)
    return folder


def by_pandas(folder: Path, *, depth: int, cutoffs: tuple[int, ...]) -> tuple[int, Told]:
    """The number of different spans in the pool of all runs, and what each two have in common: exact spans alone."""
    names = {index: name for name, (_, index) in json.loads((folder / INDICES).read_text()).items()}
    frames = {}
    for path in sorted((folder / "val_runs").glob("*.json.gz")):
        with gzip.open(path) as file:
            rows = [(str(row["query_id"]), *prediction) for row in json.load(file) for prediction in row["predictions"]]
        frame = pd.DataFrame(rows, columns=[*SPAN, "score"])
        frame["video"] = frame["video"].map(names)
        frame = frame.sort_values(["query", "score"], ascending=[True, False], kind="stable")
        frame["rank"] = frame.groupby("query").cumcount() + 1
        frames[path.name] = frame[frame["rank"] <= depth].drop_duplicates(SPAN)
    pool = pd.concat(frames.values()).drop_duplicates(SPAN)
    told: Told = {}
    for (a, one), (b, two) in combinations(frames.items(), 2):
        shared = one.merge(two, on=SPAN)
        both = np.intersect1d(one["query"].unique(), two["query"].unique())
        last = shared[["rank_x", "rank_y"]].max(axis=1)
        overlap = {}
        for k in cutoffs:
            common = shared[last <= k].groupby("query").size().reindex(both, fill_value=0)
            sizes = [own[own["rank"] <= k].groupby("query").size().reindex(both, fill_value=0) for own in (one, two)]
            overlap[k] = float((common / (sizes[0] + sizes[1] - common)).mean())
        told[a, b] = len(shared), overlap
    return len(pool), told
