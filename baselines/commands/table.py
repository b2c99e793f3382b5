"""``table``: what systems score on a release, as a paper's table."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from evaluation.commands.inputs import read_runs
from evaluation.commands.table import add_layout, print_table
from evaluation.formats.system_names import named_run
from evaluation.reading import read_ground_truth, run_name

NAME = "table"
HELP = "Print NDCG of runs on a release: rows system x N, columns IoU and split, a block a K, mean and deviation."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("release", type=Path, metavar="RELEASE", help="the release's folder")
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="named SYSTEM-topN-SPLIT-seedS, such as XML-top20-test-seed1.jsonl; -topN and -seedS may be missing",
    )
    add_layout(parser)


def perform(options: Namespace) -> None:
    """Read, score, print."""
    from baselines.reading.release import read_release

    release = read_release(options.release)
    splits = {named_run(run_name(path)).split for path in options.runs}
    truths = {split: read_ground_truth(release.ground_truth_path(split)) for split in sorted(splits)}
    print_table(options, truths, read_runs(options, options.runs, *truths.values()))
