"""Runs in the formats of the field, recognised by their content."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import EvaluationError, Faults, InputError, read_each, shown
from ..moments.run import Run, RunBuilder
from ..reading.fields import intervals, list_of, name, scores, text_id
from ..reading.json_stream import head, json_lines, json_members
from ..reading.qvhighlights import read_qvhighlights_run
from ..reading.sniffing import looks_like
from ..reading.trec import OF_RUNS, looks_like_a_run, read_trec_run
from ..reading.tvr import TASKS, read_indexed_run, read_tvr_run

_FIRST_KEY = re.compile(r'\{\s*("(?:[^"\\]|\\.)*")\s*:\s*(.)', re.DOTALL)


def run_name(path: Path) -> str:
    """The run's name: its file's name without ``.jsonl`` or ``.jsonl.gz``.

    >>> run_name(Path("runs/2D-TAN.jsonl.gz")), run_name(Path("val.trec"))
    ('2D-TAN', 'val.trec')
    """
    return path.name.removesuffix(".gz").removesuffix(".jsonl") if _is_jsonl(path) else path.name


def read_run(
    path: Path | str,
    *,
    format: str | None = None,
    task: str = "VCMR",
    queries: Container[str] = (),
    videos: Container[str] = (),
    video_indices: Mapping[str, int] | None = None,
    repeated: str = "refuse",
    faults: Faults | None = None,
) -> Run:
    """Read a run; its name is the file's, see `run_name`.

    Args:
        format: one of `RUN_FORMATS`; None recognises it by the content.
        task: which list of a TVR submission: VCMR, SVMR or VR.
        queries, videos: the ids and names that there are, by which a TREC run's ids are understood (`read_ids`);
            empty: they are decoded.
        video_indices: name -> index, for runs that name videos by their indices (`read_video_indices`).
        repeated: one of `evaluation.moments.run.REPEATED`, but for TREC's runs, whose queries are on many lines.
        faults: takes the faults of single records, which are then left out.
    Raises: InputError naming the first ten faults: file, place, what was found and what was expected. With `faults`
    only if nothing more can be read.
    """
    path = Path(path)
    chosen = format or recognised(path)
    if chosen not in RUN_FORMATS:
        raise EvaluationError(f"{chosen!r} is not a run format; there are {', '.join(RUN_FORMATS)}")
    if task not in TASKS:
        raise EvaluationError(f"{task!r} is not a task of TVR; there are {', '.join(TASKS)}")
    own = Faults() if faults is None else faults
    builder = RunBuilder(run_name(path), ranks_videos=chosen == "tvr" and task == "VR", repeated=repeated)
    try:
        if chosen == "trec":
            read_trec_run(path, builder, queries=queries, videos=videos, faults=own)
        else:
            _READERS[chosen](path, builder, task, own, video_indices)
    except InputError as fault:
        own.add(fault)
        own.raise_any()
        raise
    if faults is None:
        own.raise_any()
    return builder.finished()


def recognised(path: Path) -> str:
    """The format of a run, told by how it begins. Raises: InputError if it looks like none."""
    beginning = head(path)
    if beginning.startswith("{"):
        first = beginning.partition("\n")[0]
        if '"query_id"' in first and '"predictions"' in first:
            return "qreels"
        first_key = _FIRST_KEY.match(beginning)
        key = _decoded(first_key[1]) if first_key else ""
        opening = first_key[2] if first_key else ""
        if key in ("video2idx", *TASKS):
            return "tvr"
        if '"pred_relevant_windows"' in beginning:
            return "qvhighlights"
        if first_key and opening == "[" and key not in ("predictions", "pred_saliency_scores"):
            return "tvr-ranking"
        return "tvr-ranking" if re.match(r"\{\s*\}\s*$", beginning) else "qreels"
    if beginning.startswith("["):
        if '"predictions"' in beginning and '"relevant_moment"' not in beginning:
            return "tvr-ranking-list"
        raise InputError(
            path, "line 1", found="a JSON list, as a ground truth is", expected="a run: JSON Lines of queries"
        )
    first = beginning.partition("\n")[0]
    if looks_like_a_run(first) or first.startswith("#"):
        return "trec"
    if first:
        expected = f"a run: JSON Lines of queries, another JSON format, or TREC's {OF_RUNS}"
        raise InputError(path, "line 1", found=looks_like(beginning), expected=expected)
    return "qreels"


def _decoded(key: str) -> str:
    try:
        return str(json.loads(key))
    except json.JSONDecodeError:
        return ""


def _is_jsonl(path: Path) -> bool:
    return path.name.endswith((".jsonl", ".jsonl.gz"))


def read_qreels_run(path: Path, builder: RunBuilder, faults: Faults) -> None:
    """JSON Lines of ``{"query_id", "predictions": [{"video_name", "timestamp", "score"}]}``."""
    add_records(path, builder, json_lines(path, faults), faults)


def add_records(path: Path, builder: RunBuilder, records: Iterable[tuple[str, dict[str, Any]]], faults: Faults) -> None:
    """Add records as a line of a run's file has them, each with its place; what can't be read is added to `faults`."""

    def add(placed: tuple[str, dict[str, Any]]) -> None:
        place, record = placed
        query_id = text_id(path, place, record, "query_id")
        _add(builder, path, place, query_id, list_of(path, place, record, "predictions"))

    read_each(records, add, faults)


def read_tvr_ranking_run(path: Path, builder: RunBuilder, faults: Faults) -> None:
    """``{query_id: [{"video_name", "timestamp", "model_scores"}]}``, as TVR-Ranking's code has it."""

    def add(placed: tuple[str, str, Any]) -> None:
        place, query_id, predictions = placed
        at = f"{place}, query_id {shown(query_id)}"
        if not isinstance(predictions, list):
            raise InputError(path, at, found=shown(predictions), expected="a list of predictions")
        _add(builder, path, at, query_id, predictions)

    read_each(json_members(path), add, faults)


def _add(builder: RunBuilder, path: Path, place: str, query_id: str, predictions: list[Any]) -> None:
    if builder.refuses(query_id):
        raise InputError(path, place, found=f"query_id {shown(query_id)} a second time", expected="each query once")
    try:
        videos = [prediction["video_name"] for prediction in predictions]
        times = [prediction["timestamp"] for prediction in predictions]
        given = [_score(prediction) for prediction in predictions]
        fine = all(type(video) is str and video for video in videos)
    except (TypeError, KeyError, AttributeError):
        fine = False
    if not fine:
        _explain(path, place, predictions)
    builder.add(query_id, videos, intervals(path, place, times), scores(path, place, given))


def _score(prediction: dict[str, Any]) -> Any:
    return prediction["score"] if "score" in prediction else prediction.get("model_scores")


def _explain(path: Path, place: str, predictions: list[Any]) -> None:
    """Raises: InputError for the first prediction that lacks something."""
    for i, prediction in enumerate(predictions, start=1):
        at = f"{place}, prediction {i}"
        name(path, at, prediction, "video_name")
        if "timestamp" not in prediction:
            raise InputError(path, at, found="no timestamp", expected="timestamp: [start, end]")


_READERS: dict[str, Callable[[Path, RunBuilder, str, Faults, Mapping[str, int] | None], None]] = {
    "qreels": lambda path, builder, task, faults, indices: read_qreels_run(path, builder, faults),
    "tvr-ranking": lambda path, builder, task, faults, indices: read_tvr_ranking_run(path, builder, faults),
    "tvr-ranking-list": lambda path, builder, task, faults, indices: read_indexed_run(path, builder, faults, indices),
    "tvr": lambda path, builder, task, faults, indices: read_tvr_run(path, builder, task, faults, indices),
    "qvhighlights": lambda path, builder, task, faults, indices: read_qvhighlights_run(path, builder, faults),
}
RUN_FORMATS = (*_READERS, "trec")
"""The formats that are read, by name."""
