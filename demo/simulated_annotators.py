"""Simulated annotators and a simulated lead who work over HTTP.

They may know what is true of a pair (a function of its public id), never what anybody judged. No ORM here.
"""

import json
import random
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import requests

TIMEOUT = 30
PAUSE = 0.2
"""Seconds before asking again when there is no work."""
TASK_KEYS = {"pair", "query", "clip", "poster"}
"""All that a page may tell of a pair."""
FLAGS = 2
"""Pairs that one simulated annotator flags at most: every second is taken out, and little would be left."""


class SimulationError(Exception):
    """An unexpected response of the site; the message says to whom, where and what."""


class Visitor:
    """Somebody with an account and a browser's cookies."""

    def __init__(self, address: str, username: str, password: str) -> None:
        self.address, self.username = address.rstrip("/"), username
        self.session = requests.Session()
        page = self.session.get(f"{self.address}/login/", timeout=TIMEOUT)
        answer = self.session.post(
            f"{self.address}/login/",
            data={"username": username, "password": password, "csrfmiddlewaretoken": csrf_token(page.text), "next": ""},
            headers={"Referer": f"{self.address}/login/"},
            timeout=TIMEOUT,
            allow_redirects=False,
        )
        if answer.status_code != 302:
            raise SimulationError(f"{username} can't log in: {answer.status_code}")

    def get(self, path: str, **options: Any) -> requests.Response:
        """GET a page; anything but success is an error."""
        answer = self.session.get(f"{self.address}{path}", timeout=TIMEOUT, **options)
        if answer.status_code not in (200, 206):
            raise SimulationError(f"{self.username} got {answer.status_code} from {path}: {answer.text[:300]}")
        return answer

    def api_list(self, collection: str, path: str, **asked: str) -> list[dict[str, Any]]:
        """All items of a list of the API about a collection, page by page."""
        items: list[dict[str, Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            params = {**asked, "limit": "200", "cursor": cursor}
            page = self.get(f"/api/v1/collections/{collection}/{path}", params=params).json()
            items, cursor = items + page["items"], page["next"]
        return items

    def post(self, path: str, *, expect: tuple[int, ...] = (200,), **options: Any) -> requests.Response:
        """POST with the cookie's token; a status not expected is an error."""
        headers = {"X-CSRFToken": self.session.cookies.get("csrftoken") or "", "Referer": self.address}
        answer = self.session.post(
            f"{self.address}{path}", headers=headers, timeout=TIMEOUT, allow_redirects=False, **options
        )
        if answer.status_code not in expect:
            raise SimulationError(f"{self.username} got {answer.status_code} from {path}: {answer.text[:300]}")
        return answer

    def post_json(self, path: str, *, expect: tuple[int, ...] = (200,), **options: Any) -> dict[str, Any]:
        """POST as `post`. Returns: the JSON that is answered."""
        answer: dict[str, Any] = self.post(path, expect=expect, **options).json()
        return answer

    def post_and_hang_up(self, path: str, body: dict[str, Any]) -> None:
        """Send a request and close the connection without reading what is answered."""
        place = urlsplit(self.address)
        sent = json.dumps(body).encode()
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.session.cookies)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {place.netloc}\r\nCookie: {cookies}\r\n"
            f"X-CSRFToken: {self.session.cookies.get('csrftoken') or ''}\r\nReferer: {self.address}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        with socket.create_connection((place.hostname or "", place.port or 80), timeout=TIMEOUT) as connection:
            connection.sendall(head.encode() + sent)


def csrf_token(page: str) -> str:
    """The token of a page's form; empty if it has none."""
    field = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    return field.group(1) if field else ""


@dataclass(frozen=True, slots=True)
class Temper:
    """How somebody judges: constant bias, spread, and rate of slips."""

    bias: float
    spread: float
    slips: float

    def grade(self, truth: float, dice: random.Random) -> int:
        """A grade 0-4 for a true relevance 0.0-4.0."""
        if dice.random() < self.slips:
            return dice.randrange(5)
        return min(4, max(0, round(truth + self.bias + dice.gauss(0, self.spread))))


TEMPERS = (
    Temper(0.0, 0.35, 0.01),
    Temper(0.3, 0.45, 0.02),
    Temper(-0.3, 0.45, 0.02),
    Temper(0.15, 0.6, 0.04),
    Temper(-0.15, 0.6, 0.04),
    Temper(0.0, 0.8, 0.08),
)
"""Six people: from the steady one to the one in a hurry."""


@dataclass(slots=True)
class AnnotatorTally:
    """Counts of what a simulated annotator did, and of mishaps."""

    judgments: int = 0
    taken_back: int = 0
    sent_twice: int = 0
    hung_up: int = 0
    fell_silent: int = 0
    left: int = 0
    flagged: int = 0
    late: int = 0
    clips: int = 0


@dataclass(frozen=True, slots=True)
class Mishaps:
    """Rates of mishaps, as shares of judgments; each happens to everybody once early on.

    `silence` is how many seconds somebody says nothing, who then judges what was at hand: longer than a seat lasts.
    """

    undo: float = 0.01
    twice: float = 0.02
    hang_up: float = 0.01
    silent: float = 0.005
    leave: float = 0.005
    flag: float = 0.005
    silence: float = 0.0

    def befalls(self, mishap: str, dice: random.Random) -> bool:
        """Whether it happens now, by chance."""
        return dice.random() < float(getattr(self, mishap))


@dataclass
class Annotator:
    """A simulated annotator: judges what the page offers until stopped, with mishaps."""

    visitor: Visitor
    collection: str
    temper: Temper
    truth: Callable[[str], float]
    seed: int
    watch: bool = True
    mishaps: Mishaps = field(default_factory=Mishaps)
    still_to_come: list[str] = field(default_factory=lambda: ["hang_up", "twice", "flag", "silent", "leave", "undo"])
    tally: AnnotatorTally = field(default_factory=AnnotatorTally)

    def work(self, stop: threading.Event) -> None:
        """Work until `stop` is set. Raises: SimulationError when the site misbehaves."""
        dice = random.Random(self.seed)
        path = f"/c/{self.collection}/judge"
        self.visitor.get(f"{path}/")
        answer = self.visitor.post_json(f"{path}/next")
        while not stop.is_set():
            if "confirm" in answer:
                self.visitor.get(f"{path}/guideline")
                self.visitor.post(f"{path}/guideline/confirm", json={"version": answer["confirm"]}, expect=(200, 204))
                answer = self.visitor.post_json(f"{path}/next")
            elif answer["tasks"]:
                answer = self._go_on(path, answer["tasks"][0], dice, stop)
            else:
                time.sleep(PAUSE)
                answer = self.visitor.post_json(f"{path}/next")

    def _go_on(self, path: str, task: dict[str, Any], dice: random.Random, stop: threading.Event) -> dict[str, Any]:
        """Give one judgment, or have a mishap instead."""
        # One after the other first, so that each was tried; from then on by chance.
        early = self.still_to_come.pop() if self.still_to_come and self.tally.judgments > 1 else ""

        def now(mishap: str) -> bool:
            return mishap == early or self.mishaps.befalls(mishap, dice)

        if self.mishaps.silence and now("silent"):
            self.tally.fell_silent += 1
            stop.wait(self.mishaps.silence)
        if now("flag") and self.tally.flagged < FLAGS:
            self.tally.flagged += 1
            sent = {"pair": task["pair"], "kind": "other", "note": "The simulated annotator is not sure."}
            return self.visitor.post_json(f"{path}/flag", json=sent)
        if now("leave"):
            self.tally.left += 1
            self.visitor.post(f"{path}/leave", expect=(204,))
            return self.visitor.post_json(f"{path}/next")
        answer = self._judge(path, task, dice, hang_up=now("hang_up"), twice=now("twice"))
        if now("undo"):
            back = self.visitor.post(f"{path}/undo", expect=(200, 409))
            self.tally.taken_back += back.status_code == 200
            answer = back.json()
        return answer

    def _judge(
        self, path: str, task: dict[str, Any], dice: random.Random, *, hang_up: bool, twice: bool
    ) -> dict[str, Any]:
        if set(task) != TASK_KEYS:
            raise SimulationError(f"{self.visitor.username} was told more than a query and a clip: {sorted(task)}")
        if self.watch:
            self._watch(task)
        sent = {
            "pair": task["pair"],
            "grade": self.temper.grade(self.truth(task["pair"]), dice),
            "key": str(uuid.UUID(int=dice.getrandbits(128), version=4)),
            "played": 1.0,
            "active_ms": dice.randrange(2000, 9000),
            "at": datetime.now(UTC).isoformat(),
        }
        if hang_up:
            # The network goes away with the judgment sent and its answer not read: the page sends it again later.
            self.visitor.post_and_hang_up(f"{path}/grade", sent)
            self.tally.hung_up += 1
        answer = self.visitor.post_json(f"{path}/grade", json=sent, expect=(200, 409))
        if "saved" in answer:
            self.tally.judgments += 1
            self.tally.late += bool(answer["message"])
        if twice:
            # A request that the network made two: it must stay one judgment.
            answer = self.visitor.post_json(f"{path}/grade", json=sent)
            self.tally.sent_twice += 1
        return answer

    def _watch(self, task: dict[str, Any]) -> None:
        if not task["clip"]:
            raise SimulationError(f"{self.visitor.username} was sent a moment without a clip: pair {task['pair']}")
        head = self.visitor.get(task["clip"], headers={"Range": "bytes=0-1023"})
        if head.status_code != 206 or head.content[4:8] != b"ftyp":
            raise SimulationError(f"{task['clip']} is no mp4 that can be played in parts")
        self.tally.clips += 1


@dataclass
class Lead:
    """A simulated lead who follows the rules: accepts captions without names, extends or finishes batches."""

    visitor: Visitor
    collection: str
    accepted: int = 0
    refused: int = 0
    extended: int = 0
    finished: int = 0
    flags: int = 0

    def review_captions(self) -> None:
        """Accept every caption that waits, except those that still name a person or have no text."""
        self.visitor.get(f"/c/{self.collection}/captions/")
        for caption in self.visitor.api_list(self.collection, "captions", status="review"):
            accept = caption["checks"]["names_passed"] and bool(caption["text"])
            self.visitor.post(
                f"/c/{self.collection}/captions/{caption['caption']}/decide",
                data={"decision": "accept" if accept else "refuse", "reason": "" if accept else "names a person"},
                expect=(302,),
            )
            self.accepted += accept
            self.refused += not accept

    def work(self, stop: threading.Event) -> None:
        """Answer flags and review decided batches until `stop` is set."""
        while not stop.is_set():
            self._answer_flags()
            batches = self.visitor.get(f"/c/{self.collection}/review/queue").json()["batches"]
            for batch in batches:
                page = f"/c/{self.collection}/review/{batch['batch']}/"
                self.visitor.get(page)
                decision = "extend" if batch["extend"] else "finish"
                self.visitor.post(f"{page}decide", data={"decision": decision}, expect=(302,))
                self.extended += decision == "extend"
                self.finished += decision == "finish"
            if not batches:
                time.sleep(PAUSE)

    def _answer_flags(self) -> None:
        """Send every second flagged pair back to judging, and withdraw the others."""
        for flag in self.visitor.api_list(self.collection, "flags"):
            outcome = "withdrawn" if self.flags % 2 else "returned"
            self.visitor.post(
                f"/c/{self.collection}/flags/{flag['flag']}/answer",
                data={"outcome": outcome, "answer": "Thank you for looking so closely."},
                expect=(302,),
            )
            self.flags += 1
