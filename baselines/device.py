"""The device that torch computes on, and the seed of everything that is drawn."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from baselines.errors import BaselineError

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cuda", "mps", "cpu")


def device_named(name: str = "auto") -> torch.device:
    """The device of this name; ``auto`` takes CUDA, else MPS, else the CPU.

    Raises: BaselineError if there is no such device on this machine.
    """
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        return torch.device(next(kind for kind in ("cuda", "mps", "cpu") if there[kind]))
    if name not in there:
        raise BaselineError(f"found the device {name!r}, expected one of {', '.join(DEVICES)}")
    if not there[name]:
        raise BaselineError(f"this machine has no device {name!r}: use --device auto")
    return torch.device(name)


def set_seed(seed: int) -> None:
    """Seed Python's, numpy's and torch's generators on every device."""
    import torch

    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
