"""Choose the rewriter that the environment asks for: an LLM, or rules."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from queries.rewriting.rewriters.interface import Rewriter

if TYPE_CHECKING:
    from queries.language.lexicon import Lexicon
    from queries.rewriting.rewriters.prompting import Wording


def is_remote(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment asks for an LLM: OPENAI_API_KEY decides (a local server takes any word)."""
    return bool(environ.get("OPENAI_API_KEY", "").strip())


def make_rewriter(
    environ: Mapping[str, str] = os.environ,
    lexicon: Lexicon | None = None,
    wording: Wording | None = None,
    *,
    diverse: bool = False,
) -> Rewriter:
    """The rewriter that the environment asks for: an OpenAI-compatible server, or rules without a key.

    Args: environ: OPENAI_API_KEY, OPENAI_BASE_URL, REWRITER_MODEL and the other REWRITER_ settings; NER_MODEL for
        the rules; lexicon: what the collection's own descriptions say about its cast
        (`build_lexicon`): with it the rules know that "House" is a man; wording: the collection's
        context and style for the LLM; diverse: the rules' style.
    Raises: RewriterError for a setting that can't be read.
    """
    if is_remote(environ):
        from queries.rewriting.rewriters.llm import OpenAIRewriter

        return OpenAIRewriter.from_environ(environ, wording)
    return rules_rewriter(environ, lexicon, diverse=diverse)


def rules_rewriter(
    environ: Mapping[str, str] = os.environ, lexicon: Lexicon | None = None, *, diverse: bool = False
) -> Rewriter:
    """The rewriter by rules, which costs nothing; arguments as those of `make_rewriter`."""
    from queries.language.name_tagger import load_tagger
    from queries.rewriting.rewriters.rules import RulesRewriter

    return RulesRewriter(tagger=load_tagger(environ), lexicon=lexicon, diverse=diverse)
