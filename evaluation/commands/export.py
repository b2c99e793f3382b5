"""``export``: a release in the format that another tool reads."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from ..commands.outputs import note
from ..outlets.outlet import Wanted
from ..outlets.registry import OUTLETS, export
from ..outlets.release import Release
from ..reading.moment_ids import read_moment_ids
from ..reading.subtitle_files import read_subtitles
from ..releases.release import load
from ..texts import counted

NAME = "export"
HELP = "Write a release in the format that another tool reads: " + ", ".join(OUTLETS) + "."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("release", type=Path, metavar="RELEASE", help="a release's folder or .tar.gz")
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write, which may not have anything in it")
    parser.add_argument("--to", choices=list(OUTLETS), required=True, help="the format to write")
    least = "the least relevant grade, where a format has no grades (1)"
    parser.add_argument("--relevant", type=float, default=1.0, metavar="GRADE", help=least)
    said = "the videos' subtitles: a folder of VIDEO.srt and VIDEO.vtt, or TVR's JSON Lines (tvr, mteb)"
    parser.add_argument("--subtitles", type=Path, metavar="PATH", help=said)
    ids = (
        "ids that moments have elsewhere: CSV with video_name, start, end, moment_id (trecvid; default: the release's)"
    )
    parser.add_argument("--moment-ids", type=Path, metavar="CSV", help=ids)


def perform(options: Namespace) -> None:
    """Read, write, say what the format can't hold."""
    outlet = OUTLETS[options.to]
    release = Release(load(options.release))
    wanted = Wanted(
        options.relevant,
        read_subtitles(options.subtitles) if options.subtitles else {},
        read_moment_ids(options.moment_ids) if options.moment_ids else {},
    )
    left = export(release, options.out, outlet, wanted)
    note(f"{outlet.NAME}: {outlet.LOSES}")
    for number, what, why in left:
        if number:
            note(f"{outlet.NAME}: {counted(number, what)} {why}")
    queries = sum(map(len, release.judged.values()))
    pairs = sum(len(query.moments) for own in release.judged.values() for query in own)
    print(f"{options.out}: {release.name} for {outlet.READ_BY}; {counted(queries, 'query')}, {counted(pairs, 'pair')}")
