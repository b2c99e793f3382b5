"""The models by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from baselines.errors import BaselineError

if TYPE_CHECKING:
    from baselines.models.interface import RetrievalModel

MODELS = ("xml", "reloclnet", "conquer")
"""Their names, known without torch."""


def model_named(name: str) -> type[RetrievalModel]:
    """A model's class. Raises: BaselineError if there is none of this name."""
    if name == "xml":
        from baselines.models.xml.model import XML

        return XML
    if name == "reloclnet":
        from baselines.models.reloclnet.model import ReLoCLNet

        return ReLoCLNet
    if name == "conquer":
        from baselines.models.conquer.model import CONQUER

        return CONQUER
    raise BaselineError(f"found the model {name!r}, expected one of {', '.join(MODELS)}")
