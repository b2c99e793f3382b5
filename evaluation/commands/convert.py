"""``convert``: a run from one format to another."""

from __future__ import annotations

import gzip
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.commands.inputs import add_run_format
from evaluation.commands.outputs import counted, note, writing
from evaluation.errors import InputError, shown
from evaluation.formats.writing import WRITERS
from evaluation.moments.run import Run
from evaluation.reading import read_run
from evaluation.reading.json_stream import json_members

NAME = "convert"
HELP = "Write a run in another format."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("run", type=Path, metavar="RUN", help="the run to read")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write; gzipped if it ends in .gz")
    parser.add_argument("--to", choices=list(WRITERS), required=True, help="the format to write")
    parser.add_argument(
        "--videos",
        type=Path,
        metavar="FILE",
        help="for --to tvr: the videos' indices, {name: index} or TVR's tvr_video2dur_idx.json",
    )
    add_run_format(parser)


def perform(options: Namespace) -> None:
    """Read, write."""
    run = read_run(options.run, format=options.format, task=options.task)
    text = list(_text(options, run))
    opened = gzip.open if options.out.suffix == ".gz" else open
    with writing(options.out), opened(options.out, "wt") as file:
        file.writelines(text)
    if options.to == "trec" and run.tied:
        ties = "1 prediction ties" if run.tied == 1 else f"{run.tied:,} predictions tie"
        note(f"{ties} in score: the order here is kept, trec_eval would resort")
    queries, predictions = counted(len(run.query_ids), "query"), counted(len(run), "prediction")
    print(f"{options.out}: {queries}, {predictions} as {options.to}")


def _text(options: Namespace, run: Run) -> Iterator[str]:
    if options.to == "tvr":
        indices = video_indices(options.videos) if options.videos else None
        return WRITERS["tvr"](run, task=options.task, indices=indices)
    return WRITERS[options.to](run)


def video_indices(path: Path) -> dict[str, int]:
    """``{name: index}``, also out of ``{split: {name: [seconds, index]}}``. Raises: InputError."""
    indices: dict[str, int] = {}
    for place, key, value in json_members(path):
        rows: dict[str, Any] = value if isinstance(value, dict) else {key: value}
        for name, entry in rows.items():
            index = entry[1] if isinstance(entry, list) and len(entry) == 2 else entry
            if type(index) is not int:
                raise InputError(path, place, found=f"{name}: {shown(entry)}", expected="an index")
            indices[name] = index
    return indices
