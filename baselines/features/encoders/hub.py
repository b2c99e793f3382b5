"""Models that transformers loads from a folder or from the Hugging Face hub, with an error that says what to do."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, TypeVar

from baselines.errors import BaselineError

Loaded = TypeVar("Loaded")


def loaded(load: Callable[[str], Loaded], model: str) -> Loaded:
    """The result of ``load`` for a model. Raises: BaselineError if it isn't there and the hub can't be reached."""
    try:
        return load(model)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise BaselineError(
            f"the model {model!r} can't be loaded ({reason}). It comes from the Hugging Face hub: give a folder that "
            "has it, unset HF_HUB_OFFLINE where the hub can be reached, or take the encoders that need no hub "
            "(efficientnet-lite0 for frames, minilm for words)"
        ) from error


def identity_of(name: str, network: Any) -> dict[str, Any]:
    """An encoder's identity (`FrameEncoder`) by its name and its network."""
    return {"name": name, "library": f"transformers {version('transformers')}", "weights": digest_of(network)}


def digest_of(network: Any) -> str:
    """SHA-256 over a network's weights, the same wherever they were loaded from."""
    digest = hashlib.sha256()
    for name, weights in sorted(network.state_dict().items()):
        digest.update(f"{name} {tuple(weights.shape)} {weights.dtype}".encode())
        digest.update(weights.detach().cpu().float().numpy().tobytes())
    return digest.hexdigest()
