"""The encoders by name. Their libraries are imported, and their weights loaded, when one is asked for."""

from __future__ import annotations

from baselines.errors import BaselineError
from baselines.features.encoders.interface import FrameEncoder, SharedTexts, WordEncoder
from baselines.features.encoders.names import CONTRASTIVE, FRAME_ENCODERS, PACKAGED_FRAMES


def frame_encoder(name: str, device: str = "auto") -> FrameEncoder:
    """The encoder of frames that a name stands for. Raises: BaselineError for an unknown name, or without weights."""
    if name == PACKAGED_FRAMES:
        from baselines.features.encoders.efficientnet import EfficientNetLite0

        return EfficientNetLite0(device)
    family, _, model = name.partition(":")
    if family in CONTRASTIVE:
        from baselines.features.encoders.contrastive import Contrastive

        return Contrastive(family, model, device)
    if family in ("resnet", "vit"):
        from baselines.features.encoders.backbones import ResNet, ViT

        return (ResNet if family == "resnet" else ViT)(family, model, device)
    raise BaselineError(
        f"found the frames' encoder {name!r}, expected {', '.join(FRAME_ENCODERS)}, all but the first with a model if "
        "you want another than theirs (clip:openai/clip-vit-large-patch14). No library here loads I3D: extract it "
        "elsewhere and name its file in a JSON file (docs/baselines.md)"
    )


def word_encoder(name: str, device: str = "auto") -> WordEncoder:
    """The encoder of words: ``minilm``, or a model's name or folder for transformers (``bert-base-uncased``).

    Raises: BaselineError without weights.
    """
    from baselines.features.encoders.words import transformer_words

    return transformer_words(name, device)


def shared_texts(name: str, device: str = "auto") -> SharedTexts:
    """What brings texts into the space of the frames of this encoder. Raises: BaselineError as `frame_encoder`."""
    if name == PACKAGED_FRAMES:
        from baselines.features.encoders.class_names import ClassNameTexts

        return ClassNameTexts(device)
    family, _, model = name.partition(":")
    if family in CONTRASTIVE:
        from baselines.features.encoders.contrastive import Contrastive

        return Contrastive(family, model, device)
    raise BaselineError(f"the encoder {name!r} has no space that frames share with texts")
