"""A model that sees pictures, on a server of the OpenAI protocol: each moment is shown to it with the query."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Event, Lock
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from baselines.errors import BaselineError
from baselines.reading.videos import pictures_at
from baselines.reranking.answers import Answer, Task
from evaluation.errors import shown

INSTRUCTIONS = """You are shown pictures of one moment of a video, in the order of time, and a query that describes a \
moment. How well does the moment that you are shown match the query?

Answer with one digit from 0 to 9 and nothing else: 9 if everything that the query describes is to be seen, 0 if \
nothing of it is, and the digits between for parts of it."""
TOPS = 20
"""Of how many of the likeliest tokens in the answer's place the mean is taken, where the server tells them."""
FEWER_TOPS = 5
"""What some servers tell at most."""
LONGEST = 1024
"""Tokens of an answer: room for a model that thinks before it answers."""
TRIES = 6
TIMEOUT = 120.0
"""Seconds without an answer after which a request is sent again."""
SHORTEST_KEY = 8
"""Characters of a key that is taken out of messages; a shorter one is a placeholder."""
OPTIONS = {"logprobs": ("logprobs", "top_logprobs"), "max_tokens": ("max_tokens",), "temperature": ("temperature",)}
"""What is left out of requests, by the word in a server's refusal."""
CONTENT = ("content_filter", "content_policy", "content management", "context_length", "context length")
"""In a refusal: it is about this moment's pictures or query, not about all requests."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass
class Server:
    """Asks about each moment by itself, several at a time.

    Attributes: base_url: such as http://127.0.0.1:8000/v1. frames: pictures a moment. pixels: of a picture's longer
    side at most. at_once: requests.
    """

    base_url: str
    model: str
    videos: Mapping[str, Path]
    api_key: str = field(default="none", repr=False)
    instructions: str = INSTRUCTIONS
    frames: int = 4
    pixels: int = 512
    at_once: int = 4
    whole_queries: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        import openai

        self.asked_with: dict[str, Any] = {
            name: getattr(self, name) for name in ("model", "instructions", "frames", "pixels")
        }
        self._options: dict[str, Any] = {
            "temperature": 0, "max_tokens": LONGEST, "logprobs": True, "top_logprobs": TOPS,
        }  # fmt: skip
        parts = urlsplit(self.base_url)
        self._place = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        self._answered, self._halted, self._lock = False, Event(), Lock()
        self._client: Any = openai.OpenAI(
            api_key=self.api_key,
            base_url=self.base_url,
            timeout=TIMEOUT,
            max_retries=TRIES - 1,
            http_client=openai.DefaultHttpxClient(follow_redirects=False),
        )

    def answers(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Answer]]:
        """As they come. What was under way when one failed is waited for and given first.

        Raises: BaselineError if the server can't be asked, or a video can't be decoded.
        """
        todo, failed = iter(tasks), None
        flying: set[Future[tuple[Task, Answer] | None]] = set()
        with ThreadPoolExecutor(self.at_once) as pool:
            try:
                while True:
                    if failed is None:
                        flying |= {
                            pool.submit(self._ask, task) for task in islice(todo, 2 * self.at_once - len(flying))
                        }
                    if not flying:
                        break
                    done, flying = wait(flying, return_when=FIRST_COMPLETED)
                    for future in done:
                        if problem := future.exception():
                            failed = failed or problem
                            self._halted.set()
                        elif found := future.result():
                            yield found
            finally:
                self._halted.set()
        if failed is not None:
            raise failed

    def _ask(self, task: Task) -> tuple[Task, Answer] | None:
        """On a thread of its own; None where it was too late to send it."""
        if self._halted.is_set():
            return None
        (moment,) = task.moments
        step = (moment.end - moment.start) / self.frames
        times = [moment.start + (place + 0.5) * step for place in range(self.frames)]
        shown_pictures = pictures_at(self.videos[moment.video_name], times, self.pixels)
        return task, self._answer(messages(self.instructions, task.query.text, shown_pictures))

    def _answer(self, said: list[dict[str, Any]]) -> Answer:
        import openai

        while True:
            options = dict(self._options)
            try:
                reply = self._client.chat.completions.create(model=self.model, messages=said, **options)
            except openai.APIStatusError as error:
                if self._leaves_out(error, options):
                    continue
                return self._refused(error)
            except openai.APIConnectionError as error:
                raise BaselineError(
                    f"the server at {self._place} did not answer {TRIES} times ({self._short(error)}); the same "
                    "command goes on from here"
                ) from error
            except (openai.OpenAIError, ValueError) as error:
                raise BaselineError(f"the server at {self._place} gave no answer: {self._short(error)}") from error
            choices = getattr(reply, "choices", None)
            if not choices:
                raise BaselineError(f"the server at {self._place} gave an answer without choices: {shown(reply)}")
            self._answered = True
            content = str(choices[0].message.content or "")
            return Answer((score_of(content, _tokens(choices[0])),), content)

    def _leaves_out(self, error: Any, sent: Mapping[str, Any]) -> bool:
        """Whether the server refused an option that can be left out: then it is, from here on."""
        if error.status_code not in (400, 404, 415, 422, 500, 501):
            return False
        for word, names in OPTIONS.items():
            if word in str(error).casefold() and names[0] in sent:
                with self._lock:
                    if self._options.get(names[-1]) != sent[names[-1]]:
                        pass  # another request has been told the same
                    elif word == "logprobs" and sent["top_logprobs"] > FEWER_TOPS:
                        self._options["top_logprobs"] = FEWER_TOPS
                    else:
                        self._options = {name: value for name, value in self._options.items() if name not in names}
                return True
        return False

    def _refused(self, error: Any) -> Answer:
        """Without a score, if it is this moment alone that is refused. Raises: BaselineError otherwise."""
        status = error.status_code
        about_content = status == 413 or any(word in str(error).casefold() for word in CONTENT)
        if status in (400, 413, 422) and (self._answered or about_content):
            return Answer((None,), f"refused ({status}): {self._short(error)}")
        what = {401: "refuses the key", 403: "refuses the key", 404: f"doesn't know the model {self.model!r}"}
        raise BaselineError(
            f"the server at {self._place} {what.get(status, 'refuses the request')} ({status}: {self._short(error)}); "
            "the same command goes on from here"
        )

    def _short(self, error: Exception) -> str:
        message = str(error)
        return shown(message.replace(self.api_key, "…") if len(self.api_key) >= SHORTEST_KEY else message, 300)


def messages(instructions: str, query: str, pictures: Sequence[bytes]) -> list[dict[str, Any]]:
    """The chat about one moment. Args: pictures: JPEG, in the order of time."""
    parts: list[dict[str, Any]] = [{"type": "text", "text": f"Query: {query}"}]
    for picture in pictures:
        address = f"data:image/jpeg;base64,{base64.b64encode(picture).decode()}"
        parts.append({"type": "image_url", "image_url": {"url": address}})
    return [{"role": "system", "content": instructions}, {"role": "user", "content": parts}]


def score_of(content: str, tokens: Sequence[tuple[str, Sequence[tuple[str, float]]]] = ()) -> float | None:
    """The first number of an answer, after what a model thought; None where there is none.

    Where it is one token, and the likeliest ones in its place are told, it is the mean of the numbers among them,
    weighted by their probabilities.
    Args: tokens: each with the likeliest ones in its place and the logarithms of their probabilities.

    >>> score_of("<think>1 or 2?</think> 7"), score_of("I can't tell.")
    (7.0, None)
    >>> round(score_of("7", [("7", [("7", math.log(0.6)), ("5", math.log(0.2)), ("no", math.log(0.2))])]), 6)
    6.5
    """
    found = _NUMBER.search(content.rpartition("</think>")[2])
    if found is None:
        return None
    tops = next((tops for token, tops in reversed(tokens) if token.strip() == found[0]), ())
    shares = [(float(top), math.exp(log)) for top, log in tops if _NUMBER.fullmatch(top.strip())]
    whole = sum(share for _, share in shares)
    return sum(number * share for number, share in shares) / whole if whole else float(found[0])


def _tokens(choice: Any) -> list[tuple[str, list[tuple[str, float]]]]:
    told = getattr(getattr(choice, "logprobs", None), "content", None) or []
    return [(one.token, [(top.token, top.logprob) for top in one.top_logprobs or []]) for one in told]
