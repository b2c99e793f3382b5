"""``sampled``: scores with intervals from judgments of a sample that was drawn with known probabilities."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..commands.inputs import add_run_format, read_runs, share
from ..commands.outputs import note, print_json, warn
from ..formats.table import Cell, Interval, Table
from ..guarantees.sampled import LEVEL, Frame, as_json, scores
from ..guarantees.sampled_measures import NAMES
from ..reading import read_ground_truth
from ..reading.sampling import read_sampling
from ..scores.warnings import about_run
from ..texts import counted

NAME = "sampled"
HELP = "Estimate scores from a sample of queries or pairs that was drawn with known probabilities."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a system's ranked moments")
    add_run_format(parser)
    parser.add_argument("--truth", type=Path, required=True, help="the grades of what was drawn and judged")
    parser.add_argument("--sampling", type=Path, required=True, metavar="CSV", help="a release's sampling.csv")
    usual = ["xinfAP", "DCG@10", "P@10", "recall@20"]
    names = (
        f"{NAMES}, each with ,IoU>=mu (0.5), xinfAP, P and recall with ,rel>=g (1); "
        f"of queries judged whole any measure ({' '.join(usual)})"
    )
    parser.add_argument("--measures", nargs="+", metavar="M", default=usual, help=names)
    parser.add_argument("--level", type=share, default=LEVEL, metavar="P", help=f"of the intervals ({LEVEL:g})")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def perform(options: Namespace) -> None:
    """Read, estimate, print."""
    truth, sampling = read_ground_truth(options.truth), read_sampling(options.sampling)
    runs = read_runs(options, options.runs, truth)
    for run in runs:
        warn(options, about_run(run, truth))
    measures = list(dict.fromkeys(options.measures))
    frame = Frame(truth, sampling)
    found = scores(frame, runs, measures, level=options.level)
    if sampling.pairs and frame.judged < frame.drawn:
        lacking = counted(frame.drawn - frame.judged, "drawn pair")
        note(f"{lacking} without a grade: taken as missing at random in their strata")
    bare = len(sampling.pairs.keys() - truth.index.keys())
    if bare:
        note(f"{counted(bare, 'query')} of {sampling.name} without a grade in {truth.name}: left out")
    judged, drawn, bare_strata = frame.queries
    if judged < drawn:
        note(f"{counted(drawn - judged, 'drawn query')} without a grade: taken as missing at random in their strata")
    if bare_strata:
        note(
            f"{counted(bare_strata, 'query')} of {sampling.name} in strata of which no query has a grade in "
            f"{truth.name}: left out, so the scores are those of the others"
        )
    left = {own.measure: len(own.per_query) - own.queries for own in found}
    for measure, count in left.items():
        if count:
            note(f"{measure}: {counted(count, 'query')} without an estimate, left out of the mean")
    if options.json:
        print_json(as_json(found))
        return
    of_pairs = f", {frame.judged:,} of their {len(frame.grade):,} pairs judged" if sampling.pairs else ""
    print(f"{truth.name}: {counted(len(truth), 'query')} of {found[0].frame:,}{of_pairs}")
    print(f"{100 * options.level:g} % intervals of means over these {found[0].frame:,} queries\n")
    rows: list[list[Cell]] = [
        [own.run, own.measure, own.estimate, Interval(own.low, own.high), own.queries] for own in found
    ]
    print(Table("", "", ["run", "measure", "estimate", "interval", "queries"], rows).columns())
