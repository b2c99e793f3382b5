"""A trained model in a file: its weights, and what made them."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import torch

from baselines.errors import BaselineError
from baselines.models.interface import Dimensions, ModelConfig, RetrievalModel
from baselines.models.registry import model_named
from baselines.whole_files import whole_file

FORMAT = "qreels model 1"
FILE = "model.pt"


@dataclass(frozen=True)
class Trained:
    """A trained model.

    Attributes: about: what made it, as plain JSON: features (their manifest), top, seed, loss, schedule, epoch, step,
    validation, release, code. digest: the file's SHA-256.
    """

    model: RetrievalModel
    about: dict[str, Any]
    digest: str


def write_model(path: Path, model: RetrievalModel, about: dict[str, Any]) -> None:
    """Write a model; the file appears whole or not at all. The same model and facts give the same bytes."""
    facts = {
        "model": model.NAME,
        "config": model.config.as_dict(),
        "dimensions": asdict(model.dimensions),
        "about": about,
    }
    # As text: of equal objects torch writes other bytes where they are one and the same.
    weights = {name: value.cpu() for name, value in model.state_dict().items()}
    write_whole(path, {"format": FORMAT, "facts": json.dumps(facts, sort_keys=True), "weights": weights})


def read_model(path: Path | str) -> Trained:
    """Read a model: the file, or the folder that `train` made.

    Raises: BaselineError if it is missing, cut off, no model, or a model of other code.
    """
    path = Path(path)
    path = path / FILE if path.is_dir() else path
    if not path.is_file():
        raise BaselineError(f"{path}: found nothing, expected a model that `train` made (after its first validation)")
    content = read_whole(path, FORMAT)
    facts = json.loads(content["facts"])
    kind = model_named(facts["model"])
    try:
        model = kind(config_of(kind, facts["config"]), Dimensions(**facts["dimensions"]))
        model.load_state_dict(content["weights"])
    except (TypeError, RuntimeError) as error:
        raise BaselineError(f"{path}: found a model that this code doesn't fit ({error})") from error
    return Trained(model, facts["about"], hashlib.sha256(path.read_bytes()).hexdigest())


def config_of(kind: type[RetrievalModel], values: dict[str, Any]) -> ModelConfig:
    """A model's configuration with these values in place of its defaults.

    Raises: BaselineError for a name that it hasn't, or a value of another type.
    """
    defaults = {field.name: getattr(kind.Config(), field.name) for field in fields(kind.Config)}
    for name, value in values.items():
        if name not in defaults:
            raise BaselineError(f"{kind.NAME} has no setting {name!r}; it has {', '.join(defaults)}")
        if type(value) is not type(defaults[name]) and not (type(value) is int and isinstance(defaults[name], float)):
            expected = type(defaults[name]).__name__
            raise BaselineError(f"the setting {name} of {kind.NAME}: found {value!r}, expected {expected}")
    return kind.Config(**values)


def write_whole(path: Path, content: dict[str, Any]) -> None:
    """Write plain values and tensors by torch, as a `whole_file`."""
    held = io.BytesIO()  # torch writes a file's own name into it: the same bytes whatever it is called
    torch.save(content, held)
    with whole_file(path) as file:
        file.write(held.getbuffer())


def read_whole(path: Path, expected: str) -> dict[str, Any]:
    """What `write_whole` wrote, on the CPU. No code in a file is run.

    Raises: BaselineError if it was cut off or isn't of the format ``expected``.
    """
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, OSError, ValueError, pickle.UnpicklingError) as error:
        raise BaselineError(f"{path}: found a file that is cut off or none of {expected!r}") from error
    if not isinstance(content, dict) or content.get("format") != expected:
        kind = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise BaselineError(f"{path}: found {kind!r}, expected {expected!r}")
    return content
