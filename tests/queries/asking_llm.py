"""An LLM rewriter with little patience, and what it is asked in the tests."""

from __future__ import annotations

import re
from typing import Any

from queries.rewriting.rewriters.chat import Patience
from queries.rewriting.rewriters.interface import Rewritten, SourceDescription
from queries.rewriting.rewriters.llm import OpenAIRewriter
from tests.queries.chat_server import serving, texts

QUICK = Patience(first_pause=0.01, longest_pause=2.0, timeout=5.0)


def asking(url, **patience):
    settings = {**vars(QUICK), **patience}
    return OpenAIRewriter(model="m", api_key="k", base_url=url, patience=Patience(**settings))


def sources(count: int) -> list[SourceDescription]:
    return [SourceDescription(f"d{number}", f"Rachel opens door {number}.") for number in range(count)]


def expected(count: int) -> list[Rewritten]:
    return [Rewritten(f"d{number}", f"A woman opens door {number}.") for number in range(count)]


def rewritten(behave, count=3, **patience):
    with serving(behave) as server:
        return asking(server.url, **patience).rewrite(sources(count), temperature=0, seed=1), server


def odd(request: dict[str, Any]) -> list[int]:
    """The numbers of the doors in a request."""
    return [int(re.sub(r"\D", "", text)) for text in texts(request)]
