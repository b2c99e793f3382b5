"""The best moments of each query of a run, put in order again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from baselines.errors import BaselineError
from baselines.progress import bar
from baselines.reading.release import Query
from baselines.reranking.answers import AnswerFile, Reranker, Task
from evaluation.moments.run import Run, RunBuilder


@dataclass(frozen=True)
class Reranked:
    """Attributes: run: what became of it. moments: how many were scored. without: how many of them got no score."""

    run: Run
    moments: int
    without: int


def rerank(run: Run, queries: Sequence[Query], reranker: Reranker, kept: AnswerFile, *, top: int) -> Reranked:
    """Put the ``top`` best moments of each query in order of the reranker's scores; the others follow as they were.

    Equal scores keep the run's order; moments without one stand behind those with one. The new run's scores fall by 1
    from the number of a query's moments to 1. Only what ``kept`` lacks is asked.
    Raises: BaselineError if no moment gets a score, or as the reranker does.
    """
    tasks = [task for query in queries for task in _tasks(run, query, top, whole=reranker.whole_queries)]
    todo = [task for task in tasks if kept.get(task) is None]
    asked = bar(kept.keep(reranker.answers(todo) if todo else ()), desc="Asked", unit="", total=len(todo))
    for _ in asked:
        pass
    scores: dict[str, list[float | None]] = {}
    for task in tasks:
        scores.setdefault(task.query.query_id, []).extend(kept.get(task) or ())
    every = [score for own in scores.values() for score in own]
    without = sum(score is None for score in every)
    if every and without == len(every):
        raise BaselineError(f"{kept.path}: found no score among {without} answers, expected a number in some")
    builder = RunBuilder(run.name)
    for query_id, own in scores.items():
        moments = run.of_query(query_id)
        order = sorted(range(len(own)), key=lambda place: (own[place] is None, -(own[place] or 0.0)))
        moments = [moments[place] for place in [*order, *range(len(own), len(moments))]]
        builder.add(
            query_id,
            [moment.video_name for moment in moments],
            np.array([(moment.start, moment.end) for moment in moments], dtype=np.float64).reshape(-1, 2),
            [float(score) for score in range(len(moments), 0, -1)],
        )
    return Reranked(builder.finished(), len(every), without)


def _tasks(run: Run, query: Query, top: int, *, whole: bool) -> list[Task]:
    moments = tuple(run.of_query(query.query_id)[:top])
    if whole:
        return [Task(query, moments)] if moments else []
    return [Task(query, (moment,)) for moment in moments]
