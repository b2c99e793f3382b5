"""Ground truths and runs as programs have them: paths, objects, data frames, plain lists and dicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ..arrays import BoolArray, json_ready
from ..errors import EvaluationError, Faults, InputError, shown
from ..moments.ground_truth import GroundTruth, JudgedMoment, PooledMoment
from ..moments.run import Prediction, Run, RunBuilder
from ..reading.ground_truths import FACTS, ground_truth_of, judged_in_qreels, read_ground_truth
from ..reading.runs import add_records, read_run

Record = Mapping[str, object]
Moment = Record | Sequence[object] | JudgedMoment | PooledMoment | Prediction
"""``{"video_name", "timestamp": [start, end], ...}``, or ``(video_name, start, end)`` with the grade or score at the
end; seconds."""
ByQuery = Mapping[str, Sequence[Moment]] | Mapping[int, Sequence[Moment]]


class Frame(Protocol):
    """A data frame, of pandas or Polars."""

    @property
    def columns(self) -> Iterable[str]: ...

    def __getitem__(self, name: str, /) -> object: ...


TruthGiven = str | PathLike[str] | GroundTruth | Frame | ByQuery | Sequence[Record]
RunGiven = str | PathLike[str] | Run | Frame | ByQuery | Sequence[Record]
RunsGiven = RunGiven | Sequence[RunGiven] | Mapping[str, RunGiven]


def truth_of(given: TruthGiven) -> GroundTruth:
    """A ground truth out of a file's path, a data frame, records or moments by query.

    A data frame has the columns ``query_id``, ``video_name``, ``start``, ``end`` and ``relevance``, and may have
    ``query``, ``language`` and ``pair_id``. Records are those of a release's ``val.json``.

    Raises: InputError naming the record, what was found and what was expected.

    >>> truth_of({"q1": [("castle_s01", 9.0, 12.25, 3)]}).grade.tolist()
    [3.0]
    """
    if isinstance(given, GroundTruth):
        return given
    if isinstance(given, str | PathLike):
        return read_ground_truth(Path(given))
    records = _records(given, "relevant_moment", "relevance")
    path = Path("ground truth")
    return ground_truth_of(path, partial(judged_in_qreels, path), _placed(path, records), Faults())


def runs_of(given: RunsGiven, truth: GroundTruth) -> list[Run]:
    """Runs out of one or several paths, data frames, records or predictions by query, or of a dict of these by name.

    A data frame has the columns ``query_id``, ``video_name``, ``start`` and ``end``. It may have ``score``, and ``run``
    where it holds several. Records are the lines of a run's file. What has no name is called
    ``run``.

    Raises: InputError as `truth_of`; EvaluationError if there is no run.

    >>> truth = truth_of({"q1": [("castle_s01", 9.0, 12.25, 3)]})
    >>> [run.name for run in runs_of({"mine": {"q1": [("castle_s01", 9.0, 12.0)]}, "none": {"q1": []}}, truth)]
    ['mine', 'none']
    """
    runs = [run for name, one, called in _each(given) for run in _named(name, one, truth, called=called)]
    if not runs:
        raise EvaluationError("found no run, expected one or more")
    if empty := [run.name for run in runs if not run.query_ids]:
        raise EvaluationError(f"{empty[0]}: found no row, expected one query or more, with predictions or none")
    return runs


def _each(given: RunsGiven) -> Iterator[tuple[str, RunGiven, bool]]:
    """Each run with a name, and whether that is what it is called whatever its own name is."""
    if isinstance(given, Mapping) and not all(map(_are_moments, given.values())):
        for name, one in given.items():
            yield str(name), cast(RunGiven, one), True
    elif isinstance(given, Sequence) and not isinstance(given, str) and not _are_records(given):
        for several in given:
            yield "run", cast(RunGiven, several), False
    else:
        yield "run", cast(RunGiven, given), False


def _are_moments(given: object) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, str) and not _are_records(given)


def _are_records(given: object) -> bool:
    return isinstance(given, Sequence) and bool(given) and isinstance(given[0], Mapping) and "query_id" in given[0]


def _named(name: str, given: RunGiven, truth: GroundTruth, *, called: bool) -> Iterator[Run]:
    if isinstance(given, str | PathLike):
        given = read_run(Path(given), queries=truth.index, videos=truth.video_index)
    if isinstance(given, Run):
        yield replace(given, name=name) if called else given
    elif isinstance(given, Mapping | Sequence) or "run" not in _columns(given):
        yield _run(name, _records(given, "predictions", "score"))
    else:
        owners = np.asarray(given["run"]).astype(str)
        for own in dict.fromkeys(owners.tolist()):
            yield _run(own, _rows(given, "predictions", "score", owners == own))


def _run(name: str, records: Iterable[Record]) -> Run:
    builder, path, faults = RunBuilder(name), Path(name), Faults()
    add_records(path, builder, _placed(path, records), faults)
    faults.raise_any()
    return builder.finished()


def _placed(path: Path, records: Iterable[Record]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The records with their places."""
    for number, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            raise InputError(path, f"record {number}", found=shown(record), expected="a dict with query_id")
        yield f"record {number}", dict(record)


def _records(given: Frame | ByQuery | Sequence[Record], listed: str, valued: str) -> Iterator[Record]:
    """Records that have their moments in the list `listed`, each with its grade or score as `valued`."""
    if isinstance(given, Mapping):
        for query_id, moments in given.items():
            yield {"query_id": query_id, listed: json_ready([_record(moment, valued) for moment in moments])}
    elif isinstance(given, Sequence):
        yield from map(json_ready, given)
    else:
        yield from _rows(given, listed, valued)


def _record(moment: Moment, valued: str) -> object:
    if isinstance(moment, Mapping):
        return moment
    if isinstance(moment, JudgedMoment | PooledMoment | Prediction):
        value = getattr(moment, "grade", getattr(moment, "score", None))
        moment = (moment.video_name, moment.start, moment.end, value)
    if isinstance(moment, str) or len(moment) not in (3, 4):
        return moment
    return {"video_name": moment[0], "timestamp": list(moment[1:3]), **({valued: moment[3]} if moment[3:] else {})}


def _columns(frame: Frame) -> list[str]:
    if not hasattr(frame, "columns"):
        raise EvaluationError(
            f"found {shown(frame)}, expected a path, a data frame, a list of records or a dict by query"
        )
    return [str(name) for name in frame.columns]


def _rows(frame: Frame, listed: str, valued: str, kept: BoolArray | slice = slice(None)) -> Iterator[Record]:
    """A data frame's rows, joined by query in the order of their first."""
    needed = ["query_id", "video_name", "start", "end", *([valued] if valued == "relevance" else [])]
    there = _columns(frame)
    if missing := [name for name in needed if name not in there]:
        raise EvaluationError(f"found a data frame with {', '.join(there)}, expected {', '.join(missing)} too")
    wanted = {*needed, valued, "pair_id", *FACTS}
    columns = {name: _plain(np.asarray(frame[name])[kept]) for name in there if name in wanted}
    more = [name for name in (valued, "pair_id") if name in columns]
    about = [name for name in FACTS if name in columns]
    videos, starts, ends = columns["video_name"], columns["start"], columns["end"]
    places: dict[object, list[int]] = {}
    for place, query_id in enumerate(columns["query_id"]):
        places.setdefault(query_id, []).append(place)
    for query_id, own in places.items():  # one after the other: a million dicts at once are slow
        moments = [
            {
                "video_name": videos[place],
                "timestamp": [starts[place], ends[place]],
                **{name: columns[name][place] for name in more},
            }
            for place in own
        ]
        yield {"query_id": query_id, **{name: columns[name][own[0]] for name in about}, listed: moments}


def _plain(values: NDArray[Any]) -> list[object]:
    """A column as plain Python, None for what is missing."""
    numbers = (float, np.generic)
    return [
        value if type(value) in (str, int) else json_ready(value) if isinstance(value, numbers) else None
        for value in values.tolist()
    ]
