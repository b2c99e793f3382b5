"""Descriptions used as captions as they are: for those that name nobody, in any language."""

from __future__ import annotations

from collections.abc import Sequence

from queries.language.words import collapse
from queries.rewriting.rewriters.interface import Rewritten, SourceDescription

NAME = "as they are"


class AsTheyAre:
    """Changes nothing but white space."""

    name = NAME
    model = prompt_version = ""

    def rewrite(self, sources: Sequence[SourceDescription], *, temperature: float, seed: int) -> list[Rewritten]:
        """Each text itself."""
        return [Rewritten(source.id, collapse(source.text)) for source in sources]
