"""Descriptions used as captions as they are: for those that name nobody, in any language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from queries.language.spoken import EVERY
from queries.language.words import collapse
from queries.rewriting.rewriters.interface import Rewritten, SourceDescription

NAME = "as they are"


@dataclass(frozen=True)
class AsTheyAre:
    """Changes nothing but white space."""

    name: str = field(default=NAME, init=False)
    model: str = field(default="", init=False)
    prompt_version: str = field(default="", init=False)
    languages: Sequence[str] = field(default=(EVERY,), init=False)

    def rewrite(self, sources: Sequence[SourceDescription], *, temperature: float, seed: int) -> list[Rewritten]:
        """Each text itself."""
        return [Rewritten(source.id, collapse(source.text)) for source in sources]
