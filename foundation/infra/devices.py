"""Where models compute: on the processor, or on a card that torch finds."""

from __future__ import annotations

DEVICES = ("auto", "cpu", "cuda", "mps")


def device_of(asked: str, *, variable: str) -> str:
    """What torch calls the device that a variable of the environment asks for; "" is the processor.

    "auto" takes an NVIDIA card, else Apple's, else the processor.

    Raises: ValueError for an unknown word, or a card that isn't there.
    """
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if asked == "auto":
        return next(name for name, is_there in there.items() if is_there)
    if asked not in ("", *there):
        raise ValueError(f"{variable}: found {asked!r}, expected {' or '.join(DEVICES)}")
    if not there[asked or "cpu"]:
        raise ValueError(f"{variable}: found {asked!r}, and torch finds no such card: expected cpu or auto")
    return asked or "cpu"
