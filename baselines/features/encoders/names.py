"""The names of encoders that need no hub, and of the families that do."""

from __future__ import annotations

PACKAGED_FRAMES, PACKAGED_WORDS = "efficientnet-lite0", "minilm"
CONTRASTIVE = ("clip", "siglip", "siglip2")
"""Those whose frames share a space with texts."""
FRAME_ENCODERS = (PACKAGED_FRAMES, *CONTRASTIVE, "resnet", "vit")
"""The first needs no hub. The others stand for a model of the hub, or go before a model's name or folder:
``clip:openai/clip-vit-large-patch14``."""
