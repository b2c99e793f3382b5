"""An LLM rewriter with little patience, and what it is asked in the tests."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from queries.rewriting.rewriters.chat import Patience
from queries.rewriting.rewriters.interface import Rewritten, SourceDescription
from queries.rewriting.rewriters.llm import OpenAIRewriter, RequestOutcome
from queries.rewriting.rewriters.prompting import Request, ladder, split_evenly
from tests.queries.chat_server import serving, texts

QUICK = Patience(first_pause=0.01, longest_pause=2.0, timeout=5.0)


class Asker(OpenAIRewriter):
    """Asks for a few descriptions at once, without a job."""

    def rewrite(self, sources: Sequence[SourceDescription], *, temperature: float, seed: int) -> list[Rewritten]:
        """One answer per source, in the order of the sources; equal texts are asked once.

        What fails in company is asked again in smaller requests, in the end alone.
        Raises: RewriterError at once for a wrong key, an unknown model or a refused request, and after all
            tries when the server cannot be reached.
        """
        steps = ladder(self.patience.per_request)
        texts = dict.fromkeys(source.text for source in sources)
        plan = Request((), 1, temperature, seed)
        waiting = deque(replace(plan, texts=some) for some in split_evenly(list(texts), steps[0]))
        answers: dict[str, tuple[str | None, str]] = {}

        def land(outcomes: Sequence[RequestOutcome]) -> None:
            for outcome in outcomes:
                waiting.extend(read(outcome))

        def read(outcome: RequestOutcome) -> list[Request]:
            """Keeps the answers. Returns the requests that ask again for what failed."""
            request = outcome.request
            failed = []
            for id_, text in request.ids.items():
                answers[text] = outcome.captions.get(id_, (None, "The job was stopped before this was asked."))
                if answers[text][0] is None:
                    failed.append(text)
            level = request.level + 1
            if outcome.halted or len(request.texts) == 1 or level >= len(steps):
                return []
            return [replace(request, texts=some, level=level) for some in split_evenly(failed, steps[level])]

        if waiting:
            self.flight().run(lambda _: waiting.popleft() if waiting else None, land, may_end=lambda: True)
        return [Rewritten(source.id, *answers[source.text]) for source in sources]


def asking(url, **patience):
    settings = {**vars(QUICK), **patience}
    return Asker(model="m", api_key="k", base_url=url, patience=Patience(**settings))


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
