"""Arguments shared by several commands, and their parsing."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from math import inf, nan
from pathlib import Path

from ..commands.outputs import warn
from ..errors import EvaluationError, InputError
from ..measures import parse_measure
from ..measures.usual import usual_measures
from ..moments.ground_truth import GroundTruth
from ..moments.run import REPEATED, Run
from ..reading import RUN_FORMATS, read_ground_truth, read_run
from ..reading.grade_scale import HIGHEST, GradeScale, read_table
from ..reading.tvr import TASKS, read_video_indices
from ..scores.conventions import CONVENTIONS
from ..scores.warnings import warnings_about


def add_ground_truth_and_runs(parser: ArgumentParser) -> None:
    """Add GROUND_TRUTH RUN... and the options for reading runs."""
    parser.add_argument("ground_truth", type=Path, metavar="GROUND_TRUTH", help="the judged moments")
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a system's ranked moments")
    table = "what the ground truth's grades are meant as: a file of lines WORD=GRADE, or the entries, such as 0=0,1=4"
    parser.add_argument("--map-grades", metavar="TABLE", help=table)
    add_run_format(parser)


def add_run_format(parser: ArgumentParser) -> None:
    """--format, --task, --repeated-queries and --videos."""
    parser.add_argument(
        "--format", choices=list(RUN_FORMATS), help="format of the runs (default: told by their content)"
    )
    parser.add_argument("--task", choices=TASKS, default="VCMR", help="which list of a TVR submission is read (VCMR)")
    again = (
        "a query that comes again in a run: an error, or its first list with predictions counts, or its last (refuse)"
    )
    parser.add_argument("--repeated-queries", choices=REPEATED, default="refuse", help=again)
    indices = "videos' indices, where runs have them: {name: index}, {name: [seconds, index]}, or TVR's own by split"
    parser.add_argument("--videos", type=Path, metavar="FILE", help=indices)


def add_measures(parser: ArgumentParser) -> None:
    """--measures and --as."""
    parser.add_argument(
        "--measures",
        nargs="+",
        metavar="M",
        help="measures as separate words, such as NDCG@20,IoU>=0.5 R@5,IoU>0.7 AxIoU@10 "
        "(default: TVR-Ranking's nine NDCG, or AxIoU's twelve if each query has one moment of grade 1)",
    )
    add_convention(parser)


def add_groups(parser: ArgumentParser) -> None:
    """--by."""
    groups = "means over groups of queries: show, length, relevant, language, batches, or FILE.csv:COLUMN"
    parser.add_argument("--by", nargs="+", default=[], metavar="GROUPS", help=groups)


def add_strict(parser: ArgumentParser) -> None:
    """--strict."""
    parser.add_argument("--strict", action="store_true", help="exit with code 2 and no result if anything is warned of")


def add_convention(parser: ArgumentParser) -> None:
    """--as."""
    parser.add_argument(
        "--as",
        dest="convention",
        choices=list(CONVENTIONS),
        default="paper",
        help="; ".join(f"{convention.name}: {convention.description}" for convention in CONVENTIONS.values()),
    )


def add_resampling(parser: ArgumentParser, *, draws: int) -> None:
    """--draws and --seed."""
    parser.add_argument("--draws", type=count, default=draws, help=f"random draws ({draws:,})")
    parser.add_argument("--seed", type=seed, default=0, help="seed of the random numbers (0)")


def add_pool_arguments(parser: ArgumentParser) -> None:
    """--measure, --iou, --depth and --relevant: what makes a pool of runs, and by what systems are ordered."""
    parser.add_argument("--measure", metavar="M", help="by which systems are ordered (default: by the ground truth)")
    parser.add_argument("--iou", type=float, default=0.5, help="from which IoU on two spans are one moment (0.5)")
    parser.add_argument("--depth", type=count, default=100, help="how many predictions of each run count (100)")
    parser.add_argument("--relevant", type=float, default=1.0, metavar="GRADE", help="the least relevant grade (1)")


def count(text: str) -> int:
    """A whole number from 1 on. Raises: ArgumentTypeError."""
    return _whole(text, 1)


def seed(text: str) -> int:
    """A whole number from 0 on. Raises: ArgumentTypeError."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    if not text.strip().isdecimal() or int(text) < least:
        raise ArgumentTypeError(f"found {text!r}, expected a whole number from {least} on")
    return int(text)


def share(text: str) -> float:
    """A number between 0 and 1. Raises: ArgumentTypeError."""
    value = _number(text)
    if not 0 < value < 1:
        raise ArgumentTypeError(f"found {text!r}, expected a number between 0 and 1, such as 0.95")
    return value


def positive(text: str) -> float:
    """A number above 0. Raises: ArgumentTypeError."""
    value = _number(text)
    if not 0 < value < inf:
        raise ArgumentTypeError(f"found {text!r}, expected a number above 0")
    return value


def _number(text: str) -> float:
    """NaN for what is none."""
    try:
        return float(text)
    except ValueError:
        return nan


def measures_for(options: Namespace, ground_truth: GroundTruth) -> list[str]:
    """The requested measures, or the defaults for this ground truth; each name once."""
    return list(dict.fromkeys(options.measures)) if options.measures else usual_measures(ground_truth)


def read_runs(options: Namespace, paths: Sequence[Path], *truths: GroundTruth) -> list[Run]:
    """Read the runs, to be scored against these ground truths. Raises: EvaluationError if two have one name."""
    runs: list[Run] = []
    queries = {query_id for truth in truths for query_id in truth.query_ids}
    videos = {name for truth in truths for name in truth.video_names}
    indices = read_video_indices(options.videos) if options.videos else None
    for path in paths:
        run = read_run(
            path,
            format=options.format,
            task=options.task,
            queries=queries,
            videos=videos,
            video_indices=indices,
            repeated=options.repeated_queries,
        )
        if not run.query_ids:
            raise InputError(path, "", found="no row", expected="a run: one query or more, with predictions or none")
        if any(other.name == run.name for other in runs):
            raise EvaluationError(f"two runs are named {run.name!r}: rename one file")
        runs.append(run)
    return runs


def read_all(options: Namespace) -> tuple[GroundTruth, list[Run]]:
    """Read the command line's ground truth and runs, with warnings on standard error about anything unusual."""
    ground_truth = read_ground_truth(options.ground_truth)
    if options.map_grades is not None:
        ground_truth = ground_truth.mapped(read_table(options.map_grades, GradeScale(HIGHEST)))
    runs = read_runs(options, options.runs, ground_truth)
    measures = [parse_measure(name) for name in measures_for(options, ground_truth)] if "measures" in options else []
    warn(options, warnings_about(ground_truth, runs, measures))
    return ground_truth, runs
