"""What a study is made with, and the values that its ablations try."""

from __future__ import annotations

from dataclasses import dataclass

from baselines.errors import BaselineError


def _at_least(what: str, value: float, least: float) -> None:
    if not value >= least:
        raise BaselineError(f"{what}: found {value:g}, expected at least {least:g}")


@dataclass(frozen=True)
class ClipSettings:
    """How clips and their features are made.

    Attributes:
        rate: frames a second that are looked at. length: frames of a clip (the paper: 1 and 28; a
        film of the theatre takes 40 s and would have one clip).
        copies: strong copies of each clip. side: a frame has side x side regions (the paper: 3).
        test_share: part of the videos that is kept for the test; no video is on both sides.
        seed: draws the copies and which videos are tested.
    """

    rate: float = 2.0
    length: int = 12
    copies: int = 3
    side: int = 3
    test_share: float = 0.4
    seed: int = 7

    def __post_init__(self) -> None:
        """Raises: BaselineError if a number is out of its range."""
        _at_least("frames a second", self.rate, 0.1)
        _at_least("frames of a clip", self.length, 4)
        _at_least("copies", self.copies, 1)
        _at_least("regions a side", self.side, 1)
        if not 0 < self.test_share < 1:
            raise BaselineError(f"share of test videos: found {self.test_share:g}, expected between 0 and 1")


@dataclass(frozen=True)
class TrainingSettings:
    """How a network is trained; the same for every setting of losses.

    Attributes:
        steps, warm_up: iterations, and those of them in which the learning rate rises (the paper:
        30,000 and 1,000). batch: clips a batch, each with its weak and a strong copy (the paper: 64 pairs).
        learning_rate: None for the best of `LEARNING_RATES` on validation videos (`learning_rate.py`); the paper's 4e-5
        is for 30,000 steps. weight_decay: the paper's.
        size: length of a region's vector after whitening (the paper: 512).
        channels: of the first convolution over the frames' similarities; twice and four times as many
        follow (the published code: 32).
        spatial_rate, temporal_rate: k_s and k_t of TopK-Chamfer (Table 2).
    """

    steps: int = 150
    warm_up: int = 10
    batch: int = 8
    learning_rate: float | None = None
    weight_decay: float = 1e-2
    size: int = 96
    channels: int = 8
    spatial_rate: float = 0.10
    temporal_rate: float = 0.03

    def __post_init__(self) -> None:
        """Raises: BaselineError if a number is out of its range."""
        _at_least("steps", self.steps, 1)
        _at_least("clips a batch", self.batch, 2)
        if self.learning_rate is not None and not 0 < self.learning_rate < float("inf"):
            raise BaselineError(f"learning rate: found {self.learning_rate:g}, expected above 0")
        for name in ("spatial_rate", "temporal_rate"):
            if not 0 < getattr(self, name) <= 1:
                raise BaselineError(f"{name}: found {getattr(self, name):g}, expected above 0, at most 1")


PAPER_CLIPS = ClipSettings(rate=1.0, length=28)
PAPER_TRAINING = TrainingSettings(steps=30_000, warm_up=1_000, batch=64, learning_rate=4e-5, size=512, channels=32)
"""Section B.3's and Table 2's, the channels the published code's; they need its GPUs."""

LEARNING_RATES = (0.001, 0.002, 0.005, 0.01)
"""What is tried where no learning rate is named."""

RATES = ("top_rate", "bottom_rate")

ABLATIONS: dict[str, tuple[tuple[float, ...], ...]] = {
    "delta_v": ((0.01,), (0.05,), (0.10,), (0.15,)),
    "delta_f": ((0.01,), (0.05,), (0.10,), (0.15,)),
    "rho_v": ((0.02,), (0.1,), (0.2,), (1.0,), (5.0,), (50.0,)),
    "rho_f": ((0.02,), (0.2,), (1.0,), (5.0,), (50.0,)),
    "lambda_f": ((2.0,), (4.0,), (6.0,), (8.0,)),
    "rates": ((0.30, 0.30), (0.35, 0.35), (0.40, 0.40), (0.45, 0.45), (0.30, 0.40), (0.40, 0.30)),
}
"""The values of the supplement's Tables 3 to 8; a pair is r_t and r_b. Table 5 has 0.2 for rho_v and lacks Table 2's
0.1: both are here. Unlike there, all else is Table 2's in every row."""

RIVALS = ("contrastive", "triplet", "circle", "infonce", "smooth-ap", "fast-ap")
"""Losses that may stand in QuadLinear-AP's place, by their names in `baselines.losses`, which needs torch."""
