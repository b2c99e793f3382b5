"""Adapter to the openai client: chat completions with retries, from any compatible server.

The client's own retries are off: they can't be ended when the job stops, wait at most 8 seconds where a server names
none, don't try half an answer again, and don't hold the other requests back when one is told to slow down.
"""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.prompting import FORMATS, PLAIN_FORMAT, form_of_answer
from queries.rewriting.rewriters.reading import clip, storable

T = TypeVar("T")
HOME = "https://api.openai.com/v1"
SHORTEST_KEY = 8
"""Characters of a key that is one; local servers take any word."""
TOPS = (20, 5, 0)
"""How many of the likeliest tokens a server may tell at each place, the best first: some tell few, some none."""
Messages = Sequence[Mapping[str, Any]]
"""Of a chat; the content of each is a text, or parts of which some are pictures."""


@dataclass(frozen=True)
class Patience:
    """Limits of asking: descriptions per request, concurrent requests, tries, seconds."""

    per_request: int = 20
    concurrency: int = 8
    tries: int = 6
    timeout: float = 60.0
    first_pause: float = 1.0
    longest_pause: float = 60.0
    longest_wait: float = 600.0
    """A server that asks for more, in Retry-After, stops the job."""
    failures_in_a_row: int = 5
    """Requests given up one after the other, without an answer between, that stop the job."""
    poll: float = 60.0
    """Between two looks at a batch."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The response to one request."""

    content: str
    refusal: str = ""
    finish_reason: str = ""
    model: str = ""
    fingerprint: str = ""
    request_id: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    tries: int = 1
    seeded: bool = True
    """Whether the server took the seed."""
    answer: Any = field(default=None, repr=False, compare=False)
    """All of it, as the client read it."""


class Declined(Exception):
    """The server refuses this request but answers others; `about_content`: by a content filter, or as too long."""

    def __init__(self, problem: str, *, about_content: bool) -> None:
        super().__init__(problem)
        self.about_content = about_content


class GaveUp(Exception):
    """No answer after all `tries`; other requests may go on."""

    def __init__(self, problem: str, tries: int) -> None:
        super().__init__(problem)
        self.tries = tries


class Halted(Exception):
    """The job was stopped before this request was answered."""


class HalfAnswer(Exception):
    """The server's answer broke off."""


@dataclass
class Chat:
    """Chat completions of one model; safe to use from many threads."""

    model: str
    api_key: str = field(repr=False)
    base_url: str | None = None
    patience: Patience = field(default_factory=Patience)
    answer_format: str = FORMATS[0]
    """What the server supports, as far as its answers have told."""
    states_format: bool = True
    """Whether requests state it: those for captions one a line don't."""
    tops: int = 0
    """How many of the likeliest tokens are asked for at each place, as far as the server's answers have told."""
    key_from: str = "OPENAI_API_KEY"
    """Where the key was set, for messages."""
    halted: Event = field(default_factory=Event, repr=False)
    """Set: nothing more is sent, and nobody waits."""
    _client: Any = field(default=None, init=False, repr=False)
    _seeds: bool = field(default=True, init=False, repr=False)
    _limits: bool = field(default=True, init=False, repr=False)
    """Whether the server takes `max_tokens`; models that think before they answer don't."""
    _answered: bool = field(default=False, init=False, repr=False)
    """Whether the server has answered a request well."""
    _reached: bool = field(default=False, init=False, repr=False)
    """Whether the server has said anything yet."""
    _given_up: int = field(default=0, init=False, repr=False)
    """Requests given up since the last good answer."""
    _not_before: float = field(default=0.0, init=False, repr=False)
    """When the server wants to hear from us again, on the monotonic clock."""
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @property
    def place(self) -> str:
        """The server's address, without a user or password that may stand in it."""
        return place_of(self.base_url)

    def client(self) -> Any:
        """The openai client, made at the first call."""
        with self._lock:
            if self._client is None:
                import openai

                # Without an address the library would take the environment's, which this key wasn't given for.
                self._client = openai.OpenAI(
                    api_key=self.api_key,
                    base_url=self.base_url or HOME,
                    timeout=self.patience.timeout,
                    max_retries=0,
                    http_client=openai.DefaultHttpxClient(follow_redirects=False),
                )
            return self._client

    def complete(self, messages: Messages, *, temperature: float, seed: int, longest: int) -> Completion:
        """The model's answer, of at most `longest` tokens; tries again while that can help and the job goes on.

        Raises: RewriterError when the whole job can't go on (wrong key, unknown model, no money, no server);
            Declined when this request is refused; GaveUp after all tries; Halted when the job was stopped.
        """
        return self._persist(
            lambda tries: self._send(messages, temperature, seed, longest, tries), self.verdict, adapts=True
        )

    def insist(self, call: Callable[[], T]) -> T:
        """Call the client with retries, for what the job can't do without, such as an upload.

        Raises: RewriterError when it is refused, can't be had, or the job was stopped.
        """
        try:
            return self._persist(lambda _: call(), self._refusal, adapts=False)
        except (Declined, GaveUp) as problem:
            raise RewriterError(str(problem)) from problem
        except Halted as problem:
            raise RewriterError("The job was stopped.") from problem

    def learns_from(self, status: int, message: str) -> bool:
        """Record unsupported features from an answer within a batch; return whether there were any."""
        return self._adapt(status, message, self._features)

    def _persist(self, call: Callable[[int], T], verdict: Callable[[Any], str], *, adapts: bool) -> T:
        import openai

        problem, tries = "", 0
        while tries < self.patience.tries:
            self._wait(self._pause(tries) if tries else 0.0)
            tries += 1
            sent = self._features
            try:
                answer = call(tries)
            except openai.APIStatusError as error:
                self._reached = True
                if adapts and self._adapt(error.status_code, f"{error} {getattr(error, 'param', '')}", sent):
                    tries -= 1
                    continue
                problem = self._judge(error, verdict)
            except openai.APIConnectionError as error:
                problem = f"The server at {self.place} did not answer: {self._short(error)}"
            except (openai.APIError, HalfAnswer, ValueError) as error:
                self._reached = True
                problem = f"The server's answer was incomplete: {self._short(error)}"
            else:
                self._answered, self._reached, self._given_up = True, True, 0
                return answer
        self._given_up += 1
        if not self._reached or self._given_up >= self.patience.failures_in_a_row:
            raise RewriterError(f"{problem} (gave up after {tries} tries)")
        raise GaveUp(problem, tries)

    @property
    def _features(self) -> tuple[str, bool, bool, int]:
        """The features that requests use now: answer format, seed or not, token limit or not, likeliest tokens."""
        return self.answer_format, self._seeds, self._limits, self.tops

    def body(self, messages: Messages, temperature: float, seed: int, longest: int) -> dict[str, Any]:
        """A request's parameters in the form this server supports."""
        options: dict[str, Any] = {"seed": seed} if self._seeds else {}
        if self._limits:
            # A weak model that doesn't find the end would fill its whole context, and all of it is paid for.
            options["max_tokens"] = longest
        if self.tops:
            options |= {"logprobs": True, "top_logprobs": self.tops}
        return {
            "model": self.model,
            "messages": list(messages),
            "temperature": temperature,
            **options,
            **form_of_answer(self.answer_format if self.states_format else PLAIN_FORMAT),
        }

    def verdict(self, error: Any) -> str:
        """What an error means for the whole job, in a sentence."""
        if error.status_code == 404:
            return f"The server at {self.place} doesn't know the model {self.model!r} (404): {self._short(error)}"
        return self._refusal(error)

    def _refusal(self, error: Any) -> str:
        if error.status_code in (401, 403):
            return f"The server at {self.place} refuses the key in {self.key_from} ({error.status_code})."
        if 300 <= error.status_code < 400:
            return f"The server at {self.place} leads elsewhere ({error.status_code}), and redirects aren't followed."
        return f"The server at {self.place} refuses the request ({error.status_code}): {self._short(error)}"

    def _short(self, error: Exception) -> str:
        """What an error says, cut; a server that repeats the key in it doesn't get it into messages."""
        message = str(error)
        if len(self.api_key) >= SHORTEST_KEY:
            message = message.replace(self.api_key, "…")
        return clip(message) or type(error).__name__

    def _send(self, messages: Messages, temperature: float, seed: int, longest: int, tries: int) -> Completion:
        seeded = self._seeds
        answer = self.client().chat.completions.create(**self.body(messages, temperature, seed, longest))
        return read_completion(answer, request_id=getattr(answer, "_request_id", None), tries=tries, seeded=seeded)

    def _wait(self, pause: float) -> None:
        """Wait for the pause and for any Retry-After. Raises: Halted."""
        until = time.monotonic() + pause
        while not self.halted.is_set():
            until = max(until, self._not_before)
            left = until - time.monotonic()
            if left <= 0:
                return
            self.halted.wait(left + random.uniform(0, 0.1 * self.patience.first_pause))
        raise Halted

    def _pause(self, tries: int) -> float:
        """Seconds before the next try: doubling, with jitter so that retries don't coincide."""
        doubled: float = self.patience.first_pause * 2 ** (tries - 1)
        return min(doubled, self.patience.longest_pause) * random.uniform(0.5, 1.0)

    def _adapt(self, status: int, message: str, sent: tuple[str, bool, bool, int]) -> bool:
        """Drop a feature that the server refused; return whether there was one to drop.

        Args: sent: `_features` as the refused request had them.
        """
        about = what_is_refused(status, message)
        with self._lock:
            if about and sent != self._features:
                return True
            if about == "tops" and self.tops:
                self.tops = TOPS[TOPS.index(self.tops) + 1]
                return True
            if about == "limit" and self._limits:
                self._limits = False
                return True
            if about == "seed" and self._seeds:
                self._seeds = False
                return True
            if about == "format" and self.answer_format != PLAIN_FORMAT:
                self.answer_format = FORMATS[FORMATS.index(self.answer_format) + 1]
                return True
        return False

    def _judge(self, error: Any, verdict: Callable[[Any], str]) -> str:
        """The problem, if another try may help. Raises: RewriterError, Declined."""
        if not _is_passing(error):
            about_content = _is_about_content(error)
            if error.status_code in (400, 413, 422) and (self._answered or about_content):
                problem = f"The server refuses this request ({error.status_code}): {self._short(error)}"
                raise Declined(problem, about_content=about_content)
            raise RewriterError(verdict(error))
        asked = _retry_after(error)
        if asked is not None:
            if asked > self.patience.longest_wait:
                raise RewriterError(
                    f"The server at {self.place} asks to wait {asked:,.0f} s "
                    f"({error.status_code}: {self._short(error)}). Start again then."
                )
            # Whoever is told to slow down speaks for all.
            self._not_before = max(self._not_before, time.monotonic() + asked)
        return f"The server at {self.place} answered {error.status_code}: {self._short(error)}"


def place_of(base_url: str | None) -> str:
    """A server's address for people, without a user or password that may stand in it; OpenAI's for none."""
    parts = urlsplit(base_url or HOME)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def what_is_refused(status: int, message: str) -> str:
    """The feature that an error refuses: "tops", "format", "limit", "seed", or "" for none of them."""
    message = message.casefold()
    if status in (400, 404, 415, 422, 500, 501) and "logprobs" in message:
        return "tops"
    if status == 500:
        # llama-cpp-python's server answers 500 to an answer format that it doesn't know, with the field's name in it.
        return "format" if "response_format" in message else ""
    if status not in (400, 404, 415, 422, 501):
        return ""
    if any(word in message for word in ("response_format", "json_", "schema", "structured", "grammar")):
        return "format"
    if "max_tokens" in message:
        return "limit"
    return "seed" if "seed" in message else ""


def read_completion(answer: Any, *, request_id: str | None = None, tries: int = 1, seeded: bool = True) -> Completion:
    """Convert a chat completion of the openai client. Raises: HalfAnswer (try again) when it has no choices."""
    choices = getattr(answer, "choices", None)
    if not choices or getattr(choices[0], "message", None) is None:
        problem = getattr(answer, "error", None)
        raise HalfAnswer(f"it has no choices{f': {problem}' if problem else ''}")
    choice, usage = choices[0], getattr(answer, "usage", None)
    return Completion(
        content=storable(str(choice.message.content or "")),
        refusal=storable(str(getattr(choice.message, "refusal", None) or "")),
        finish_reason=str(choice.finish_reason or "")[:40],
        model=str(getattr(answer, "model", None) or "")[:200],
        fingerprint=str(getattr(answer, "system_fingerprint", None) or "")[:200],
        request_id=str(request_id or getattr(answer, "id", None) or "")[:200],
        tokens_in=_count(usage, "prompt_tokens"),
        tokens_out=_count(usage, "completion_tokens"),
        tries=tries,
        seeded=seeded,
        answer=answer,
    )


def _count(usage: Any, name: str) -> int | None:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value >= 0 else None


def _is_passing(error: Any) -> bool:
    """Whether waiting may resolve an error; for an account without credit it doesn't."""
    if "insufficient_quota" in str(error):
        return False
    return error.status_code in (408, 409, 425, 429) or error.status_code >= 500


def _is_about_content(error: Any) -> bool:
    """Whether an error is about the content of these descriptions."""
    message = f"{error} {getattr(error, 'code', '')}".casefold()
    return error.status_code == 413 or any(
        word in message
        for word in ("content_filter", "content_policy", "content management", "context_length", "context length")
    )


def _retry_after(error: Any) -> float | None:
    """The seconds to wait by `retry-after-ms`, or `retry-after` as a number or date."""
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) / unit)
        except (KeyError, ValueError):
            continue
    try:
        at = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    return max(0.0, at.timestamp() - time.time())
