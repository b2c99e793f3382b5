"""The rewriter interface: precise descriptions in, imprecise captions out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from foundation.refused import Refused


class RewriterError(Refused):
    """A fault of the whole job (wrong key, unknown model, no server), told in one sentence."""


@dataclass(frozen=True)
class SourceDescription:
    """One description to be rewritten."""

    id: str
    text: str
    language: str = "en"
    """BCP 47; `und` where it isn't what it is said to be."""


@dataclass(frozen=True)
class Rewritten:
    """The result for one description: its caption, or why there is none."""

    id: str
    text: str | None
    error: str = ""


class Rewriter(Protocol):
    """Replaces every person's name in a description by a generic noun phrase and changes nothing else."""

    name: str
    """Who rewrites: "rules" or "openai"."""
    model: str
    """Which version of it, e.g. "rules-1" or "gpt-4o-mini"."""
    prompt_version: str
    """Which prompt, "" where there is none."""

    def rewrite(self, sources: Sequence[SourceDescription], *, temperature: float, seed: int) -> list[Rewritten]:
        """One answer per source, in the order of the sources.

        Args: temperature: 0 at first; above 0 when an earlier caption failed a check; seed: any int.
        Raises: RewriterError when the whole job cannot go on.
        """
        ...
