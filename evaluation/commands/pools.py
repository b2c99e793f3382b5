"""``pools``: how many relevant moments each recipe of a pool would have found, for how many judgments."""

from __future__ import annotations

import math
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import astuple
from functools import partial
from pathlib import Path

from ..commands.inputs import add_pool_arguments, add_run_format, read_runs
from ..commands.outputs import print_json, show_progress, warn, write_files
from ..figures.line_panels import Panel, PlotLine, line_panels
from ..figures.text_table import figure, table
from ..formats.table import Table
from ..measures.usual import usual_measure
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..pooling.recipes import NAMES, recipe_named
from ..pooling.replay import SHARES, Replays, replay
from ..reading import read_ground_truth
from ..scores.warnings import about_run
from ..texts import counted

NAME = "pools"
HELP = "Replay recipes of a pool: relevant moments found and systems' order by number of judgments."
RECIPES = ("depth", "rrf", "move-to-front", "max-mean")
COLUMNS = ("recipe", "per_query", "judgments", "share_of_judgments", "found", "share", "tau")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("ground_truth", type=Path, metavar="GROUND_TRUTH", help="the judged moments")
    add_replay_arguments(parser)


def add_replay_arguments(parser: ArgumentParser) -> None:
    """All but the ground truth."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a system's ranked moments")
    parser.add_argument(
        "--recipes",
        nargs="+",
        metavar="R",
        default=list(RECIPES),
        help=f"of {', '.join(NAMES)}, or several joined by + (default: {' '.join(RECIPES)}); "
        "paper takes the first run alone",
    )
    add_pool_arguments(parser)
    parser.add_argument(
        "--threshold", type=float, default=2.5, help="mean grade from which the paper's recipe extends (2.5)"
    )
    parser.add_argument(
        "--unjudged",
        choices=("zero", "skip"),
        default="zero",
        help="moments without a grade: they cost a judgment and are not relevant (zero), or nobody chooses them (skip)",
    )
    parser.add_argument("--figures", type=Path, metavar="FOLDER", help="write the curves there, as SVG and CSV")
    parser.add_argument("--json", action="store_true", help="print the curves and nothing else")
    add_run_format(parser)


def perform(options: Namespace) -> None:
    """Read, replay, print, draw."""
    ground_truth = read_ground_truth(options.ground_truth)
    replay_and_print(options, ground_truth)


def replay_and_print(options: Namespace, ground_truth: GroundTruth, rankers: Sequence[Run] = ()) -> None:
    """What `add_replay_arguments` asks for, with further runs to choose from. Raises: EvaluationError."""
    runs = read_runs(options, options.runs, ground_truth)
    for run in runs:
        warn(options, about_run(run, ground_truth))
    measure = options.measure or usual_measure(ground_truth)
    recipes = [
        recipe_named(name, least_grade=options.relevant, threshold=options.threshold)
        for name in dict.fromkeys(options.recipes)
    ]
    replays = replay(
        ground_truth,
        runs,
        recipes,
        measure=measure,
        rankers=rankers,
        iou=options.iou,
        depth=options.depth,
        least_grade=options.relevant,
        leave_unjudged_out=options.unjudged == "skip",
        progress=partial(show_progress, what="queries"),
    )
    if options.figures:
        _write(options.figures, replays, ground_truth.name, measure)
    if options.json:
        print_json(replays)
        return
    _print(replays, ground_truth, measure, len(runs) + len(rankers), options)


def _print(replays: Replays, ground_truth: GroundTruth, measure: str, runs: int, options: Namespace) -> None:
    queries = counted(len(ground_truth), "query")
    print(f"{ground_truth.name}: {queries}, {counted(replays.relevant, 'relevant moment')}")
    print(
        f"{counted(runs, 'run')} to depth {options.depth}: {replays.reachable:,} of these, in a pool of "
        f"{counted(replays.pool, 'moment')}"
    )
    left = "left out" if options.unjudged == "skip" else "each a judgment, and not relevant"
    print(f"{counted(replays.unjudged, 'moment')} of the pool without a grade: {left}")
    print(f"tau: of the systems by {measure}, with the order by all judgments\n")
    rows = [
        [
            curve.recipe,
            str(point.per_query),
            f"{point.judgments:,}",
            f"{point.share_of_judgments:.1%}",
            f"{point.found:,}",
            f"{point.share:.1%}",
            figure(point.tau),
        ]
        for curve in replays.replays
        for point in curve.points
    ]
    head = ["recipe", "a query", "judgments", "of the pool", "relevant", "of the pool's", "tau"]
    print(table(head, rows))
    print("\nJudgments for a share of the pool's relevant moments:\n")
    needed = [
        [
            curve.recipe,
            *(
                "-" if (n := curve.judgments_for[share]) is None else f"{n:,} ({n / replays.pool:.0%})"
                for share in SHARES
            ),
        ]
        for curve in replays.replays
    ]
    print(table(["recipe", *(f"{share:.0%}" for share in SHARES)], needed))


def _write(folder: Path, replays: Replays, name: str, measure: str) -> None:
    rows = [[curve.recipe, *astuple(point)] for curve in replays.replays for point in curve.points]
    panels = [
        Panel(
            "Relevant moments found",
            [PlotLine(own.recipe, [(p.share_of_judgments, p.share) for p in own.points]) for own in replays.replays],
        ),
        Panel(
            f"Order of systems, tau by {measure}",
            [PlotLine(own.recipe, [(p.share_of_judgments, p.tau) for p in own.points]) for own in replays.replays],
        ),
    ]
    drawn = line_panels(
        [panel for panel in panels if any(math.isfinite(y) for line in panel.lines for _, y in line.points)],
        title=f"Recipes of a pool over {name}",
        x_label="share of the pool's judgments",
        y_label="share, tau",
        note=f"{replays.reachable:,} relevant moments in a pool of {replays.pool:,}",
        from_zero=True,
    )
    write_files(folder, {"pools.csv": Table("", "", COLUMNS, rows).csv(), "pools.svg": drawn})
