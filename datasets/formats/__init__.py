"""The formats of a release, by the name that `export_release --format` takes.

A format is a function that writes its files into an empty folder: `tvr-ranking` at the top of the release,
every other in a subfolder of its own.
"""

from collections.abc import Callable
from pathlib import Path

from datasets.formats.tvr_ranking import write_tvr_ranking
from datasets.splits import Splits, Training

Progress = Callable[[int], None]
Writer = Callable[[Splits, Training, Path, Progress], None]

FORMATS: dict[str, Writer] = {"tvr-ranking": write_tvr_ranking}
