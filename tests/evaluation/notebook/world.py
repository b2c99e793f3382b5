"""Three queries and two runs, in every way in which a notebook may have them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evaluation import GroundTruth, JudgedMoment, Prediction, Run
from tests.evaluation.files import Moments, run_rows, truth_rows, write_json, write_lines

JUDGED: dict[str, Moments] = {
    "1": [("castle_s01e01", [0.0, 10.0], 4), ("ship_s02e03", [5.0, 9.0], 2), ("ship_s02e03", [20.0, 25.0], 0)],
    "2": [("ship_s02e04", [1.0, 3.0], 3)],
    "3": [("castle_s01e02", [0.0, 4.0], 0)],
}
TEXTS = {"1": "A man pours coffee, and a dog watches.", "2": "Two people dance.", "3": "A woman opens the door."}
RANKED: dict[str, dict[str, Moments]] = {
    "mine": {
        "1": [("castle_s01e01", [0.0, 9.0], 0.9), ("ship_s02e03", [5.0, 9.0], 0.5)],
        "2": [("ship_s02e04", [1.0, 3.5], 0.7)],
        "3": [("castle_s01e02", [0.0, 4.0], 0.1)],
    },
    "other": {
        "1": [("ship_s02e03", [20.0, 25.0], 3), ("castle_s01e01", [1.0, 8.0], 2)],
        "2": [("castle_s01e01", [0.0, 9.0], 1)],
    },
}
MEASURES = ["NDCG@20,IoU>=0.5", "AxIoU@5", "mAP,IoU>=0.5"]


def truth_records() -> list[dict[str, Any]]:
    return [{**record, "query": TEXTS[record["query_id"]]} for record in truth_rows(*JUDGED.items())]


def truth_object() -> GroundTruth:
    return GroundTruth.of(
        (query_id, [JudgedMoment(video, start, end, grade) for video, (start, end), grade in moments])
        for query_id, moments in JUDGED.items()
    )


def run_objects() -> list[Run]:
    return [
        Run.of(
            name,
            (
                (query_id, [Prediction(video, start, end, score) for video, (start, end), score in moments])
                for query_id, moments in ranked.items()
            ),
        )
        for name, ranked in RANKED.items()
    ]


def write_files(folder: Path) -> tuple[Path, list[Path]]:
    """The ground truth and the runs as files."""
    truth = write_json(folder / "val.json", truth_records())
    return truth, [write_lines(folder / f"{name}.jsonl", run_rows(*ranked.items())) for name, ranked in RANKED.items()]


def write_release(folder: Path, **manifest: Any) -> Path:
    """A small release: val, two training files, durations, a sample run, raw judgments."""
    folder.mkdir()
    write_json(folder / "val.json", truth_records())
    train = [{"query_id": 9, "query": "A man sits.", "relevant_moment": []}]
    for place, depth in enumerate((1, 2), start=1):
        moment = {
            "video_name": "ship_s02e03",
            "timestamp": [1, 2],
            "duration": 30,
            "caption": "He sits.",
            "similarity": 0.5,
        }
        train[0]["relevant_moment"] = [moment] * place
        write_json(folder / f"train_top{depth:02d}.json", train)
    write_json(folder / "video_corpus.json", {"castle_s01e01": 60.5, "ship_s02e03": None})
    write_lines(folder / "sample_run.jsonl", run_rows(*RANKED["mine"].items()))
    rows = ["pair_id,query_id,video_name,timestamp,worker,relevance"]
    number = 0
    for query_id, moments in JUDGED.items():
        for video, times, grade in moments:
            number += 1
            rows += [f'{number},{query_id},{video},"{json.dumps(times)}",{worker},{grade}' for worker in ("bo", "cy")]
    (folder / "raw_annotations.csv").write_text("\n".join(rows) + "\n")
    if manifest:
        write_json(folder / "manifest.json", manifest)
    return folder
