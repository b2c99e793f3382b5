"""``fragility``: how few changed grades flip two systems, and which grades move whom."""

from __future__ import annotations

import csv
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from ..commands.inputs import add_ground_truth_and_runs, count, read_all, seed
from ..commands.outputs import print_json, show_progress, writing
from ..commands.rule_options import stated_scale
from ..errors import EvaluationError
from ..formats.table import TABLES_FORMATS, Table
from ..measures.usual import usual_measure
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..reading.grade_scale import HIGHEST, GradeScale
from ..stability.fragility import BUDGET, Fragility, GradeMove, fragility, usual_scale
from ..texts import counted

NAME = "fragility"
HELP = "Say how fragile the order of runs is: the least changed grades that flip two, the grades that move most."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_ground_truth_and_runs(parser)
    parser.add_argument(
        "--measures", nargs="+", metavar="M", help="by which runs are ordered (default: NDCG@20,IoU>=0.5 or AxIoU@5)"
    )
    top = "grades go from 0 to this (default: a release's, or the smallest of 1, 2, 3, 4 and 100 that has them)"
    parser.add_argument("--top-grade", type=count, metavar="N", help=top)
    parser.add_argument("--step", type=count, metavar="N", help="of which grades are multiples (a release's, or 1)")
    parser.add_argument(
        "--budget",
        type=seed,
        default=BUDGET,
        metavar="N",
        help=f"regraded queries to score a pair of runs ({BUDGET:,})",
    )
    parser.add_argument("--most", type=seed, default=10, metavar="N", help="grades told of those that move most (10)")
    every = "write there, as CSV, how far each judged pair's grade can move each run, by the first measure"
    parser.add_argument("--grades", type=Path, metavar="FILE", help=every)
    parser.add_argument("--output", choices=list(TABLES_FORMATS), default="text", help="(text)")
    parser.add_argument("--json", action="store_true", help="print {measure: result} and nothing else")


def perform(options: Namespace) -> None:
    """Read, try other grades, print, write."""
    ground_truth, runs = read_all(options)
    scale = _scale(options, ground_truth)
    found: dict[str, Fragility] = {}
    for measure in dict.fromkeys(options.measures or [usual_measure(ground_truth)]):
        with _every(None if found else options.grades, runs) as every:
            found[measure] = fragility(
                ground_truth,
                runs,
                measure=measure,
                scale=scale,
                budget=options.budget,
                most=options.most,
                progress=partial(show_progress, what="parts"),
                every=every,
            )
    if options.json:
        print_json(found)
        return
    if options.output == "text":
        print(f"{ground_truth.name}: {counted(len(ground_truth), 'query')}, {counted(len(runs), 'run')}; {scale.words}")
        print()
    print(TABLES_FORMATS[options.output]([part for each in found.values() for part in tables(each)]))


def _scale(options: Namespace, ground_truth: GroundTruth) -> GradeScale:
    """The scale of the options, of the manifest beside the ground truth, or the usual one."""
    usual = None if options.map_grades else stated_scale(options.ground_truth)
    top = options.top_grade or (usual or usual_scale(ground_truth)).top
    step = options.step or (usual.step if usual else 1)
    if top > HIGHEST or top % step:
        raise EvaluationError(
            f"found a scale from 0 to {top} in steps of {step}, expected one to at most {HIGHEST} that the steps divide"
        )
    return GradeScale(top, step)


@contextmanager
def _every(path: Path | None, runs: list[Run]) -> Iterator[Callable[[GradeMove], None] | None]:
    """What takes each judged pair into the CSV file, if there is to be one."""
    if path is None:
        yield None
        return
    with writing(path), path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["query_id", "video_name", "start", "end", "pair_id", "relevance", *(run.name for run in runs)])
        yield lambda own: rows.writerow(
            [own.query_id, own.video_name, own.start, own.end, own.pair_id, f"{own.grade:g}", *own.moves.values()]
        )


def tables(found: Fragility) -> list[Table]:
    """What was found by one measure, in tables."""
    exact = sum(pair.exact for pair in found.pairs)
    pairs = counted(len(found.pairs), "pair")
    return [
        Table(
            f"Least changed grades that flip two runs by {found.measure}",
            f"Of {counted(found.judged, 'judged pair')}; exact of {exact:,} of {pairs} of runs, bounds of the others. "
            "A tie is no flip; tied runs have 0; - at least: no grades flip them; - at most alone: none known.",
            ["two runs", "difference", "at least", "at most", "exact", "in queries"],
            [
                [f"{pair.first} / {pair.second}", pair.difference, pair.low, pair.high, _yes(pair.exact), pair.queries]
                for pair in found.pairs
            ],
        ),
        Table(
            f"Grades that move a run most by {found.measure}",
            "The largest change of a run's mean that another grade of the scale would make.",
            ["query / moment", "grade", "run", "moves it by"],
            [
                [
                    f"{own.query_id} / {own.video_name} {own.start:g}-{own.end:g}",
                    f"{own.grade:g}",
                    own.run,
                    f"{own.moved:+.6f}",
                ]
                for own in found.moving
            ],
        ),
    ]


def _yes(exact: bool) -> str:
    return "yes" if exact else "no"
