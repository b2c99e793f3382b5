"""``table``: a paper's table of systems, training sets, IoU thresholds and splits."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..commands.inputs import add_convention, add_run_format, count, read_runs
from ..commands.outputs import warn
from ..errors import EvaluationError
from ..formats.system_names import SPLITS, named_run
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..reading import read_ground_truth
from ..scores.baseline_table import CUTOFFS, THRESHOLDS, baseline_table
from ..scores.baseline_table_formats import TABLE_FORMATS
from ..scores.conventions import convention_named
from ..scores.warnings import about_run

NAME = "table"
HELP = "Print NDCG of systems on val and test as TVR-Ranking's Tables 5, 6 and 7 have it."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="named SYSTEM-topN-SPLIT-seedS, such as ReLoCLNet-top40-val-seed1.jsonl; -topN and -seedS may be missing",
    )
    for split in SPLITS:
        parser.add_argument(f"--{split}", type=Path, metavar="FILE", help=f"the ground truth of {split}")
    add_layout(parser)


def add_layout(parser: ArgumentParser) -> None:
    """Declare how a table of runs is laid out and scored."""
    parser.add_argument(
        "--rows",
        choices=["systems", "cutoffs"],
        default="systems",
        help="systems: one block per cutoff, one row per system and N (Tables 5 and 6); "
        "cutoffs: one block per system and N, one row per cutoff (Table 7)",
    )
    parser.add_argument("--cutoffs", type=count, nargs="+", metavar="K", default=CUTOFFS, help="(10 20 40)")
    parser.add_argument("--thresholds", type=float, nargs="+", metavar="MU", default=THRESHOLDS, help="(0.3 0.5 0.7)")
    parser.add_argument("--output", choices=list(TABLE_FORMATS), default="text", help="(text)")
    add_convention(parser)
    add_run_format(parser)


def perform(options: Namespace) -> None:
    """Read, score, print."""
    paths = {split: path for split in SPLITS if (path := getattr(options, split)) is not None}
    if not paths:
        raise EvaluationError("give the ground truth with --val FILE, --test FILE, or both")
    truths = {split: read_ground_truth(path) for split, path in paths.items()}
    print_table(options, truths, read_runs(options, options.runs, *truths.values()))


def print_table(options: Namespace, truths: Mapping[str, GroundTruth], runs: Sequence[Run]) -> None:
    """Score runs against the ground truths of their splits, and print the table that `add_layout` asked for."""
    for run in runs:
        if (truth := truths.get(named_run(run.name).split)) is not None:
            warn(options, about_run(run, truth))
    blocks = baseline_table(
        truths,
        runs,
        cutoffs=sorted(set(options.cutoffs)),
        thresholds=sorted(set(options.thresholds)),
        rows=options.rows,
        convention=convention_named(options.convention),
    )
    print(TABLE_FORMATS[options.output](blocks))
