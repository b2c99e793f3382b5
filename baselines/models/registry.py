"""The models by name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from baselines.errors import BaselineError

if TYPE_CHECKING:
    from baselines.models.interface import RetrievalModel

_CLASSES = {"xml": "XML", "reloclnet": "ReLoCLNet", "conquer": "CONQUER", "spr": "SPR"}
"""name, which is its folder's -> the class in `model.py` there."""
MODELS = tuple(_CLASSES)
"""Their names, known without torch."""


def model_named(name: str) -> type[RetrievalModel]:
    """A model's class. Raises: BaselineError if there is none of this name."""
    if name not in _CLASSES:
        raise BaselineError(f"found the model {name!r}, expected one of {', '.join(MODELS)}")
    return cast("type[RetrievalModel]", getattr(import_module(f"baselines.models.{name}.model"), _CLASSES[name]))
