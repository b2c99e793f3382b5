"""The LLM rewriter: chat completions with several descriptions per request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event

from queries.rewriting.rewriters.chat import Chat, Completion, Declined, GaveUp, Halted, Patience
from queries.rewriting.rewriters.in_flight import Flight
from queries.rewriting.rewriters.interface import RewriterError
from queries.rewriting.rewriters.prompting import Request, Wording, longest_answer, prompt_version
from queries.rewriting.rewriters.reading import CaptionsById, read_answer

DEFAULT_MODEL = "gpt-4o-mini"


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """The outcome of one request: a completion or a problem; `halted` means that it may never have been sent."""

    request: Request
    completion: Completion | None
    captions: CaptionsById
    """By id."""
    problem: str = ""
    tries: int = 1
    declined: bool = False
    """Whether the server refused this very request."""
    halted: bool = False


@dataclass
class OpenAIRewriter:
    """Asks a chat model for captions; a fault costs only the descriptions that it touches."""

    model: str
    api_key: str = field(repr=False)
    base_url: str | None = None
    patience: Patience = field(default_factory=Patience)
    wording: Wording = field(default_factory=Wording, repr=False)
    name: str = field(default="openai", init=False)
    prompt_version: str = field(init=False)
    chat: Chat = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.prompt_version = self.wording.prompt_version
        self.chat = Chat(self.model, self.api_key, self.base_url, self.patience)
        self.chat.states_format = not self.wording.by_lines

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], wording: Wording | None = None) -> OpenAIRewriter:
        """Reads OPENAI_API_KEY, OPENAI_BASE_URL and REWRITER_MODEL, and the REWRITER_ settings of its patience.

        Raises: RewriterError for a setting that can't be read.
        """
        return cls(
            model=environ.get("REWRITER_MODEL", "").strip() or DEFAULT_MODEL,
            api_key=environ["OPENAI_API_KEY"].strip(),
            base_url=environ.get("OPENAI_BASE_URL", "").strip() or None,
            patience=patience_from(environ),
            wording=wording or Wording(prompt_version=prompt_version("faithful", environ)),
        )

    def ask(self, request: Request) -> RequestOutcome:
        """Send one request. Raises: RewriterError when the whole job can't go on."""
        ids = request.ids
        try:
            completion = self.chat.complete(
                self.wording.messages(request),
                temperature=request.temperature,
                seed=request.seed,
                longest=longest_answer(request),
            )
        except Halted:
            return RequestOutcome(request, None, {}, halted=True)
        except (Declined, GaveUp) as problem:
            captions: CaptionsById = dict.fromkeys(ids, (None, str(problem)))
            tries, declined = getattr(problem, "tries", 1), isinstance(problem, Declined)
            return RequestOutcome(request, None, captions, str(problem), tries, declined=declined)
        return judge(request, completion, by_lines=self.wording.by_lines)

    def flight(self) -> Flight[Request, RequestOutcome]:
        """A new flight for this rewriter's requests; clears an earlier halt."""
        self.chat.halted = Event()
        return Flight(self.ask, most=self.patience.concurrency, halted=self.chat.halted)


def judge(request: Request, completion: Completion, *, by_lines: bool) -> RequestOutcome:
    """The result for each description of a request, from its completion. Args: by_lines: as in `read_answer`."""
    said = {"refusal": completion.refusal, "finish_reason": completion.finish_reason}
    captions = read_answer(completion.content, request.ids, **said, by_lines=by_lines)
    problems = dict.fromkeys(error for _, error in captions.values() if error)
    return RequestOutcome(request, completion, captions, " ".join(problems)[:1000], completion.tries)


def patience_from(environ: Mapping[str, str]) -> Patience:
    """Limits of asking from REWRITER_PER_REQUEST, _CONCURRENCY, _TRIES, _TIMEOUT and _POLL.

    Raises: RewriterError for one that is no number in its range.
    """
    usual = Patience()
    return Patience(
        per_request=int(number_from(environ, "REWRITER_PER_REQUEST", usual.per_request, 1, 200, whole=True)),
        concurrency=int(number_from(environ, "REWRITER_CONCURRENCY", usual.concurrency, 1, 256, whole=True)),
        tries=int(number_from(environ, "REWRITER_TRIES", usual.tries, 1, 100, whole=True)),
        timeout=number_from(environ, "REWRITER_TIMEOUT", usual.timeout, 0.1, 3600),
        first_pause=number_from(environ, "REWRITER_FIRST_PAUSE", usual.first_pause, 0, 60),
        poll=number_from(environ, "REWRITER_POLL", usual.poll, 0.01, 3600),
    )


def number_from(
    environ: Mapping[str, str], name: str, usual: float, least: float, most: float, *, whole: bool = False
) -> float:
    """A number from the environment. Raises: RewriterError naming what was found and expected."""
    text = environ.get(name, "").strip()
    if not text:
        return usual
    try:
        value = float(int(text) if whole else float(text))
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        kind = "a whole number" if whole else "a number"
        raise RewriterError(f"{name} is {text!r}, expected {kind} from {least:g} to {most:g}.")
    return value
