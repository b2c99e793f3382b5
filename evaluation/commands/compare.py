"""``compare``: paired differences between runs."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from ..arrays import json_ready
from ..commands.inputs import add_ground_truth_and_runs, add_measures, add_resampling, measures_for, read_all
from ..scores.conventions import convention_named
from ..significance.comparison import compare, comparison_table
from ..texts import counted

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
    found = comparison_table(results, draws=options.draws, seed=options.seed)
    print(f"{found.sentence}\n\n{found.columns()}")
