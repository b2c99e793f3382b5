"""``compare``: paired differences between runs."""

from __future__ import annotations

import json
import math
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from ..arrays import json_ready
from ..commands.inputs import add_ground_truth_and_runs, add_measures, add_resampling, measures_for, read_all
from ..commands.outputs import counted
from ..figures.text_table import figure, table
from ..scores.conventions import convention_named
from ..significance.comparison import Comparison, compare

NAME = "compare"
HELP = "Compare runs query by query: differences, bootstrap intervals, randomisation test."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_ground_truth_and_runs(parser)
    add_measures(parser)
    add_resampling(parser, draws=10_000)
    parser.add_argument("--json", action="store_true", help="print a list of comparisons and nothing else")


def perform(options: Namespace) -> None:
    """Read, compare, print."""
    ground_truth, runs = read_all(options)
    results = compare(
        ground_truth,
        runs,
        measures_for(options, ground_truth),
        convention=options.convention,
        draws=options.draws,
        seed=options.seed,
    )
    if options.json:
        print(json.dumps(json_ready([asdict(result) for result in results]), indent=1))
        return
    convention = convention_named(options.convention)
    print(f"{ground_truth.name}: {counted(len(ground_truth), 'query')}")
    print(f"as {convention.name}: {convention.description}")
    print(
        f"95 % bootstrap intervals and two-sided randomisation test, {options.draws:,} draws each, "
        f"seed {options.seed}; Holm over {counted(len(results), 'comparison')};\n"
        "needed: queries for this difference at 0.05 with power 0.8\n"
    )
    head = ["measure", "first", "second", "its mean", "its mean", "difference", "interval", "p", "Holm"]
    print(table([*head, "wins", "losses", "ties", "needed"], [_row(result) for result in results]))


def _row(result: Comparison) -> list[str]:
    return [
        result.measure,
        result.first,
        result.second,
        figure(result.first_mean),
        figure(result.second_mean),
        f"{result.difference:+.4f}",
        f"[{result.low:+.4f}, {result.high:+.4f}]",
        figure(result.p_value),
        figure(result.corrected),
        str(result.wins),
        str(result.losses),
        str(result.ties),
        "-" if math.isinf(result.needed) else f"{result.needed:,.0f}",
    ]
