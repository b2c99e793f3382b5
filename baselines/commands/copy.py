"""``copy``: HAP-VR's losses compared on copies of the videos in a folder."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import fields, replace
from pathlib import Path

from baselines.copy_retrieval.settings import (
    ABLATIONS,
    LEARNING_RATES,
    PAPER_CLIPS,
    PAPER_TRAINING,
    RIVALS,
    ClipSettings,
    TrainingSettings,
)
from baselines.device import DEVICES
from baselines.errors import BaselineError
from baselines.features.encoders.names import PACKAGED_FRAMES

NAME = "copy"
HELP = "Make copies of a folder's videos, train networks to find them with and without QuadLinear-AP, and tabulate."


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of the command."""
    clips, training, of_paper = ClipSettings(), TrainingSettings(), PAPER_TRAINING
    parser.add_argument("videos", metavar="VIDEOS", type=Path, help="a folder of at least four videos")
    parser.add_argument("out", metavar="OUT", type=Path, help="a folder for clips, results and tables; goes on there")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3], help="of the main comparison (1 2 3)")
    parser.add_argument(
        "--ablations", nargs="*", choices=tuple(ABLATIONS), default=[], metavar="NAME",
        help=f"tables over {', '.join(ABLATIONS)}; with the first seed",
    )  # fmt: skip
    parser.add_argument(
        "--losses", nargs="*", choices=RIVALS, default=[], metavar="NAME",
        help=f"compared in the place of QuadLinear-AP: {', '.join(RIVALS)}",
    )  # fmt: skip
    parser.add_argument(
        "--frames", default=PACKAGED_FRAMES, metavar="ENCODER",
        help=f"of regions: {PACKAGED_FRAMES} (the default), or resnet:FOLDER (the paper: ResNet-50)",
    )  # fmt: skip
    parser.add_argument(
        "--labels", metavar="ENCODER",
        help="of frames for pseudo labels: vit:FOLDER (the paper: DINO's), or any of `features --frames` (the mean of "
        "a frame's regions)",
    )  # fmt: skip
    parser.add_argument(
        "--paper", action="store_true",
        help=f"the paper's clips and training where nothing else is named: {of_paper.steps:,} steps, for a GPU",
    )  # fmt: skip
    for option, of, name, what in (
        ("--rate", clips, "rate", "frames a second"),
        ("--length", clips, "length", "frames of a clip"),
        ("--copies", clips, "copies", "strong copies of a clip"),
        ("--test-share", clips, "test_share", "part of the videos to test"),
        ("--copies-seed", clips, "seed", "draws copies and test videos"),
        ("--steps", training, "steps", "of a training"),
        ("--batch", training, "batch", "clips a batch"),
    ):
        usual = getattr(of, name)
        parser.add_argument(option, type=type(usual), dest=name, help=f"{what} ({usual:g})")
    parser.add_argument(
        "--learning-rate",
        type=float,
        metavar="R",
        help=f"(the best of {', '.join(f'{rate:g}' for rate in LEARNING_RATES)} on videos held out of the training)",
    )
    parser.add_argument("--device", choices=DEVICES, default="auto")


def settings_of(options: Namespace) -> tuple[ClipSettings, TrainingSettings]:
    """What clips and networks are made with: what is named, else the paper's or a study in small's.

    Raises: BaselineError if a number is out of its range.
    """
    usual = (PAPER_CLIPS, PAPER_TRAINING) if options.paper else (ClipSettings(), TrainingSettings())
    named = {name: value for name, value in vars(options).items() if value is not None}
    clips, training = ({field.name: named[field.name] for field in fields(of) if field.name in named} for of in usual)
    return replace(usual[0], **clips), replace(usual[1], **training)


def perform(options: Namespace) -> None:
    """Run the study and print its tables."""
    clips, training = settings_of(options)

    from baselines.copy_retrieval.clips import RegionEncoder
    from baselines.copy_retrieval.study import CopyStudy, run_study
    from baselines.device import device_named
    from baselines.features.encoders import frame_encoder

    device = str(device_named(options.device))
    ablations, rivals = tuple(dict.fromkeys(options.ablations)), tuple(dict.fromkeys(options.losses))
    study = CopyStudy(clips, training, tuple(options.seeds), ablations, rivals)
    labels = options.labels and frame_encoder(options.labels, device)

    def encoder() -> RegionEncoder:
        network = frame_encoder(options.frames, device)
        if not isinstance(network, RegionEncoder):
            raise BaselineError(
                f"--frames: found {options.frames!r}, which has no regions; expected {PACKAGED_FRAMES} or resnet:FOLDER"
            )
        return network

    tables = run_study(options.videos, options.out, study, encoder=encoder, labels=labels, device=device)
    print(tables.read_text(encoding="utf-8"), end="")
    print(f"\nWritten to {tables}")
