"""The LLM rewriter: chat completions with several descriptions per request."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event

from queries.language.spoken import EVERY
from queries.rewriting.rewriters.chat import Chat, Completion, Declined, GaveUp, Halted, Patience
from queries.rewriting.rewriters.in_flight import Flight
from queries.rewriting.rewriters.interface import RewriterError, Rewritten, SourceDescription
from queries.rewriting.rewriters.prompting import Request, Wording, ladder, longest_answer, split_evenly
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
    languages: Sequence[str] = field(default=(EVERY,), init=False)
    chat: Chat = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.prompt_version = self.wording.prompt_version
        self.chat = Chat(self.model, self.api_key, self.base_url, self.patience)

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
            wording=wording or Wording(),
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
        return judge(request, completion)

    def flight(self) -> Flight[Request, RequestOutcome]:
        """A new flight for this rewriter's requests; clears an earlier halt."""
        self.chat.halted = Event()
        return Flight(self.ask, most=self.patience.concurrency, halted=self.chat.halted)

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


def judge(request: Request, completion: Completion) -> RequestOutcome:
    """The result for each description of a request, from its completion."""
    captions = read_answer(
        completion.content, request.ids, refusal=completion.refusal, finish_reason=completion.finish_reason
    )
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
