"""Prompts: versioned instructions, the collection's context, requests and their size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from foundation.collections.cast import CastMember
from queries.language.words import TITLES, words

PROMPT_VERSION = "imprecise-v2"
PROMPT_OF_STYLE = {"faithful": PROMPT_VERSION, "diverse": "diverse-v1"}
"""By a collection's rewriting style."""
PROMPTS = Path(__file__).parents[1] / "prompts"
CHARS_A_TOKEN = 4.0
"""What English has on average; a job that knows better by its own answers says so."""
PLAIN_FORMAT, JSON_FORMAT, SCHEMA_FORMAT = "plain", "json_object", "json_schema"
FORMATS = (SCHEMA_FORMAT, JSON_FORMAT, PLAIN_FORMAT)
"""How an answer's form can be asked for, the best first."""
BY_LINES = "+lines-v1"
"""What the version of a prompt ends with that asks for the captions alone, one a line."""

_SCHEMA = {
    "name": "captions",
    "strict": True,
    "schema": {
        "type": "object",
        "properties": {
            "captions": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "caption": {"type": "string"}},
                    "required": ["id", "caption"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["captions"],
        "additionalProperties": False,
    },
}
_SCHEMA_CHARS = len(json.dumps(_SCHEMA))
_GENDERS = {"f": "woman", "m": "man", "?": "person"}


@dataclass(frozen=True, slots=True)
class Request:
    """Distinct descriptions in one request; a text's id is its position, from 1."""

    texts: tuple[str, ...]
    number: int = 1
    """Which attempt at these descriptions this is."""
    temperature: float = 0.0
    seed: int = 0
    level: int = 0
    """How often these failed in larger requests."""

    @property
    def ids(self) -> dict[str, str]:
        """id -> text."""
        return {str(place): text for place, text in enumerate(self.texts, start=1)}


@dataclass(frozen=True)
class Wording:
    """A collection's prompt: every request has its context, and the cast members who occur in the request."""

    context: str = ""
    cast: Sequence[CastMember] = ()
    prompt_version: str = PROMPT_VERSION
    _by_word: dict[str, list[CastMember]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for member in self.cast:
            for word in _name_words(member.name):
                self._by_word.setdefault(word, []).append(member)

    @property
    def by_lines(self) -> bool:
        """Whether captions are asked for one a line, without ids. Source: TVR-Ranking, Figure 3, point 3."""
        return self.prompt_version.endswith(BY_LINES)

    @property
    def instructions(self) -> str:
        """The system prompt."""
        asked = prompt(self.prompt_version)
        return f"{asked}\n\nAbout these videos: {self.context}" if self.context else asked

    def messages(self, request: Request) -> list[dict[str, str]]:
        """The request as chat messages."""
        asked: dict[str, Any] = {}
        occurring = self._occurring(request)
        if occurring:
            asked["cast"] = occurring
        asked["descriptions"] = [{"id": id_, "text": text} for id_, text in request.ids.items()]
        instructions, content = self.instructions, json.dumps(asked, ensure_ascii=False)
        if self.by_lines:
            cast = "; ".join(f"{name} is a {noun}" for name, noun in occurring.items())
            instructions += f"\n\nCharacters that occur: {cast}. Believe it." if cast else ""
            content = "\n".join(" ".join(text.split()) for text in request.texts)
        return [{"role": "system", "content": instructions}, {"role": "user", "content": content}]

    def _occurring(self, request: Request) -> dict[str, str]:
        """The cast members named in the request: name -> noun."""
        if not self._by_word:
            return {}
        return {
            member.name: _GENDERS[member.gender]
            for text in request.texts
            for word in words(text)
            for member in self._by_word.get(word.text.casefold(), ())
        }

    def chars_in(self, request: Request, answer_format: str = SCHEMA_FORMAT) -> int:
        """Characters sent, including the schema."""
        sent = sum(len(message["content"]) for message in self.messages(request))
        return sent + (_SCHEMA_CHARS if answer_format == SCHEMA_FORMAT and not self.by_lines else 0)


def chars_out(request: Request) -> int:
    """Expected characters of an answer, if captions are as long as their descriptions."""
    rows = [{"id": id_, "caption": text} for id_, text in request.ids.items()]
    return len(json.dumps({"captions": rows}, ensure_ascii=False))


def longest_answer(request: Request) -> int:
    """The token limit of an answer: about eight times what an English one needs."""
    return 256 + 2 * chars_out(request)


def form_of_answer(answer_format: str) -> dict[str, Any]:
    """The request's parameter for a format; empty for plain."""
    if answer_format == SCHEMA_FORMAT:
        return {"response_format": {"type": SCHEMA_FORMAT, SCHEMA_FORMAT: _SCHEMA}}
    return {"response_format": {"type": JSON_FORMAT}} if answer_format == JSON_FORMAT else {}


def prompt_version(style: str, environ: Mapping[str, str]) -> str:
    """The version of the prompt for a style, with answers as REWRITER_ANSWERS says: "json" (the default) or "lines"."""
    return PROMPT_OF_STYLE[style] + (BY_LINES if environ.get("REWRITER_ANSWERS", "").strip() == "lines" else "")


@lru_cache(maxsize=2 * len(PROMPT_OF_STYLE))
def prompt(version: str = PROMPT_VERSION) -> str:
    """The instructions, as versioned in `queries/rewriting/prompts`.

    Those for answers by lines are the style's but for the paragraph about JSON, which is `lines-v1.txt`.
    """
    asked, by_lines, _ = version.partition(BY_LINES)
    text = (PROMPTS / f"{asked}.txt").read_text(encoding="utf-8").strip()
    if by_lines:
        lines = (PROMPTS / f"{BY_LINES.removeprefix('+')}.txt").read_text(encoding="utf-8").strip()
        text = "\n\n".join(lines if '{"captions"' in part else part for part in text.split("\n\n"))
    return text


def ladder(per_request: int) -> tuple[int, ...]:
    """Descriptions per request, by the number of earlier failures; in the end one alone."""
    return tuple(dict.fromkeys((per_request, max(1, per_request // 4), 1)))


def split_evenly(texts: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """The texts in order, in parts of `size`; the last part may be smaller."""
    rest = iter(texts)
    while some := tuple(islice(rest, size)):
        yield some


def _name_words(name: str) -> set[str]:
    return {
        word.text.casefold()
        for word in words(name)
        if word.is_word and len(word.text) > 1 and word.text.casefold() not in TITLES
    }
