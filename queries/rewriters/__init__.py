"""Rewriters: precise descriptions in, imprecise captions out, one interface whoever does the work."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from queries.checks import Lexicon
    from queries.rewriters.prompting import Wording


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


def is_remote(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment asks for an LLM: OPENAI_API_KEY decides (a local server takes any word)."""
    return bool(environ.get("OPENAI_API_KEY", "").strip())


def make_rewriter(
    environ: Mapping[str, str] = os.environ, lexicon: Lexicon | None = None, wording: Wording | None = None
) -> Rewriter:
    """The rewriter that the environment asks for: an OpenAI-compatible server, or rules without a key.

    Args: environ: OPENAI_API_KEY, OPENAI_BASE_URL, REWRITER_MODEL and the other REWRITER_ settings; NER_MODEL for
        the rules; lexicon: what the collection's own descriptions say about its cast
        (`queries.checks.build_lexicon`): with it the rules know that "House" is a man; wording: the collection's
        context for the LLM.
    Raises: RewriterError for a setting that can't be read.
    """
    if is_remote(environ):
        from queries.rewriters.llm import OpenAIRewriter

        return OpenAIRewriter.from_environ(environ, wording)
    from queries.rewriters.rules import RulesRewriter
    from queries.tagger import load_tagger

    return RulesRewriter(tagger=load_tagger(environ), lexicon=lexicon)
