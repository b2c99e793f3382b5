"""``score``: every run on every measure."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..commands.inputs import (
    add_ground_truth_and_runs,
    add_groups,
    add_measures,
    add_resampling,
    add_strict,
    measures_for,
    read_all,
)
from ..commands.outputs import note, print_json, refuse_if_strict, show_progress, warn, writing
from ..errors import EvaluationError
from ..figures.text_table import figure, table
from ..formats.table import Cell, Interval, Table
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..notebook.scores import scores_of
from ..reading.posteriors import posteriors_for
from ..reading.spans import with_spans
from ..scores.conventions import Convention, convention_named
from ..scores.disagreement import ScoreInterval, score_intervals
from ..scores.scoring import Record, evaluate
from ..scores.seeds import SystemRecord, over_seeds
from ..scores.tables import RunTable, cells_of_runs, per_query_table
from ..scores.warnings import about_records
from ..texts import counted

NAME = "score"
HELP = "Score runs against a ground truth."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_ground_truth_and_runs(parser)
    add_measures(parser)
    add_groups(parser)
    parser.add_argument("--json", action="store_true", help="print {run: {measure: value}} and nothing else")
    parser.add_argument(
        "--per-query",
        type=Path,
        metavar="FILE",
        help="write every query's values: CSV if FILE ends in .csv, else JSON Lines",
    )
    parser.add_argument(
        "--seeds",
        action="store_true",
        help="join runs whose names differ only in a number at the end: mean and standard deviation",
    )
    parser.add_argument(
        "--spans",
        type=Path,
        metavar="FILE",
        help="score against the starts and ends that annotators agreed on: a release's spans.csv",
    )
    disagreement = (
        "beside each score an interval that has the annotators' disagreement in it: a release's posteriors.csv"
    )
    parser.add_argument("--posteriors", type=Path, metavar="FILE", help=disagreement)
    add_resampling(parser, draws=200)
    add_strict(parser)
    parser.add_argument("--ties", action="store_true", help="say how many predictions tie in score")


def perform(options: Namespace) -> None:
    """Read, score, print."""
    ground_truth, runs = read_all(options)
    if options.spans:
        ground_truth = with_spans(ground_truth, options.spans)
    names = measures_for(options, ground_truth)
    records = evaluate(ground_truth, runs, names, convention=options.convention)
    warn(options, about_records(records))
    refuse_if_strict(options)
    if options.ties:
        for run in runs:
            note(f"{run.name}: {run.tied} of {len(run)} predictions tie with the one above; file order kept")
    convention = convention_named(options.convention)
    by = [scores_of(ground_truth, runs, records, convention).by(groups) for groups in options.by]
    if options.per_query:
        _write_per_query(options.per_query, ground_truth, records)
    intervals = _intervals(options, ground_truth, runs, names, convention)
    if options.json:
        note(f"as {convention.name}: {convention.description}")
        values = _seeds_as_json(over_seeds(records)) if options.seeds else _as_json(records, intervals)
        print_json({"scores": values, "by": {own.head[1]: own.dicts() for own in by}} if by else values)
        return
    moments = counted(len(ground_truth.grade), "judged moment")
    print(f"{ground_truth.name}: {counted(len(ground_truth), 'query')}, {moments}")
    print(f"as {convention.name}: {convention.description}\n")
    print(
        _seeds_as_table(over_seeds(records), names)
        if options.seeds
        else RunTable("", "", *cells_of_runs(records)).columns()
    )
    if intervals:
        drawn = f"{counted(options.draws, 'draw')}, seed {options.seed}"
        print(f"\n95 % intervals where grades are as likely as {options.posteriors.name} says ({drawn})\n")
        print(_intervals_as_table(records, intervals))
    for own in by:
        print(f"\n{own.heading}\n\n{own.columns()}")


def _intervals(
    options: Namespace, truth: GroundTruth, runs: Sequence[Run], names: Sequence[str], convention: Convention
) -> list[ScoreInterval]:
    """Those of each run and measure by `--posteriors`; none without it."""
    if options.posteriors is None:
        return []
    if options.seeds:
        raise EvaluationError("--posteriors says of each run by itself how far it may be off: leave --seeds out")
    chances = posteriors_for(truth, options.posteriors)
    bare = int(np.isnan(chances).any(axis=1).sum())
    if bare:
        note(f"{options.posteriors.name}: {bare:,} of {counted(len(chances), 'moment')} without one keep their grade")
    return score_intervals(
        truth,
        runs,
        names,
        chances,
        convention=convention,
        draws=options.draws,
        seed=options.seed,
        progress=lambda done: show_progress(done, options.draws, "draws"),
    )


def _as_json(records: Sequence[Record], intervals: Sequence[ScoreInterval]) -> dict[str, dict[str, object]]:
    values: dict[str, dict[str, object]] = {}
    own = {(one.run, one.measure): one for one in intervals}
    for record in records:
        told = own.get((record.run, record.measure))
        values.setdefault(record.run, {})[record.measure] = (
            record.value
            if told is None
            else {
                "value": record.value,
                "expected": told.expected,
                "low": told.low,
                "high": told.high,
                "grades_only": told.grades_only,
            }
        )
    return values


def _intervals_as_table(records: Sequence[Record], intervals: Sequence[ScoreInterval]) -> str:
    rows: list[list[Cell]] = [
        [
            *(record.run, record.measure, record.value, one.expected),
            *(Interval(one.low, one.high), Interval(*one.grades_only)),
        ]
        for record, one in zip(records, intervals, strict=True)
    ]
    return Table("", "", ["run", "measure", "score", "expected", "interval", "of grades alone"], rows).columns()


def _seeds_as_json(records: Sequence[SystemRecord]) -> dict[str, dict[str, object]]:
    values: dict[str, dict[str, object]] = {}
    for record in records:
        values.setdefault(record.system, {})[record.measure] = {
            "mean": record.mean,
            "deviation": record.deviation,
            "runs": dict(zip(record.runs, record.values, strict=True)),
        }
    return values


def _seeds_as_table(records: Sequence[SystemRecord], names: Sequence[str]) -> str:
    systems = list(dict.fromkeys(record.system for record in records))
    cell = {
        (record.system, record.measure): figure(record.mean)
        if np.isnan(record.deviation)
        else f"{figure(record.mean)} ± {figure(record.deviation)}"
        for record in records
    }
    count = {record.system: len(record.runs) for record in records}
    rows = [[name, *(cell[system, name] for system in systems)] for name in names]
    return table(["measure", *(f"{system} (n={count[system]})" for system in systems)], rows)


def _write_per_query(path: Path, ground_truth: GroundTruth, records: Sequence[Record]) -> None:
    for record in records:
        if record.per_query is None:
            note(f"{record.measure} has no value per query and is left out of {path.name}")
    rows = per_query_table(ground_truth.query_ids, records)
    with writing(path):
        path.write_text(rows.csv() if path.suffix == ".csv" else rows.json_lines(), encoding="utf-8")
