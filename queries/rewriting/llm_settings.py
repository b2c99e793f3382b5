"""Which LLM rewrites a collection's descriptions: its own choice, the installation's default, the environment.

The three are put together as one environment under the variables' names, which is what rewriters, prices and limits
are read from. An address comes from an owner of the installation alone, a key goes only to the server it was given for,
and prices hold only for the model that they were given with. Prices and limit of the site's key are the site's: a
collection sets prices for its own key alone, and with the site's a lower limit, never a higher one.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from foundation.infra.sealed import SealBroken, unseal
from foundation.models import Collection
from queries.models import LlmChoice, LlmServer
from queries.models.llm import LlmTerms
from queries.rewriting.costs import limit_from
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.llm import DEFAULT_MODEL

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
    """What holds, with where each value comes from."""

    values: Mapping[str, str] = field(repr=False)
    """The environment with all of it, the key too: nothing of it is shown but by `shown`."""
    origin: Mapping[str, str]
    """By the names of `VARIABLES`: one of the FROM_ words, or USUAL where nobody set it."""
    by_rules: bool
    key_end: str
    problem: str
    """Why the key can't be read; empty: it can, or there is none."""
    by_site_key: bool
    """Whether the key is the site's, and so are prices and limit."""
    site_limit: str

    @property
    def ceiling(self) -> Decimal | None:
        """What a run may cost at most, whatever the collection says; None: that is for the collection to say.

        Raises: RewriterError if it is no amount.
        """
        return limit_from({"REWRITER_LIMIT": self.site_limit}) if self.by_site_key else None

    @property
    def key_from(self) -> str:
        """Where the key was set, for messages."""
        where = self.origin["key"]
        return f"the settings of the {where}" if where in (FROM_INSTALLATION, FROM_COLLECTION) else VARIABLES["key"]

    @property
    def environ(self) -> Mapping[str, str]:
        """What rewriter, prices and limit are read from. Raises: RewriterError if the key can't be read."""
        if self.problem:
            raise RewriterError(self.problem)
        return self.values

    @property
    def is_remote(self) -> bool:
        """Whether an LLM rewrites."""
        return bool(self.values.get("OPENAI_API_KEY", "").strip())

    @property
    def shown(self) -> dict[str, dict[str, str]]:
        """Each value with its origin, for pages: {name: {"value", "origin", "variable"}}; of the key its end."""
        values = {name: self.values.get(variable, "").strip() for name, variable in VARIABLES.items()}
        values["key"] = f"…{self.key_end}" if self.key_end else ""
        return {
            name: {"value": values[name], "origin": self.origin[name], "variable": VARIABLES[name]}
            for name in VARIABLES
        }


def llm_settings(collection: Collection | None = None, *, model: str = "") -> LlmSettings:
    """What holds for a collection, or for those that chose nothing.

    Args: model: asked instead of the one that rewrites, for something else, whoever rewrites.
    """
    choice = LlmChoice.objects.select_related("server").filter(collection=collection).first() if collection else None
    server = (choice and choice.server) or LlmServer.objects.filter(is_default=True).first()
    gathered = _GatheredSettings()
    if server is not None:
        gathered.take_server(server)
    if choice is not None:
        gathered.take_choice(choice)
    if model:
        gathered.take_model(model)
    by_rules = not model and choice is not None and choice.rewriter == LlmChoice.Rewriter.RULES
    return gathered.settings(by_rules=by_rules)


def server_settings(server: LlmServer) -> LlmSettings:
    """What holds where a server of the installation is asked as it was set."""
    gathered = _GatheredSettings()
    gathered.take_server(server)
    return gathered.settings()


class _GatheredSettings:
    """Values with their origins, gathered from the environment on."""

    def __init__(self) -> None:
        self.values = dict(os.environ)
        self.origin = {name: FROM_ENVIRONMENT if self._of(name) else USUAL for name in VARIABLES}
        self.problem = ""
        self.site_limit = self._of("limit")

    @property
    def by_site_key(self) -> bool:
        return self.origin["key"] in (FROM_ENVIRONMENT, FROM_INSTALLATION)

    def take_server(self, server: LlmServer) -> None:
        # All of it: the environment's key, model and prices belong to the environment's server.
        for name in ("address", "model", "price_in", "price_out"):
            self._put(name, _as_text(getattr(server, name)), FROM_INSTALLATION)
        self._take_key(server, FROM_INSTALLATION)
        if not server.key:
            self.values["OPENAI_API_KEY"] = NO_KEY
            self.origin["key"] = USUAL
        if server.limit is not None:
            self._put("limit", _as_text(server.limit), FROM_INSTALLATION)
            self.site_limit = self._of("limit")

    def take_model(self, model: str) -> None:
        if model != (self._of("model") or DEFAULT_MODEL):
            for name in ("price_in", "price_out"):
                self._put(name, "", USUAL)
        self._put("model", model, FROM_COLLECTION)

    def take_choice(self, choice: LlmChoice) -> None:
        if choice.model:
            self.take_model(choice.model)
        if choice.key and choice.key_address == self._of("address"):
            self._take_key(choice, FROM_COLLECTION)
        if choice.price_in is not None and choice.price_out is not None and not self.by_site_key:
            self._put("price_in", _as_text(choice.price_in), FROM_COLLECTION)
            self._put("price_out", _as_text(choice.price_out), FROM_COLLECTION)
        ceiling = self.settings().ceiling
        if choice.limit is not None and (ceiling is None or choice.limit < ceiling):
            self._put("limit", _as_text(choice.limit), FROM_COLLECTION)

    def settings(self, *, by_rules: bool = False) -> LlmSettings:
        key = self._of("key")
        if by_rules:
            self.values.pop("OPENAI_API_KEY", None)
        return LlmSettings(
            values=self.values,
            origin=self.origin,
            by_rules=by_rules,
            key_end="" if key == NO_KEY else end_of(key),
            problem="" if by_rules else self.problem,
            by_site_key=self.by_site_key,
            site_limit=self.site_limit,
        )

    def _take_key(self, terms: LlmTerms, where: str) -> None:
        if not terms.key:
            return
        try:
            key, self.problem = unseal(terms.key), ""
        except SealBroken as broken:
            # Neither rules nor another's key take its place unasked.
            key, self.problem = NO_KEY, str(broken)
        self._put("key", key, where)

    def _of(self, name: str) -> str:
        return self.values.get(VARIABLES[name], "").strip()

    def _put(self, name: str, value: str, where: str) -> None:
        self.values[VARIABLES[name]] = value
        self.origin[name] = where if value else USUAL


def _as_text(value: str | Decimal | None) -> str:
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value or ""


def end_of(key: str) -> str:
    """The last four characters of a key that is long enough not to be told by them."""
    return key[-4:] if len(key) >= 12 else ""


def environ_of(collection: Collection) -> Mapping[str, str]:
    """What the collection's rewriter, prices and limit are read from. Raises: RewriterError if a key can't be read."""
    return llm_settings(collection).environ
