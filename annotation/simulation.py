"""Simulated annotators and a simulated lead, who log in and work over HTTP as people do.

They may know what is true of a pair (a function of its public id), never what anybody judged. No ORM here.
"""

import random
import re
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import requests

TIMEOUT = 30
PAUSE = 0.2
"""Seconds before asking again when there is no work."""


class SimulationError(Exception):
    """The site answered what it never should; the message says to whom, where and what."""


class Visitor:
    """Somebody with an account and a browser's cookies."""

    def __init__(self, address: str, username: str, password: str) -> None:
        self.address, self.username = address.rstrip("/"), username
        self.session = requests.Session()
        page = self.session.get(f"{self.address}/login/", timeout=TIMEOUT)
        answer = self.session.post(
            f"{self.address}/login/",
            data={"username": username, "password": password, "csrfmiddlewaretoken": _token(page.text), "next": ""},
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

    def post(self, path: str, *, expect: tuple[int, ...] = (200,), **options: Any) -> requests.Response:
        """POST with the cookie's token; a status not expected is an error."""
        headers = {"X-CSRFToken": self.session.cookies.get("csrftoken") or "", "Referer": self.address}
        answer = self.session.post(
            f"{self.address}{path}", headers=headers, timeout=TIMEOUT, allow_redirects=False, **options
        )
        if answer.status_code not in expect:
            raise SimulationError(f"{self.username} got {answer.status_code} from {path}: {answer.text[:300]}")
        return answer


def _token(page: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    return found.group(1) if found else ""


@dataclass(frozen=True, slots=True)
class Temper:
    """How somebody judges: a lasting bias, a spread, and how often a grade is just a slip of the finger."""

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
class Tally:
    """What one simulated annotator did."""

    judgments: int = 0
    taken_back: int = 0
    sent_twice: int = 0
    late: int = 0
    clips: int = 0


@dataclass
class Annotator:
    """Judges whatever the page offers until told to stop; sometimes takes one back, sometimes sends one twice."""

    visitor: Visitor
    collection: str
    temper: Temper
    truth: Callable[[str], float]
    seed: int
    watch: bool = True
    tally: Tally = field(default_factory=Tally)

    def work(self, stop: threading.Event) -> None:
        """Work until `stop` is set. Raises: SimulationError when the site misbehaves."""
        dice = random.Random(self.seed)
        path = f"/c/{self.collection}/judge"
        self.visitor.get(f"{path}/")
        answer = self.visitor.post(f"{path}/next").json()
        while not stop.is_set():
            if not answer["tasks"]:
                time.sleep(PAUSE)
                answer = self.visitor.post(f"{path}/next").json()
                continue
            answer = self._judge(path, answer["tasks"][0], dice)
            if dice.random() < 0.01:
                back = self.visitor.post(f"{path}/undo", expect=(200, 409))
                self.tally.taken_back += back.status_code == 200
                answer = back.json()

    def _judge(self, path: str, task: dict[str, Any], dice: random.Random) -> dict[str, Any]:
        if set(task) != {"pair", "query", "clip", "poster"}:
            raise SimulationError(f"{self.visitor.username} was told more than a query and a clip: {sorted(task)}")
        if self.watch:
            self._watch(task)
        sent = {
            "pair": task["pair"],
            "grade": self.temper.grade(self.truth(task["pair"]), dice),
            "key": str(uuid.UUID(int=dice.getrandbits(128), version=4)),
            "played": 1.0,
        }
        answer: dict[str, Any] = self.visitor.post(f"{path}/grade", json=sent, expect=(200, 409)).json()
        if "saved" in answer:
            self.tally.judgments += 1
            self.tally.late += bool(answer["message"])
        if dice.random() < 0.02:
            # A request that the network made two: it must stay one judgment.
            answer = self.visitor.post(f"{path}/grade", json=sent).json()
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
    """Decides as the rules recommend: captions that name nobody are accepted, batches extended or finished."""

    visitor: Visitor
    collection: str
    accepted: int = 0
    refused: int = 0
    extended: int = 0
    finished: int = 0

    def review_captions(self) -> None:
        """Accept every caption that waits, except those that still name a person or have no text."""
        self.visitor.get(f"/c/{self.collection}/captions/")
        waiting = self.visitor.get(f"/c/{self.collection}/captions/queue").json()["captions"]
        for caption in waiting:
            accept = caption["names_passed"] and bool(caption["text"])
            self.visitor.post(
                f"/c/{self.collection}/captions/{caption['caption']}/decide",
                data={"decision": "accept" if accept else "refuse", "reason": "" if accept else "names a person"},
                expect=(302,),
            )
            self.accepted += accept
            self.refused += not accept

    def work(self, stop: threading.Event) -> None:
        """Review decided batches until `stop` is set."""
        while not stop.is_set():
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
