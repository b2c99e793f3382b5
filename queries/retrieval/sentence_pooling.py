"""How a model's token vectors become one sentence vector, and the sentence-transformers model that does so.

A folder of sentence-transformers says it itself. A plain folder of transformers says nothing: sentence-transformers
would take the mean, while SimCSE's supervised models are the pooler's output, and its unsupervised ones the first
token's vector.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from foundation.refused import Refused

POOLINGS = ("mean", "cls", "pooler", "auto")
MODULES = "modules.json"
"""The file by which a model of sentence-transformers says of what it is made."""
_HUB_NAME = re.compile(r"\w[\w.-]*(/[\w.-]+)?")
_SIMCSE = re.compile(r"(un)?sup-simcse", re.IGNORECASE)
"""Source: SimCSE's model list, github.com/princeton-nlp/SimCSE (Gao, Yao and Chen 2021, section 6.1 for the pooler)."""


def pooling_of(model: str, wanted: str = "auto", *, ask_hub: bool = True) -> str:
    """How the vectors of `model`, a folder or a name, are pooled: "own" as the model itself says, or mean, cls, pooler.

    Args: ask_hub: whether a hub may be asked what a model says; otherwise what was fetched from it before counts.
    Raises: ValueError if `wanted` is none of POOLINGS; Refused if nothing says what the model was trained with.
    """
    if wanted not in POOLINGS:
        raise ValueError(f"ENCODER_POOLING: found {wanted!r}, expected {', '.join(POOLINGS)}")
    if wanted != "auto":
        return wanted
    if _says_itself(model, ask_hub=ask_hub):
        return "own"
    for text in (model, *_said_by(Path(model))):
        if simcse := _SIMCSE.search(text):
            return "cls" if simcse[1] else "pooler"
    raise Refused(
        f"{model} doesn't say how its token vectors become a sentence vector, and a wrong guess gives wrong "
        "similarities: set ENCODER_POOLING to mean, cls (SimCSE, unsupervised) or pooler (SimCSE, supervised)"
    )


def _says_itself(model: str, *, ask_hub: bool) -> bool:
    """Whether it is a model of sentence-transformers. That library takes seconds to import: a page does without it."""
    if not ask_hub or Path(model).is_dir():
        return (Path(model) / MODULES).is_file() or _was_fetched(model)
    from sentence_transformers.util import is_sentence_transformer_model

    return bool(is_sentence_transformer_model(model))


def _was_fetched(name: str) -> bool:
    from huggingface_hub import try_to_load_from_cache

    return bool(_HUB_NAME.fullmatch(name)) and isinstance(try_to_load_from_cache(name, MODULES), str)


def pooling_named(identity: str) -> str:
    """The pooling in an encoder's identity (`Encoder.identity`).

    >>> pooling_named("sup-simcse@0123456789abcdef+pooler+bfloat16"), pooling_named("all-MiniLM-L6-v2@0123456789abcdef")
    ('pooler', 'own')
    """
    return next((part for part in identity.rpartition("@")[2].split("+") if part in POOLINGS), "own")


def _said_by(folder: Path) -> list[str]:
    """What a folder says of its model: the name in its configuration, and its card."""
    texts = []
    if (folder / "config.json").is_file():
        texts.append(str(json.loads((folder / "config.json").read_text()).get("_name_or_path", "")))
    if (folder / "README.md").is_file():
        texts.append((folder / "README.md").read_text(errors="replace"))
    return texts


def load_with_pooling(model: str, pooling: str, device: str) -> Any:
    """A SentenceTransformer whose vectors are pooled so.

    Raises: Refused for the pooler of a model that has none, whose weights would be random.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules as models

    if pooling == "own":
        return SentenceTransformer(model, device=device)
    transformer = models.Transformer(model)
    width = transformer.get_embedding_dimension()
    modules = [transformer, models.Pooling(width, pooling_mode="mean" if pooling == "mean" else "cls")]
    if pooling == "pooler":
        modules.append(_pooler(model, width))
    return SentenceTransformer(modules=modules, device=device)


def own_pooling(model: Any) -> str:
    """How a loaded SentenceTransformer pools: "mean", "cls", "mean+max" or the like; "" where no module of it does."""
    modes = [module.pooling_mode for module in model if hasattr(module, "pooling_mode")]
    return "+".join(mode if isinstance(mode, str) else "+".join(mode) for mode in modes)


def _pooler(model: str, width: int) -> Any:
    """The pooler's layer and tanh, on the first token's vector."""
    import torch
    from sentence_transformers.sentence_transformer import modules as models
    from transformers import AutoModel

    whole, loading = AutoModel.from_pretrained(model, output_loading_info=True)
    layer = getattr(getattr(whole, "pooler", None), "dense", None)
    if layer is None or any("pooler" in key for key in loading["missing_keys"]):
        raise Refused(f"{model} has no trained pooler: set ENCODER_POOLING to cls or mean")
    dense = models.Dense(width, layer.out_features, activation_function=torch.nn.Tanh())
    dense.linear.load_state_dict(layer.state_dict())
    return dense
