"""``rerank``: a run's best moments put in order again, by a model on a server or by a command."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.errors import BaselineError
from evaluation.formats.system_names import SPLITS

if TYPE_CHECKING:
    from baselines.reading.release import Release
    from baselines.reranking.answers import Reranker
    from evaluation.moments.run import Run

NAME = "rerank"
HELP = "Put a run's best moments in order again by a model that sees them, or by a command; goes on where it stopped."
ENDING = ".answers.jsonl"
"""How the file beside the run ends that keeps what was answered."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("release", type=Path, metavar="RELEASE", help="the release's folder")
    parser.add_argument("base", type=Path, metavar="BASE", help="the run to put in order, in any format of runs")
    parser.add_argument("run", type=Path, metavar="RUN", help="the file to write, such as SYSTEM-SPLIT-seedS.jsonl")
    parser.add_argument("--split", choices=SPLITS, required=True)
    parser.add_argument("--top", type=int, default=20, metavar="K", help="moments a query (20); the others follow")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--server", metavar="URL", help="of the OpenAI protocol, such as http://127.0.0.1:8000/v1")
    who.add_argument("--command", dest="line", metavar="LINE", help="a program that takes and gives JSON Lines")
    parser.add_argument("--model", metavar="NAME", help="on the server; of a command, for the run's manifest")
    parser.add_argument(
        "--videos", type=Path, metavar="DIR", help="the videos' folder; a server's model sees pictures of them"
    )
    parser.add_argument("--frames", type=int, default=4, metavar="N", help="pictures of a moment (4)")
    parser.add_argument("--pixels", type=int, default=512, metavar="P", help="of a picture's longer side at most (512)")
    parser.add_argument("--instructions", type=Path, metavar="FILE", help="in place of its own; they ask for a number")
    parser.add_argument(
        "--key-from", default="OPENAI_API_KEY", metavar="NAME",
        help="the environment variable with the server's key (OPENAI_API_KEY); one without a key needs none",
    )  # fmt: skip
    parser.add_argument("--at-once", type=int, default=4, metavar="N", help="requests side by side (4)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the run, for the manifest (1)")


def perform(options: Namespace) -> None:
    """Ask, and write the new run."""
    for name in ("top", "frames", "pixels", "at_once"):
        if getattr(options, name) < 1:
            raise BaselineError(f"--{name.replace('_', '-')}: found {getattr(options, name)}, expected 1 or more")
    if options.run.resolve() == options.base.resolve():
        raise BaselineError(f"{options.run}: found the run to put in order, expected another file to write")

    from baselines.reading.release import read_release
    from baselines.reranking.answers import AnswerFile
    from baselines.reranking.rerank import rerank
    from baselines.runs import digest_of_file, run_manifest, told_of, write_run
    from evaluation.reading import read_run, run_name

    release = read_release(options.release)
    queries = release.queries(options.split)
    known = {query.query_id for query in queries}
    base = read_run(options.base, queries=known, videos=release.durations)
    strange = [query_id for query_id in base.query_ids if query_id not in known]
    if strange:
        raise BaselineError(f"{options.base}: found the query_id {strange[0]!r}, expected queries of {options.split}")
    reranker = _reranker(options, release, base)
    kept = AnswerFile(options.run.with_name(run_name(options.run) + ENDING), reranker.asked_with)
    done = rerank(base, queries, reranker, kept, top=options.top)
    manifest = run_manifest(
        release,
        system=options.model or NAME,
        split=options.split,
        seed=options.seed,
        features=None,
        more={
            "family": options.model,
            "reranked": {
                "run": {"name": base.name, "sha256": digest_of_file(options.base)},
                "top": options.top,
                "asked_with": {name: value for name, value in reranker.asked_with.items() if name != "command"},
                "moments": done.moments,
                "without_score": done.without,
            },
        },
    )
    write_run(options.run, done.run, manifest)
    print(told_of(options.run, done.run))
    print(f"{kept.path}: {done.moments} moments scored, {done.without} of them without a number.")


def _reranker(options: Namespace, release: Release, base: Run) -> Reranker:
    from baselines.reranking.command import Command

    videos = None if options.videos is None else _videos(options.videos, base)
    if options.line is not None:
        return Command(options.line, videos)
    if videos is None or not options.model:
        raise BaselineError("--server: found no --model or no --videos, expected the model's name and what it is shown")

    from baselines.reranking.server import Server

    more: dict[str, Any] = {}
    if options.instructions is not None:
        try:
            more["instructions"] = options.instructions.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise BaselineError(f"{options.instructions}: can't be read as a text ({error})") from error
    return Server(
        options.server,
        options.model,
        videos,
        api_key=os.environ.get(options.key_from) or "none",
        frames=options.frames,
        pixels=options.pixels,
        at_once=options.at_once,
        **more,
    )


def _videos(folder: Path, base: Run) -> Mapping[str, Path]:
    """The files of the run's videos by their names. Raises: BaselineError if one isn't there."""
    from baselines.reading.videos import videos_in

    files = videos_in(folder)
    missing = [name for name in base.video_names if name not in files]
    if missing:
        raise BaselineError(
            f"{folder}: found no file for {len(missing)} of the run's {len(base.video_names)} videos, among them "
            f"{', '.join(map(repr, missing[:3]))}"
        )
    return files
