"""``fuse``: several systems' runs become one."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..commands.inputs import add_run_format, count, read_runs
from ..commands.outputs import write_text
from ..errors import EvaluationError
from ..formats.writing import qreels_text
from ..pooling.fusion import METHODS, fuse
from ..texts import counted

NAME = "fuse"
HELP = "Make one run of several: predictions that overlap are one moment, ranked by all of them."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a system's ranked moments")
    parser.add_argument("out", type=Path, metavar="OUT", help="the run to write, as qreels; gzipped if it ends in .gz")
    parser.add_argument("--method", choices=list(METHODS), default="rrf", help="(rrf)")
    parser.add_argument("--iou", type=float, default=0.5, help="from which IoU on two spans are one moment (0.5)")
    parser.add_argument("--depth", type=count, default=100, help="how many predictions of each run count (100)")
    add_run_format(parser)


def perform(options: Namespace) -> None:
    """Read, fuse, write."""
    if options.out.exists():
        # The last name is OUT: without it a run would be lost.
        raise EvaluationError(f"{options.out} is there already: expected the name of a new file at the end")
    runs = read_runs(options, options.runs)
    fused = fuse(runs, options.method, iou=options.iou, depth=options.depth)
    write_text(options.out, list(qreels_text(fused)))
    queries, moments = counted(len(fused.query_ids), "query"), counted(len(fused), "moment")
    print(f"{options.out}: {queries}, {moments} of {counted(len(runs), 'run')} by {options.method}")
