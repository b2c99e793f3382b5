"""``features``: a file of features from a folder of videos."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

from baselines.device import DEVICES
from baselines.errors import BaselineError
from baselines.features.encoders.names import FRAME_ENCODERS, PACKAGED_FRAMES, PACKAGED_WORDS

NAME = "features"
HELP = "Extract features of a folder of videos, and of their subtitles, into one file; goes on after a kill."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument(
        "videos", type=Path, metavar="VIDEOS", help="a folder of videos, named as the release names them"
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to make, such as features.h5")
    parser.add_argument(
        "--release",
        type=Path,
        metavar="DIR",
        help="extract the videos of this release alone, all of them, and put its queries' words into the file",
    )
    parser.add_argument(
        "--subtitles", type=Path, metavar="PATH", help="a folder of SRT and VTT files, or TVR's JSON Lines"
    )
    parser.add_argument(
        "--frames",
        default=PACKAGED_FRAMES,
        metavar="ENCODER",
        help=f"{', '.join(FRAME_ENCODERS)}, or FAMILY:MODEL, such as clip:FOLDER ({PACKAGED_FRAMES})",
    )
    parser.add_argument(
        "--text",
        default=PACKAGED_WORDS,
        metavar="ENCODER",
        help=f"for words: {PACKAGED_WORDS}, or a model such as bert-base-uncased ({PACKAGED_WORDS})",
    )
    parser.add_argument("--rate", type=float, default=3.0, metavar="FPS", help="frames a second (3)")
    parser.add_argument("--clip-seconds", type=float, default=1.5, metavar="S", help="a clip's length (1.5, as in TVR)")
    parser.add_argument(
        "--pool", choices=["max", "mean"], help="how a clip's frames are joined (the encoder's own way)"
    )
    parser.add_argument("--device", choices=DEVICES, default="auto", help="(auto: CUDA, else MPS, else the CPU)")


def perform(options: Namespace) -> None:
    """Extract, and say what is there."""
    from baselines.features.extract import FeaturePlan, extract
    from baselines.reading.release import read_release

    release = None if options.release is None else read_release(options.release)
    plan = FeaturePlan(options.frames, options.text, options.rate, options.clip_seconds, options.pool, options.device)
    done = extract(
        options.videos,
        options.out,
        plan,
        subtitles=options.subtitles,
        videos=None if release is None else list(release.durations),
        queries=() if release is None else release.query_texts(),
    )
    features = done.features
    print(
        f"{options.out}: {len(features.videos)} videos ({done.done} now, {done.kept} were there), "
        f"clips of {features.clip_seconds:g} s, visual {features.visual_size}, "
        f"subtitles {features.subtitle_size or 'none'}, words {features.word_size}."
    )
    if done.broken:
        for sentence in done.broken:
            print(sentence, file=sys.stderr)
        raise BaselineError(
            f"{len(done.broken)} videos couldn't be read (above); the others are in {options.out}, and the same "
            "command goes on with these once they are mended"
        )
