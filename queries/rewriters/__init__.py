"""Rewriters: precise descriptions in, imprecise captions out, one interface whoever does the work."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from queries.checks import Lexicon


class RewriterError(Exception):
    """A fault of the whole job (wrong key, unknown model, no server), told in one sentence."""


@dataclass(frozen=True)
class Source:
    """One description to be rewritten."""

    id: str
    text: str


@dataclass(frozen=True)
class Rewritten:
    """The answer for one description: its caption, or why there is none."""

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

    def rewrite(self, sources: Sequence[Source], *, temperature: float, seed: int) -> list[Rewritten]:
        """One answer per source, in the order of the sources.

        Args: temperature: 0 at first; above 0 when an earlier caption failed a check; seed: any int.
        Raises: RewriterError when the whole job cannot go on.
        """
        ...


def make_rewriter(environ: Mapping[str, str] = os.environ, lexicon: Lexicon | None = None) -> Rewriter:
    """The rewriter that the environment asks for: an OpenAI-compatible server, or rules without a key.

    Args: environ: OPENAI_API_KEY decides (a local server that wants none is given any word);
        OPENAI_BASE_URL, REWRITER_MODEL; NER_MODEL for the rules; lexicon: what the collection's own
        descriptions say about its cast (`queries.checks.build_lexicon`): with it the rules know that
        "House" is a man.
    """
    if environ.get("OPENAI_API_KEY", "").strip():
        from queries.rewriters.llm import OpenAIRewriter

        return OpenAIRewriter.from_environ(environ)
    from queries.rewriters.rules import RulesRewriter
    from queries.tagger import load_tagger

    return RulesRewriter(tagger=load_tagger(environ), lexicon=lexicon)
