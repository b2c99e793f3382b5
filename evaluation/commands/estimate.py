"""``estimate``: scores from few people's judgments and all of a machine's, with intervals that hold."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from math import isnan
from pathlib import Path

from ..commands.inputs import (
    add_measures,
    add_resampling,
    add_run_format,
    measures_for,
    read_runs,
    share,
)
from ..commands.outputs import note, print_json, warn
from ..formats.table import Cell, Interval, Table
from ..guarantees.assisted_mean import FEWEST
from ..guarantees.board import LEVEL, Board, as_json, boards
from ..reading import read_ground_truth
from ..scores.conventions import convention_named
from ..scores.warnings import about_run
from ..texts import counted

NAME = "estimate"
HELP = "Score runs by few people's judgments and a machine's of all queries, and say which orders are settled."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a system's ranked moments")
    add_run_format(parser)
    people = "judgments by people, of queries drawn at random among those of --machine"
    parser.add_argument("--people", type=Path, required=True, metavar="TRUTH", help=people)
    parser.add_argument("--machine", type=Path, required=True, metavar="TRUTH", help="a machine's, of all queries")
    add_measures(parser)
    add_resampling(parser, draws=10_000)
    parser.add_argument("--level", type=share, default=LEVEL, metavar="P", help=f"of the intervals ({LEVEL:g})")
    target = "scores of these queries, as if people judged all of them, or of all such queries (these)"
    parser.add_argument("--queries", choices=["these", "such"], default="these", help=target)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def perform(options: Namespace) -> None:
    """Read, score, correct, print."""
    people, machine = read_ground_truth(options.people), read_ground_truth(options.machine)
    runs = read_runs(options, options.runs, people, machine)
    for run in runs:
        warn(options, about_run(run, machine))
    convention = convention_named(options.convention)
    by_measure = boards(
        people,
        machine,
        runs,
        measures_for(options, people),
        level=options.level,
        target=options.queries,
        draws=options.draws,
        seed=options.seed,
        convention=convention,
    )
    if len(people) < FEWEST:
        few = counted(len(people), "query")
        note(f"people judged {few}, and fewer than {FEWEST} can't say how far to follow a machine")
    own, other = (float(truth.grade.max(initial=0)) for truth in (people, machine))
    if own > other:
        note(f"people's highest grade is {own:g}, the machine's {other:g}: is it one scale?")
    if options.json:
        print_json(as_json(by_measure))
        return
    print(f"{people.name}: {len(people):,} of {counted(len(machine), 'query')}, {machine.name}: all of them")
    print(_bias(by_measure))
    print(f"as {convention.name}: {convention.description}")
    print(
        f"{100 * options.level:g} % intervals; those of differences hold at once; "
        f"{counted(options.draws, 'draw')}, seed {options.seed}"
    )
    if len(runs) > 1:
        print("each run and difference has a weight of its own, so differences aren't quite those of the estimates")
    for board in by_measure:
        print(f"\n{board.measure}\n\n{_runs(board)}")
        if board.differences:
            print(f"\n{_differences(board)}\n\n{board.in_words}")


def _bias(by_measure: Sequence[Board]) -> str:
    """How the machine grades, before any figure that it helped to."""
    above, pairs = by_measure[0].machine_above, by_measure[0].pairs
    if above is None:
        return "no moment was graded by both, so how the machine grades can't be said"
    side, kappa = "above" if above >= 0 else "below", by_measure[0].kappa
    agreement = "both always the same grade" if kappa is None or isnan(kappa) else f"quadratic kappa {kappa:.2f}"
    return f"the machine grades {abs(above):.2f} {side} people, {agreement}, on {counted(pairs, 'moment')}"


def _runs(board: Board) -> str:
    head = ["run", "estimate", "interval", "people only", "interval", "weight"]
    rows: list[list[Cell]] = [
        [
            own.run,
            own.estimate,
            Interval(own.low, own.high),
            own.people_only.estimate,
            Interval(own.people_only.low, own.people_only.high),
            f"{own.weight:.2f}",
        ]
        for own in board.runs
    ]
    return Table("", "", head, rows).columns()


def _differences(board: Board) -> str:
    rows: list[list[Cell]] = [
        [
            f"{own.first} - {own.second}",
            own.estimate,
            Interval(*own.simultaneous),
            {">": "settled", "=": "alike", "?": "open"}[own.sign],
        ]
        for own in board.differences
    ]
    return Table("", "", ["difference", "estimate", "interval", "order"], rows).columns()
