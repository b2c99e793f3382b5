"""Runs to score: ranked by shared words, by any score, and a perfect one."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus.models import Description
from foundation.models import Collection

DEPTH = 100
_WORD = re.compile(r"[a-z]+")


def write_overlap_run(collection: Collection, ground_truth: Path, path: Path) -> None:
    """Write a run that ranks moments by words shared with the query, with slightly wrong times."""
    dice = random.Random(1)
    moments = [
        (set(_WORD.findall(text.lower())), video, start, end)
        for text, video, start, end in Description.objects.filter(collection=collection)
        .order_by("pk")
        .values_list("text", "moment__video__name", "moment__start", "moment__end")
    ]
    with path.open("w") as file:
        for query in json.loads(ground_truth.read_text()):
            asked = set(_WORD.findall(query["query"].lower()))
            scored = sorted(
                (
                    (len(asked & words) / len(asked | words), place)
                    for place, (words, *_) in enumerate(moments)
                    if asked & words
                ),
                key=lambda row: (-row[0], row[1]),
            )
            predictions: list[dict[str, Any]] = []
            seen: set[tuple[str, float, float]] = set()
            for score, place in scored:
                _, video, start, end = moments[place]
                if (video, start, end) not in seen and len(predictions) < DEPTH:
                    seen.add((video, start, end))
                    late = dice.uniform(-0.15, 0.15) * (end - start)
                    predictions.append(_prediction(video, max(0.0, start + late), end + late, score))
            file.write(json.dumps({"query_id": query["query_id"], "predictions": predictions}) + "\n")


def write_ranked_run(
    places: Sequence[tuple[str, float, float]], scores: Mapping[str, Sequence[float]], path: Path
) -> None:
    """Write a run of the best places (video, start, end) of each query, by a score for each place."""
    with path.open("w") as file:
        for query_id, own in scores.items():
            best = sorted(range(len(places)), key=lambda place: -own[place])
            distinct = dict.fromkeys(places[place] for place in best)
            score = {places[place]: own[place] for place in reversed(best)}
            predictions = [_prediction(*span, score[span]) for span in list(distinct)[:DEPTH]]
            file.write(json.dumps({"query_id": query_id, "predictions": predictions}) + "\n")


def write_perfect_run(ground_truth: Path, path: Path) -> None:
    """Write a run that is the ground truth in order of relevance."""
    with path.open("w") as file:
        for query in json.loads(ground_truth.read_text()):
            moments = sorted(query["relevant_moment"], key=lambda moment: -moment["relevance"])
            predictions = [
                _prediction(moment["video_name"], moment["timestamp"][0], moment["timestamp"][1], float(-place))
                for place, moment in enumerate(moments)
            ]
            file.write(json.dumps({"query_id": query["query_id"], "predictions": predictions}) + "\n")


def _prediction(video: str, start: float, end: float, score: float) -> dict[str, Any]:
    return {"video_name": video, "timestamp": [round(start, 3), round(end, 3)], "score": round(score, 6)}
