"""Writing runs in the formats of the field."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import EvaluationError
from ..formats.trec_ids import moment_id, written_id
from ..moments.run import Prediction, Run


def qreels_text(run: Run) -> Iterator[str]:
    """JSON Lines of queries; a prediction without a score is written without one."""
    for query_id, predictions in _answers(run):
        rows = [_scored(prediction, "score") for prediction in predictions]
        yield json.dumps({"query_id": _number_or_text(query_id), "predictions": rows}) + "\n"


def tvr_ranking_text(run: Run) -> Iterator[str]:
    """``{query_id: [...]}`` with ``model_scores``, one query a line."""
    opening = "{"
    for query_id, predictions in _answers(run):
        rows = [_scored(prediction, "model_scores") for prediction in predictions]
        yield f"{opening}{json.dumps(query_id)}: {json.dumps(rows)}"
        opening = ",\n"
    yield "{}\n" if opening == "{" else "}\n"


def tvr_text(run: Run, *, task: str, indices: Mapping[str, int] | None = None) -> Iterator[str]:
    """TVR's submission with one task's list.

    Args: indices: the videos' indices; None numbers them from 0 in order of name.
    Raises: EvaluationError if a video has no index.
    """
    numbers = indices or {name: i for i, name in enumerate(sorted(run.video_names))}
    missing = next((name for name in run.video_names if name not in numbers), None)
    if missing is not None:
        raise EvaluationError(f"{run.name}: video {missing!r} has no index")
    if run.ranks_videos and task != "VR":
        raise EvaluationError(f"{run.name} ranks videos without times: only the task VR holds that")
    used = {name: numbers[name] for name in run.video_names}
    rows = []
    for query_id, predictions in _answers(run, videos_too=True):
        lists = [
            [numbers[p.video_name], p.start, p.end, len(predictions) - i if p.score is None else p.score]
            for i, p in enumerate(predictions)
        ]
        rows.append({"desc_id": _number_or_text(query_id), "predictions": lists})
    yield json.dumps({"video2idx": used, task: rows}) + "\n"


def qvhighlights_text(run: Run) -> Iterator[str]:
    """QVHighlights' predictions. Raises: EvaluationError if a query is not about exactly one video."""
    for query_id, predictions in _answers(run):
        videos = {prediction.video_name for prediction in predictions}
        if len(videos) != 1:
            raise EvaluationError(
                f"{run.name}: query_id {query_id!r} has predictions in {len(videos)} videos; "
                "QVHighlights' format holds exactly one a query"
            )
        windows = [
            [p.start, p.end, len(predictions) - i if p.score is None else p.score] for i, p in enumerate(predictions)
        ]
        row = {"qid": _number_or_text(query_id), "vid": videos.pop(), "pred_relevant_windows": windows}
        yield json.dumps(row) + "\n"


def trec_text(run: Run) -> Iterator[str]:
    """``query_id Q0 moment_id rank score tag``; without scores the place in the list is the score.

    Ids are written as in a release's `trec/`. Raises: EvaluationError for a query without an id.
    """
    tag = "".join(run.name.split()) or "run"
    for query_id, predictions in _answers(run):
        if not query_id:
            raise EvaluationError(f"{run.name}: a query has no id, and TREC's columns need one")
        for rank, p in enumerate(predictions, start=1):
            score = len(predictions) - rank + 1 if p.score is None else p.score
            yield f"{written_id(query_id)} Q0 {moment_id(p.video_name, p.start, p.end)} {rank} {score!r} {tag}\n"


WRITERS: dict[str, Callable[..., Iterator[str]]] = {
    "qreels": qreels_text,
    "tvr-ranking": tvr_ranking_text,
    "tvr": tvr_text,
    "qvhighlights": qvhighlights_text,
    "trec": trec_text,
}
"""The formats that are written, by name."""


def _answers(run: Run, *, videos_too: bool = False) -> Iterator[tuple[str, list[Prediction]]]:
    if run.ranks_videos and not videos_too:
        raise EvaluationError(f"{run.name} ranks videos without times: only TVR's format holds that")
    for row, query_id in enumerate(run.query_ids):
        yield query_id, [run.prediction(place) for place in range(run.offset[row], run.offset[row + 1])]


def _scored(prediction: Prediction, key: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "video_name": prediction.video_name,
        "timestamp": [prediction.start, prediction.end],
    }
    return row if prediction.score is None else {**row, key: prediction.score}


def _number_or_text(query_id: str) -> int | str:
    """A whole number where the text is one exactly ("7", not "07"), because most formats have numbers."""
    exact = query_id.isascii() and query_id.isdigit() and (query_id == "0" or query_id[0] != "0")
    return int(query_id) if exact else query_id
