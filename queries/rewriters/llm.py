"""The rewriter with an LLM: any server that speaks OpenAI's chat completions, many descriptions a request."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Event, Lock
from typing import Any

from queries.rewriters import RewriterError, Rewritten, Source

PROMPT_VERSION = "imprecise-v1"
PROMPTS = Path(__file__).parents[1] / "prompts"
DEFAULT_MODEL = "gpt-4o-mini"

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


@dataclass(frozen=True)
class Patience:
    """How hard to try: requests at once, tries per request, seconds."""

    batch_size: int = 20
    concurrency: int = 4
    tries: int = 6
    timeout: float = 60.0
    first_pause: float = 1.0
    longest_pause: float = 60.0


@dataclass
class OpenAIRewriter:
    """Asks a chat model for captions; a fault costs only the descriptions that it touches."""

    model: str
    api_key: str = field(repr=False)
    base_url: str | None = None
    patience: Patience = field(default_factory=Patience)
    name: str = field(default="openai", init=False)
    prompt_version: str = field(default=PROMPT_VERSION, init=False)
    _client: Any = field(default=None, init=False, repr=False)
    _plain: bool = field(default=False, init=False, repr=False)
    """Whether the server refused structured output."""
    _reached: bool = field(default=False, init=False, repr=False)
    """Whether the server has answered anything yet."""
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> OpenAIRewriter:
        """Reads OPENAI_API_KEY, OPENAI_BASE_URL and REWRITER_MODEL."""
        return cls(
            model=environ.get("REWRITER_MODEL", "").strip() or DEFAULT_MODEL,
            api_key=environ["OPENAI_API_KEY"].strip(),
            base_url=environ.get("OPENAI_BASE_URL", "").strip() or None,
        )

    def rewrite(self, sources: Sequence[Source], *, temperature: float, seed: int) -> list[Rewritten]:
        """One answer per source, in the order of the sources; equal texts are asked once.

        Raises: RewriterError at once for a wrong key, an unknown model or a refused request, and after all
            tries when the server cannot be reached at all.
        """
        asked = {text: str(number) for number, text in enumerate(dict.fromkeys(s.text for s in sources), start=1)}
        items = list(asked.items())
        size = self.patience.batch_size
        batches = [dict(items[at : at + size]) for at in range(0, len(items), size)]
        answers: dict[str, tuple[str | None, str]] = {}
        stopped = Event()
        pool = ThreadPoolExecutor(max_workers=self.patience.concurrency)
        try:
            jobs = [pool.submit(self._ask, batch, temperature, seed, stopped) for batch in batches]
            done, _ = wait(jobs, return_when=FIRST_EXCEPTION)
            for job in sorted(done, key=jobs.index):
                answers.update(job.result())
        finally:
            stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
        return [Rewritten(source.id, *answers[source.text]) for source in sources]

    def _ask(
        self, batch: Mapping[str, str], temperature: float, seed: int, stopped: Event
    ) -> dict[str, tuple[str | None, str]]:
        """Text -> (caption or None, error) for one request."""
        request = [{"id": id_, "text": text} for text, id_ in batch.items()]
        try:
            content = self._complete(_body(request), temperature, seed, stopped)
        except RewriterError:
            stopped.set()
            raise
        except _GaveUp as problem:
            return dict.fromkeys(batch, (None, str(problem)))
        found = read_captions(content, batch.values())
        return {text: found[id_] for text, id_ in batch.items()}

    def _complete(self, request: str, temperature: float, seed: int, stopped: Event) -> str:
        """The model's answer as text; tries again while that can help and the job goes on."""
        import openai

        problem = ""
        for attempt in range(self.patience.tries):
            if stopped.is_set():
                raise _GaveUp("The job was stopped before this was asked.")
            try:
                return self._send(request, temperature, seed)
            except openai.APIConnectionError as error:
                problem = f"The server at {self._place()} did not answer: {_short(error)}"
                pause = None
            except openai.APIStatusError as error:
                self._reached = True
                if not _is_passing(error):
                    raise RewriterError(self._verdict(error)) from error
                problem = f"The server answered {error.status_code}: {_short(error)}"
                pause = _retry_after(error)
            except (openai.APIError, _HalfAnswer, ValueError) as error:
                self._reached = True
                problem = f"The server's answer was incomplete: {_short(error)}"
                pause = None
            if attempt + 1 < self.patience.tries:
                stopped.wait(self._pause(attempt, pause))
        if not self._reached:
            raise RewriterError(f"{problem} (gave up after {self.patience.tries} tries)")
        raise _GaveUp(problem)

    def _send(self, request: str, temperature: float, seed: int) -> str:
        import openai

        structured = not self._plain
        options: dict[str, Any] = {"temperature": temperature, "seed": seed}
        if structured:
            options["response_format"] = {"type": "json_schema", "json_schema": _SCHEMA}
        messages = [{"role": "system", "content": prompt()}, {"role": "user", "content": request}]
        try:
            answer = self._connected().chat.completions.create(model=self.model, messages=messages, **options)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if structured and _is_about_format(error):
                self._plain = True
                return self._send(request, temperature, seed)
            raise
        choices = getattr(answer, "choices", None)
        if not choices:
            raise _HalfAnswer("it has no choices")
        self._reached = True
        message = choices[0].message
        return str((message.content if message else "") or getattr(message, "refusal", None) or "")

    def _connected(self) -> Any:
        with self._lock:
            if self._client is None:
                import openai

                self._client = openai.OpenAI(
                    api_key=self.api_key,
                    base_url=self.base_url,
                    timeout=self.patience.timeout,
                    max_retries=0,
                )
            return self._client

    def _pause(self, attempt: int, asked: float | None) -> float:
        """Seconds before the next try: what the server asked for, else doubling, with jitter on top."""
        longest = self.patience.longest_pause
        if asked is not None:
            return min(asked, longest) + random.uniform(0, 0.1 * self.patience.first_pause)
        doubled: float = self.patience.first_pause * 2**attempt
        return min(doubled, longest) * random.uniform(0.5, 1.0)

    def _place(self) -> str:
        return self.base_url or "https://api.openai.com/v1"

    def _verdict(self, error: Any) -> str:
        if error.status_code in (401, 403):
            return f"The server at {self._place()} refuses the key in OPENAI_API_KEY ({error.status_code})."
        if error.status_code == 404:
            return f"The server at {self._place()} doesn't know the model {self.model!r} (404)."
        return f"The server at {self._place()} refuses the request ({error.status_code}): {_short(error)}"


class _GaveUp(Exception):
    """One request failed for good; the others may go on."""


class _HalfAnswer(Exception):
    """The server's answer broke off."""


@lru_cache(maxsize=1)
def prompt() -> str:
    """The instructions, as versioned in `queries/prompts`."""
    return (PROMPTS / f"{PROMPT_VERSION}.txt").read_text(encoding="utf-8").strip()


def read_captions(content: str, ids: Iterable[str]) -> dict[str, tuple[str | None, str]]:
    """The captions in a model's answer, matched by id.

    Args: content: JSON as asked for, or with prose or a code fence around it, or broken off at its end;
        ids: those that were asked.
    Returns: for every id asked (caption, "") or (None, why); ids that were not asked are ignored.
    """
    entries = _entries(content)
    wanted = list(ids)
    if entries is None:
        why = "The answer is not the JSON asked for: " + (_clip(content) or "it is empty")
        return dict.fromkeys(wanted, (None, why))
    times = Counter(id_ for id_, _ in entries)
    captions = dict(entries)
    found: dict[str, tuple[str | None, str]] = {}
    for id_ in wanted:
        caption = captions.get(id_)
        if not times[id_]:
            found[id_] = None, "The answer leaves this description out."
        elif times[id_] > 1:
            found[id_] = None, "The answer has this description twice."
        elif not isinstance(caption, str) or not caption.strip():
            found[id_] = None, "The answer's caption is empty."
        else:
            found[id_] = " ".join(caption.split()), ""
    return found


def _entries(content: str) -> list[tuple[str, Any]] | None:
    """(id, caption) of every entry, however the model wrapped them; None when there is none to be read."""
    for candidate in _readings(content):
        listed = candidate
        if isinstance(candidate, dict):
            listed = next((value for value in candidate.values() if isinstance(value, list)), None)
            if listed is None and "id" in candidate:
                listed = [candidate]
            elif listed is None and candidate and all(isinstance(v, str) for v in candidate.values()):
                listed = [{"id": key, "caption": value} for key, value in candidate.items()]
        if isinstance(listed, list):
            rows = [row for row in listed if isinstance(row, dict) and "id" in row]
            if rows or listed == []:
                return [(str(row["id"]).strip(), row.get("caption", row.get("text"))) for row in rows]
    loose = [json.loads(part) for part in re.findall(r"\{[^{}]*\}", content) if _is_json(part)]
    rows = [row for row in loose if "id" in row]
    return [(str(row["id"]).strip(), row.get("caption", row.get("text"))) for row in rows] or None


def _readings(content: str) -> Iterable[Any]:
    """The answer as JSON: as it is, inside a code fence, and from its first bracket to its last."""
    tries = [content, *re.findall(r"```(?:json)?\s*(.*?)```", content, flags=re.DOTALL)]
    for opening, closing in ("{}", "[]"):
        start, end = content.find(opening), content.rfind(closing)
        if 0 <= start < end:
            tries.append(content[start : end + 1])
    for text in tries:
        if _is_json(text):
            yield json.loads(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _body(request: Sequence[Mapping[str, str]]) -> str:
    return json.dumps({"descriptions": request}, ensure_ascii=False)


def _is_passing(error: Any) -> bool:
    """Whether a refusal may pass by itself; an account without money doesn't fill up by waiting."""
    if "insufficient_quota" in str(error):
        return False
    return error.status_code in (408, 409, 425, 429) or error.status_code >= 500


def _is_about_format(error: Any) -> bool:
    """Whether a server refuses structured output, as some do without naming the parameter."""
    told = f"{error} {getattr(error, 'param', '')}".casefold()
    return any(word in told for word in ("response_format", "json_schema", "schema", "structured", "grammar"))


def _retry_after(error: Any) -> float | None:
    try:
        return max(0.0, float(error.response.headers.get("retry-after", "")))
    except ValueError:
        return None


def _short(error: Exception) -> str:
    return _clip(str(error)) or type(error).__name__


def _clip(text: str, length: int = 200) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
