"""Which LLM rewrites a collection's descriptions: its own choice, the installation's default, the environment.

The three are put together as one environment under the variables' names, which is what rewriters, prices and limits
are read from. An address comes from an owner of the installation alone, a key goes only to the server it was given for,
and prices hold only for the model that they were given with.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from corpus.infra.sealed import SealBroken, unseal
from corpus.models import Collection
from queries.models import LlmChoice, LlmServer
from queries.models.llm import LlmTerms
from queries.rewriting.rewriters.interface import RewriterError

NO_KEY = "none"
"""Sent to a server that was set without a key: local ones take any word."""
FROM_ENVIRONMENT, FROM_INSTALLATION, FROM_COLLECTION = "environment", "installation", "collection"
USUAL = "usual"
VARIABLES = {
    "address": "OPENAI_BASE_URL",
    "model": "REWRITER_MODEL",
    "key": "OPENAI_API_KEY",
    "price_in": "REWRITER_PRICE_IN",
    "price_out": "REWRITER_PRICE_OUT",
    "limit": "REWRITER_LIMIT",
}


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """What holds: `environ` with every value under its variable's name, and `origin`, where each comes from.

    `environ` has the key: it is for rewriters, and nothing of it is shown but by `shown`.
    """

    environ: Mapping[str, str]
    origin: Mapping[str, str]
    """By the names of `VARIABLES`: one of the FROM_ words, or USUAL where nobody set it."""
    by_rules: bool
    key_end: str

    @property
    def is_remote(self) -> bool:
        """Whether an LLM rewrites."""
        return bool(self.environ.get("OPENAI_API_KEY", "").strip())

    @property
    def shown(self) -> dict[str, dict[str, str]]:
        """Each value with where it comes from, for pages: {name: {"value", "origin", "variable"}}; of the key its end."""
        values = {name: self.environ.get(variable, "").strip() for name, variable in VARIABLES.items()}
        values["key"] = f"…{self.key_end}" if self.key_end else ""
        return {
            name: {"value": values[name], "origin": self.origin[name], "variable": VARIABLES[name]} for name in VARIABLES
        }


def llm_settings(collection: Collection | None = None) -> LlmSettings:
    """What holds for a collection, or for those that chose nothing. Raises: RewriterError if a key can't be read."""
    choice = LlmChoice.objects.select_related("server").filter(collection=collection).first() if collection else None
    server = (choice and choice.server) or LlmServer.objects.filter(is_default=True).first()
    environ = dict(os.environ)
    origin = {
        name: FROM_ENVIRONMENT if environ.get(variable, "").strip() else USUAL for name, variable in VARIABLES.items()
    }
    if server is not None:
        # All of it: the environment's key, model and prices belong to the environment's server.
        for name in ("address", "model", "key", "price_in", "price_out"):
            _put(environ, origin, name, _value(server, name), FROM_INSTALLATION)
        environ["OPENAI_API_KEY"] = environ.get("OPENAI_API_KEY") or NO_KEY
        if server.limit is not None:
            _put(environ, origin, "limit", str(server.limit), FROM_INSTALLATION)
    if choice is not None:
        _overlay(environ, origin, choice)
    key = environ.get("OPENAI_API_KEY", "").strip()
    key_end = "" if key == NO_KEY else end_of(key)
    by_rules = choice is not None and choice.rewriter == LlmChoice.Rewriter.RULES
    if by_rules:
        environ.pop("OPENAI_API_KEY", None)
    return LlmSettings(environ, origin, by_rules, key_end)


def _overlay(environ: dict[str, str], origin: dict[str, str], choice: LlmChoice) -> None:
    if choice.model:
        if choice.model != environ.get("REWRITER_MODEL", "").strip():
            for name in ("price_in", "price_out"):
                _put(environ, origin, name, "", USUAL)
        _put(environ, origin, "model", choice.model, FROM_COLLECTION)
    if choice.price_in is not None and choice.price_out is not None:
        for name in ("price_in", "price_out"):
            _put(environ, origin, name, _value(choice, name), FROM_COLLECTION)
    if choice.limit is not None:
        _put(environ, origin, "limit", str(choice.limit), FROM_COLLECTION)
    if choice.key and choice.key_address == environ.get("OPENAI_BASE_URL", "").strip():
        _put(environ, origin, "key", _value(choice, "key"), FROM_COLLECTION)


def _put(environ: dict[str, str], origin: dict[str, str], name: str, value: str, where: str) -> None:
    environ[VARIABLES[name]] = value
    origin[name] = where if value else USUAL


def _value(terms: LlmTerms, name: str) -> str:
    value: Any = getattr(terms, name)
    if name == "key" and value:
        try:
            return unseal(value)
        except SealBroken as broken:
            raise RewriterError(str(broken)) from broken
    return "" if value is None else str(value)


def end_of(key: str) -> str:
    """The last four characters of a key that is long enough not to be told by them."""
    return key[-4:] if len(key) >= 12 else ""


def environ_of(collection: Collection) -> Mapping[str, str]:
    """What the collection's rewriter, prices and limit are read from. Raises: RewriterError if a key can't be read."""
    return llm_settings(collection).environ
