"""A command that gives moments scores: JSON Lines in, JSON Lines out, a query a line."""

from __future__ import annotations

import json
import math
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from baselines.errors import BaselineError
from baselines.reranking.answers import Answer, Task
from evaluation.errors import shown

SECONDS_TO_END = 10
"""How long a command may take to end after its last query."""


class Command:
    """Started once. It reads ``{"query_id", "query", "moments": [{"video_name", "start", "end"}]}`` from a line of its
    standard input and writes ``{"scores": [...]}``, one number a moment or null, as a line, before it gets the next.

    With videos, each moment has the ``path`` of its video too.
    """

    whole_queries = True

    def __init__(self, line: str, videos: Mapping[str, Path] | None = None) -> None:
        """Raises: BaselineError for a line that is none."""
        try:
            self._words = shlex.split(line)
        except ValueError as error:
            raise BaselineError(
                f"--command: found {line!r} ({error}), expected a program with its arguments"
            ) from error
        if not self._words:
            raise BaselineError("--command: found nothing, expected a program with its arguments")
        self._videos = videos
        self.asked_with: dict[str, Any] = {"command": line}

    def answers(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Answer]]:
        """One after the other. Raises: BaselineError if the command fails, ends early or answers something else."""
        try:
            process = subprocess.Popen(self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
        except OSError as error:
            raise BaselineError(f"{self._words[0]}: can't be started ({error.strerror})") from error
        assert process.stdin is not None and process.stdout is not None
        try:
            for task in tasks:
                try:
                    process.stdin.write(json.dumps(self._asked(task)) + "\n")
                    process.stdin.flush()
                    said = process.stdout.readline()
                except (BrokenPipeError, UnicodeDecodeError) as error:
                    said = "" if isinstance(error, BrokenPipeError) else str(error)
                if not said:
                    raise BaselineError(
                        f"{self._words[0]}: ended with exit code {process.wait()} at the query_id "
                        f"{task.query.query_id!r}, expected an answer; the same command goes on there"
                    )
                yield task, self._read(said, task)
        finally:
            self._end(process)

    def _asked(self, task: Task) -> dict[str, Any]:
        moments: list[dict[str, Any]] = []
        for moment in task.moments:
            moments.append({"video_name": moment.video_name, "start": moment.start, "end": moment.end})
            if self._videos is not None:
                moments[-1]["path"] = str(self._videos[moment.video_name])
        return {"query_id": task.query.query_id, "query": task.query.text, "moments": moments}

    def _read(self, said: str, task: Task) -> Answer:
        try:
            scores = json.loads(said)["scores"]
            if len(scores) == len(task.moments) and all(score is None or _is_score(score) for score in scores):
                return Answer(tuple(scores))
        except (ValueError, TypeError, KeyError):
            pass
        raise BaselineError(
            f"{self._words[0]}: found {shown(said.rstrip())} for the query_id {task.query.query_id!r}, expected "
            f'{{"scores": [...]}} with {len(task.moments)} finite numbers or nulls'
        )

    @staticmethod
    def _end(process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended already
            process.stdin.close()
        try:
            process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _is_score(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
