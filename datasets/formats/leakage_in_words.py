"""What a release says of leakage, in sentences from its manifest."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import ngettext_lazy

from foundation.counted import counted_words

NEAR = "0.9"
"""The level that is told: captions from there on say nearly the same."""
_HAVE = ngettext_lazy(
    "%(shown)s query of val and test has a pseudo-training caption with a cosine of %(level)s or more.",
    "%(shown)s queries of val and test have a pseudo-training caption with a cosine of %(level)s or more.",
    "count",
)
_LEFT_OUT = ngettext_lazy(
    "%(shown)s pseudo-training query was left out for a cosine of %(level)s or more with one of them.",
    "%(shown)s pseudo-training queries were left out for a cosine of %(level)s or more with one of them.",
    "count",
)


def leakage_in_words(leakage: Mapping[str, Any] | None) -> list[str]:
    """How many queries have a near training caption, and how many of these were left out, as far as there are any."""
    if leakage is None:
        return []
    near = sum(leakage[split]["from"][NEAR]["queries"] for split in ("val", "test"))
    sentences = [counted_words(near, _HAVE, level=NEAR)]
    if leakage["left_out"]:
        sentences.append(counted_words(leakage["left_out"], _LEFT_OUT, level=f"{leakage['train_below']:g}"))
    return [sentence for sentence in sentences if sentence]
