"""``report``: a query-by-query page of HTML from a release and runs, without a site."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ..commands.inputs import (
    add_groups,
    add_measures,
    add_resampling,
    add_run_format,
    add_strict,
    count,
    measures_for,
    read_runs,
    seed,
)
from ..commands.outputs import StageLine, refuse_if_strict, warn, writing
from ..errors import EvaluationError
from ..measures.usual import usual_measure
from ..moments.run import Run
from ..notebook.scores import scores_of
from ..releases.release import Release, load
from ..report.queries import MOST_ROWS
from ..scores.conventions import convention_named
from ..scores.scoring import evaluate
from ..texts import counted

NAME = "report"
HELP = "Write a page of HTML that shows query by query what runs found: one file, which needs no site and no network."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "release", type=Path, metavar="RELEASE", help="a release's folder or .tar.gz, or a ground truth"
    )
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a system's ranked moments")
    parser.add_argument("--html", type=Path, required=True, metavar="OUT", help="the file to write")
    parser.add_argument("--split", help="val or test (default: the one whose queries the runs have)")
    parser.add_argument("--queries", type=seed, default=100, metavar="N", help="how many queries are shown whole (100)")
    shown = "how many predictions of each run are shown of a query (10)"
    parser.add_argument("--depth", type=count, default=10, metavar="K", help=shown)
    add_run_format(parser)
    add_measures(parser)
    add_groups(parser)
    add_resampling(parser, draws=10_000)
    add_strict(parser)


def perform(options: Namespace) -> None:
    """Read, score, write the page."""
    release = load(options.release)
    runs = read_runs(options, options.runs, *map(release.truth, release.splits))
    truth = release.truth(options.split or _split_of(release, runs))
    measure = options.measures[0] if options.measures else usual_measure(truth)
    records = evaluate(truth, runs, measures_for(options, truth), convention=options.convention)
    scores = scores_of(truth, runs, records, convention_named(options.convention))
    warn(options, scores.warnings)
    refuse_if_strict(options)
    whole = min(options.queries, len(truth), MOST_ROWS)
    with StageLine() as stage, writing(options.html):
        scores.report(
            options.html,
            release,
            measure=measure,
            by=options.by,
            queries=whole,
            depth=options.depth,
            draws=options.draws,
            seed=options.seed,
            stage=stage,
        )
    print(f"{options.html}: {counted(len(runs), 'run')} on {counted(len(truth), 'query')}, {whole:,} of them whole")


def _split_of(release: Release, runs: Sequence[Run]) -> str:
    """The one split of which every run has a query. Raises: EvaluationError if there is none, or two."""
    if len(release.splits) == 1:
        return release.splits[0]
    fitting = [
        split
        for split in release.splits
        if all(not release.truth(split).index.keys().isdisjoint(run.query_ids) for run in runs)
    ]
    if len(fitting) != 1:
        found = (
            f"runs with queries of {' and '.join(fitting)}" if fitting else "no split of which every run has a query"
        )
        raise EvaluationError(f"{release.name}: found {found}, expected one split: name it with --split")
    return fitting[0]
