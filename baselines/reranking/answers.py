"""What a reranker is asked, and its answers in a file from which a stopped reranking goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from baselines.errors import BaselineError
from baselines.reading.release import Query
from evaluation.moments.run import Prediction


class Task(NamedTuple):
    """A query with moments of which a score is asked, best first."""

    query: Query
    moments: tuple[Prediction, ...]


class Answer(NamedTuple):
    """Scores of a task's moments, in their order, a higher one is better, None where none was given; and what was
    said, for people."""

    scores: tuple[float | None, ...]
    said: str = ""


class Reranker(Protocol):
    """What gives moments scores.

    Attributes: asked_with: plain JSON, from which together with a task its answer follows. whole_queries: whether a
    task has all moments of a query, or one.
    """

    asked_with: dict[str, Any]
    whole_queries: bool

    def answers(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Answer]]:
        """The answers as they come, in any order. Raises: BaselineError where it can't go on."""


class AnswerFile:
    """The answers so far, a line of JSON each; those of other settings in the same file are let be."""

    def __init__(self, path: Path, asked_with: Mapping[str, Any]) -> None:
        """Raises: BaselineError if the file can't be read, or has a line that is none of these."""
        self.path = path
        self._asked_with = dict(asked_with)
        self._scores: dict[str, tuple[float | None, ...]] = {}
        try:
            content = path.read_bytes() if path.is_file() else b""
            whole = content[: content.rfind(b"\n") + 1]
            if len(whole) < len(content):  # a kill cut the last line off
                with path.open("r+b") as file:
                    file.truncate(len(whole))
        except OSError as error:
            raise BaselineError(f"{path}: can't be read ({error.strerror})") from error
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                row = json.loads(line)
                self._scores[row["key"]] = tuple(None if score is None else float(score) for score in row["scores"])
            except (ValueError, TypeError, KeyError) as error:
                raise BaselineError(
                    f"{path}, line {number}: found no answer, expected what rerank wrote; "
                    "without the line it is asked again"
                ) from error

    def get(self, task: Task) -> tuple[float | None, ...] | None:
        """The scores of a task's moments, or None where there is no answer yet."""
        return self._scores.get(self._key(task))

    def keep(self, answered: Iterable[tuple[Task, Answer]]) -> Iterator[Task]:
        """Write answers as they come, each before anything follows from it.

        Raises: BaselineError if the place can't be written, or as the answers do.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                for task, answer in answered:
                    key = self._key(task)
                    row = {
                        "key": key,
                        "query_id": task.query.query_id,
                        "moments": _placed(task),
                        "scores": answer.scores,
                        "said": answer.said,
                    }
                    file.write(f"{json.dumps(row)}\n".encode())
                    file.flush()
                    self._scores[key] = answer.scores
                    yield task
        except OSError as error:
            raise BaselineError(f"{self.path}: can't be written ({error.strerror})") from error

    def _key(self, task: Task) -> str:
        asked = [self._asked_with, task.query.query_id, task.query.text, _placed(task)]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _placed(task: Task) -> list[list[Any]]:
    return [[moment.video_name, moment.start, moment.end] for moment in task.moments]
