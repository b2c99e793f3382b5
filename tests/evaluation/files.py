"""Writing small files for the tests, and running the command line on them."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluation.__main__ import main
from tests.paths import NO_DATA

Moments = Sequence[tuple[str, Sequence[float], float]]
"""Video, [start, end], and the grade or the score."""
REPOSITORY = Path(__file__).resolve().parents[2]


def real_files(folder: str) -> Path:
    """A folder of the development data, or a skip with its reason where it isn't."""
    path = Path(os.environ.get("QREELS_DATA") or REPOSITORY.parent / "shared" / "data") / folder
    if not path.is_dir():
        pytest.skip(NO_DATA)
    return path


def truth_rows(*queries: tuple[Any, Moments]) -> list[dict[str, Any]]:
    """Records of a ground truth with no more than a reader needs."""
    return [
        {
            "query_id": query_id,
            "relevant_moment": [
                {"video_name": video, "timestamp": times, "relevance": grade} for video, times, grade in moments
            ],
        }
        for query_id, moments in queries
    ]


def run_rows(*queries: tuple[Any, Moments]) -> list[dict[str, Any]]:
    """Records of a run."""
    return [
        {
            "query_id": query_id,
            "predictions": [
                {"video_name": video, "timestamp": times, "score": score} for video, times, score in predictions
            ],
        }
        for query_id, predictions in queries
    ]


def write_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, rows: list[Any]) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: object, code: int = 0) -> tuple[str, str]:
    """Run the command line; returns standard output and standard error."""
    assert main([str(argument) for argument in arguments]) == code
    captured = capsys.readouterr()
    return captured.out, captured.err
