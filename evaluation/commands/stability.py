"""``stability``: how far can the measures be trusted on this test set?"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..commands.inputs import (
    add_ground_truth_and_runs,
    add_measures,
    add_resampling,
    count,
    measures_for,
    read_all,
)
from ..commands.outputs import note, print_json, write_files
from ..commands.rule_options import stated_rule
from ..errors import EvaluationError
from ..judgments.consensus import PAPER
from ..measures import parse_measure
from ..reading.judgments import read_judgments
from ..scores.conventions import convention_named
from ..stability.studies import STUDIES
from ..stability.study import StabilityQuestion
from ..texts import counted

NAME = "stability"
HELP = "Ask how far measures can be trusted: agreement, test-set size, label noise, annotators, unjudged."
_NEED_TWO_RUNS = ("scores", "agreement", "self-agreement", "ties", "queries")


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_ground_truth_and_runs(parser)
    add_measures(parser)
    parser.add_argument(
        "--studies",
        nargs="+",
        choices=list(STUDIES),
        metavar="STUDY",
        help=f"which studies, of {', '.join(STUDIES)} (default: all that the input allows)",
    )
    parser.add_argument("--raw", type=Path, metavar="FILE", help="raw_annotations.csv, for the study 'annotators'")
    add_resampling(parser, draws=5_000)
    parser.add_argument("--test-sets", type=count, default=100, help="test sets a level of label noise (100)")
    parser.add_argument("--annotator-draws", type=count, default=200, help="times that judgments are resampled (200)")
    parser.add_argument("--figures", type=Path, metavar="FOLDER", help="write the figures there, as SVG")
    parser.add_argument("--json", action="store_true", help="print {study: result} and nothing else")


def perform(options: Namespace) -> None:
    """Read, study, print, draw."""
    ground_truth, runs = read_all(options)
    names = options.studies or list(STUDIES)
    if not options.studies:
        if options.raw is None:
            names.remove("annotators")
        if len(runs) < 2:
            names = [name for name in names if name not in _NEED_TWO_RUNS]
    elif len(runs) < 2 and (alone := [name for name in names if name in _NEED_TWO_RUNS]):
        raise EvaluationError(f"the study {alone[0]!r} compares systems, so it needs at least two runs")
    if options.raw is not None and stated_rule(options.raw) not in (None, PAPER):
        raise EvaluationError(
            f"the study 'annotators' decides anew by the paper's rule on grades 0-4, and the manifest beside "
            f"{options.raw.name} says another rule or scale: leave out --raw"
        )
    convention = convention_named(options.convention)
    question = StabilityQuestion(
        ground_truth,
        runs,
        [parse_measure(name) for name in measures_for(options, ground_truth)],
        convention,
        draws=options.draws,
        test_sets=options.test_sets,
        annotator_draws=options.annotator_draws,
        seed=options.seed,
        judgments=read_judgments(options.raw) if options.raw else None,
    )
    answers = {}
    for number, name in enumerate(names, start=1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(names)}: {name:<16}", end="", file=sys.stderr, flush=True)
        answers[name] = STUDIES[name](question)
    if sys.stderr.isatty():
        print("\r" + " " * 30 + "\r", end="", file=sys.stderr)
    if options.figures:
        write_files(options.figures, {n: svg for answer in answers.values() for n, svg in answer.figures.items()})
    if options.json:
        note(f"as {convention.name}: {convention.description}")
        print_json({name: answer.data for name, answer in answers.items()})
        return
    queries = counted(len(ground_truth), "query")
    print(f"{ground_truth.name}: {queries}, {counted(len(runs), 'run')}, seed {options.seed}")
    print(f"as {convention.name}: {convention.description}")
    for answer in answers.values():
        print(f"\n{answer.heading}\n{'-' * len(answer.heading)}\n{answer.text}")
