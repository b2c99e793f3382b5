"""``significance``: systems in order, and which of them can't be told apart."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from ..commands.inputs import (
    add_ground_truth_and_runs,
    add_measures,
    add_resampling,
    add_strict,
    measures_for,
    read_all,
    share,
)
from ..commands.outputs import print_json, refuse_if_strict, warn, writing
from ..scores.conventions import convention_named
from ..scores.score_table import score_table
from ..scores.warnings import about_intervals
from ..significance.resampling import is_exact
from ..significance.standings import SIGNIFICANT, Standings, letter, pairs_table, stand, standings_table

NAME = "significance"
HELP = "Order runs and say which can't be told apart: intervals, randomised Tukey HSD, groups."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_ground_truth_and_runs(parser)
    add_measures(parser)
    add_resampling(parser, draws=10_000)
    add_strict(parser)
    parser.add_argument(
        "--significant", type=share, default=SIGNIFICANT, metavar="P", help=f"the bound of p-values ({SIGNIFICANT})"
    )
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="write every pair of every measure to a CSV file")
    parser.add_argument("--json", action="store_true", help="print {measure: standings} and nothing else")


def perform(options: Namespace) -> None:
    """Read, score, order, print."""
    ground_truth, runs = read_all(options)
    scores = score_table(ground_truth, runs, measures_for(options, ground_truth), convention=options.convention)
    left_out = len(ground_truth) - scores.values.shape[2]
    if left_out:
        text = f"{left_out:,} of {len(ground_truth)} queries have no value for some measure or run: left out"
        warn(options, [text])
    warn(options, about_intervals(scores.values.shape[2]))
    refuse_if_strict(options)
    by_measure = {
        measure: stand(
            values.T, scores.systems, draws=options.draws, seed=options.seed, significant=options.significant
        )
        for measure, values in zip(scores.measures, scores.values, strict=True)
    }
    if options.pairs is not None:
        with writing(options.pairs):
            options.pairs.write_text(pairs_table(by_measure).csv(), encoding="utf-8")
    if options.json:
        data = {measure: _as_data(standings) for measure, standings in by_measure.items()}
        print_json(data)
        return
    convention = convention_named(options.convention)
    queries = scores.values.shape[2]
    print(f"{ground_truth.name}: {queries} queries")
    print(f"as {convention.name}: {convention.description}")
    exact = " (exact where two runs are compared)" if len(runs) == 2 and is_exact(queries, draws=options.draws) else ""
    print(
        f"95 % bootstrap intervals; groups of runs that the randomised Tukey HSD can't tell apart at "
        f"{options.significant:g}; {options.draws:,} draws each{exact}, seed {options.seed}"
    )
    for measure, standings in by_measure.items():
        print(f"\n{measure}\n")
        print(standings_table(standings).columns())


def _as_data(standings: Standings) -> dict[str, object]:
    systems = [{**asdict(own), "groups": [letter(group) for group in own.groups]} for own in standings.systems]
    return {"queries": standings.queries, "systems": systems, "pairs": standings.pairs}
