"""Small files of judgments, as the tests of their import need them."""

import csv
import json
from pathlib import Path
from typing import Any

from datasets.formats.tvr_ranking import RAW_COLUMNS

QUERIES = {"11": "A woman opens the door.", "12": "A man pours coffee."}
MOMENTS = (("alpha", 0.5, 4.25), ("alpha", 5.0, 9.0), ("beta", 0.0, 3.5))
CAPTIONS = ("A woman opens the door.", "A man pours coffee.", "Two people dance.")


def row(worker: str, grade: object, *, query: str = "11", moment: int = 0, **other: object) -> dict[str, Any]:
    """One judgment of a query and a moment of the small world above; `other` are columns that say something else."""
    video, start, end = MOMENTS[moment]
    own = CAPTIONS[moment] == QUERIES.get(query)
    row: dict[str, Any] = {
        "pair_id": f"{query}{moment}",
        "query_id": query,
        "query": QUERIES.get(query, ""),
        "video_name": video,
        "timestamp": json.dumps([start, end]),
        "duration": 60.5 if video == "alpha" else "",
        "caption": CAPTIONS[moment],
        "similarity": 1.0 if own else round(0.8 - moment / 10, 6),
        "worker": worker,
        "relevance": grade,
    }
    return row | other


def write_raw(path: Path, rows: list[dict[str, Any]], columns: tuple[str, ...] = RAW_COLUMNS) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


JUDGED = [
    # Agreed on 3 and 4; disputed, then agreed by two others; discarded; still in the first round.
    row("w1", 3),
    row("w2", 4),
    row("w1", 0, moment=1),
    row("w2", 3, moment=1),
    row("w3", 1, moment=1),
    row("w4", 1, moment=1),
    row("w1", 0, query="12", moment=1),
    row("w2", 4, query="12", moment=1),
    row("w4", 1, query="12", moment=1),
    row("w3", 3, query="12", moment=1),
    row("w2", 2, query="12", moment=2),
]


def task(*annotations: dict[str, Any], **data: Any) -> dict[str, Any]:
    """A Label Studio task about the first query and moment; `data` says something else."""
    video, start, end = MOMENTS[0]
    about = {
        "query_id": 11,
        "query": QUERIES["11"],
        "video_name": video,
        "timestamp": [start, end],
        "caption": CAPTIONS[0],
        "similarity": 1.0,
    }
    return {"id": 7, "data": {k: v for k, v in (about | data).items() if v is not None}, "annotations": [*annotations]}


def stars(by: object, rating: object, **other: Any) -> dict[str, Any]:
    value = {"from_name": "relevance", "to_name": "clip", "type": "rating", "value": {"rating": rating}}
    return {"completed_by": by, "was_cancelled": False, "result": [value], **other}


def choice(by: object, *chosen: str) -> dict[str, Any]:
    return {"completed_by": by, "result": [{"type": "choices", "value": {"choices": list(chosen)}}]}
