"""``report``: a query-by-query page of HTML from a release and runs, without a site."""

from __future__ import annotations

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ..commands.inputs import add_measures, add_resampling, add_run_format, add_strict, count, read_runs, seed
from ..commands.outputs import StageLine, refuse_if_strict, warn, writing
from ..errors import EvaluationError, EvaluationWarning
from ..measures import parse_measure
from ..measures.usual import usual_measure, usual_measures
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..notebook.scores import Scores, scores_of
from ..releases.release import Release, load
from ..report.page import report_page
from ..report.queries import MOST_ROWS, Told
from ..scores.conventions import convention_named
from ..scores.scoring import evaluate
from ..scores.warnings import about_intervals, warnings_about
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
    add_resampling(parser, draws=10_000)
    add_strict(parser)


def perform(options: Namespace) -> None:
    """Read, score, write the page."""
    release = load(options.release)
    runs = read_runs(options, options.runs, *map(release.truth, release.splits))
    split = options.split or _split_of(release, runs)
    truth = release.truth(split)
    measure, names = _measures(options, truth)
    records = evaluate(truth, runs, names, convention=options.convention)
    told = warnings_about(truth, runs, [parse_measure(name) for name in names], records)
    told += about_intervals(len(truth))
    warn(options, told)
    refuse_if_strict(options)
    scores = scores_of(truth, runs, records, convention_named(options.convention))
    whole = min(options.queries, len(truth), MOST_ROWS)
    page = _page(options, release, split, scores, measure, told, whole)
    with writing(options.html):
        options.html.write_bytes(page)
    print(f"{options.html}: {counted(len(runs), 'run')} on {counted(len(truth), 'query')}, {whole:,} of them whole")


def _measures(options: Namespace, truth: GroundTruth) -> tuple[str, list[str]]:
    """The one by which queries are told apart, and all that are computed."""
    if options.measures:
        return options.measures[0], list(dict.fromkeys(options.measures))
    return usual_measure(truth), usual_measures(truth)


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


def _page(
    options: Namespace, release: Release, split: str, scores: Scores, measure: str, told: Sequence[str], whole: int
) -> bytes:
    truth = scores.truth
    match release.manifest.get("scale"):
        case {"top": int(top)}:
            pass
        case _:
            top = 0
    top_grade = max(float(top), float(truth.grade.max(initial=0.0)))
    shown = Told(
        measure=measure,
        texts=release.texts,
        captions=release.captions(split),
        words=release.grade_words(top_grade),
        top_grade=top_grade,
        queries=whole,
        depth=options.depth,
    )
    digest = release.manifest.get("digest")
    with StageLine() as stage, warnings.catch_warnings():
        warnings.simplefilter("ignore", EvaluationWarning)  # they are on the page already
        page = report_page(
            f"{release.name}, {split}",
            scores,
            shown,
            about=[f"Digest of the release: {digest}"] if isinstance(digest, str) else [],
            warnings=told,
            draws=options.draws,
            seed=options.seed,
            advance=stage("Queries", whole, "queries"),
        )
    return page.encode("utf-8", "replace")
