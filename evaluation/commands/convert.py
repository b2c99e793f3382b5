"""``convert``: a run from one format to another."""

from __future__ import annotations

import gzip
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path

from ..commands.inputs import add_run_format, read_runs
from ..commands.outputs import note, writing
from ..formats.writing import WRITERS
from ..moments.run import Run
from ..reading.tvr import read_video_indices
from ..texts import counted

NAME = "convert"
HELP = "Write a run in another format."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the run to read")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write; gzipped if it ends in .gz")
    parser.add_argument("--to", choices=list(WRITERS), required=True, help="the format to write")
    add_run_format(parser)


def perform(options: Namespace) -> None:
    """Read, write."""
    (run,) = read_runs(options, [options.run])
    indices = read_video_indices(options.videos) if options.videos else None
    text = list(_text(options, run, indices))
    opened = gzip.open if options.out.suffix == ".gz" else open
    with writing(options.out), opened(options.out, "wt") as file:
        file.writelines(text)
    if options.to == "trec" and run.tied:
        ties = "1 prediction ties" if run.tied == 1 else f"{run.tied:,} predictions tie"
        note(f"{ties} in score: the order here is kept, trec_eval would resort")
    queries, predictions = counted(len(run.query_ids), "query"), counted(len(run), "prediction")
    print(f"{options.out}: {queries}, {predictions} as {options.to}")


def _text(options: Namespace, run: Run, indices: Mapping[str, int] | None) -> Iterator[str]:
    if options.to == "tvr":
        return WRITERS["tvr"](run, task=options.task, indices=indices)
    return WRITERS[options.to](run)
