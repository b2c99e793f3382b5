"""``compare``: paired differences between runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..commands.inputs import (
    add_ground_truth_and_runs,
    add_measures,
    add_resampling,
    add_strict,
    measures_for,
    read_all,
)
from ..commands.outputs import print_json, refuse_if_strict, warn
from ..scores.conventions import convention_named
from ..scores.warnings import about_intervals
from ..significance.comparison import compare, comparison_table
from ..texts import counted

NAME = "compare"
HELP = "Compare runs query by query: differences, bootstrap intervals, randomisation test."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_ground_truth_and_runs(parser)
    add_measures(parser)
    add_resampling(parser, draws=10_000)
    add_strict(parser)
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
    warn(options, about_intervals(min(result.queries for result in results)))
    refuse_if_strict(options)
    if options.json:
        print_json(results)
        return
    convention = convention_named(options.convention)
    print(f"{ground_truth.name}: {counted(len(ground_truth), 'query')}")
    print(f"as {convention.name}: {convention.description}")
    found = comparison_table(results, draws=options.draws, seed=options.seed)
    print(f"{found.sentence}\n\n{found.columns()}")
