"""Simulated people who judge as the page does: each tab has tasks at hand and a queue of what waits to be sent.

What couldn't be sent, or whose answer didn't come, is sent again with the same key until an answer says what became
of it (`static/js/judging/sender.js`).
"""

import json
import random
import socket
import struct
import uuid
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.harness.load import Line, post_of
from benchmarks.soaking.faults import Faults
from benchmarks.soaking.ledger import LATE, REFUSED, SAVED, TAKEN_BACK, Books, Sent

AHEAD = 26
FEWEST = 4
"""With fewer tasks at hand, more are asked for."""
PATIENCE = 20.0
"""Seconds after which the page gives a request up."""
FIRST_RETRY, LAST_RETRY = 0.2, 1.0
IDLE, LONGEST_IDLE = 0.3, 15.0
"""Seconds until somebody without work asks again: at first sooner than the page, at most as it does."""

CUT_REQUEST, CUT_UNREAD, CUT_ANSWER, TWICE = (
    "requests broken off half sent",
    "connections dropped before the answer",
    "connections dropped within the answer",
    "requests sent twice at once",
)
UNDONE, FLAGGED, LEFT, SILENT, OFFLINE, CLOCK_SET, GONE = (
    "judgments taken back",
    "pairs flagged",
    "sittings ended",
    "silences longer than a seat",
    "times without a network",
    "clocks set",
    "people who never came back",
)
RATES = {
    CUT_REQUEST: 0.008,
    CUT_UNREAD: 0.008,
    CUT_ANSWER: 0.008,
    TWICE: 0.01,
    UNDONE: 0.015,
    FLAGGED: 0.004,
    LEFT: 0.006,
    SILENT: 0.003,
    OFFLINE: 0.006,
    CLOCK_SET: 0.002,
    GONE: 0.0005,
}
"""How often each befalls somebody, per judgment."""
LEAST = 6
"""Of each, as many are expected in a run that is so short that these rates leave some of them out."""
CONNECTIONS = frozenset({CUT_REQUEST, CUT_UNREAD, CUT_ANSWER})
MOST_GONE = 0.05
"""Of the people."""


@dataclass
class Person:
    """Somebody with a login, a clock that may be wrong, and an opinion."""

    name: str
    cookies: str
    token: str
    dice: random.Random
    clock: timedelta
    gone: bool = False

    def grade(self, pair: str) -> int:
        """Near a truth of the pair's own, so that some pairs go to a second round and a few are discarded."""
        return min(4, max(0, int(pair[:2], 16) % 5 + self.dice.choice((-1, 0, 0, 0, 1, 2))))

    def now(self) -> datetime:
        return datetime.now(UTC) + self.clock


@dataclass(slots=True)
class Waiting:
    """What waits to be sent: a judgment, or a flag where it has no key."""

    pair: str
    key: str
    body: dict[str, Any]


@dataclass(eq=False)
class Tab:
    """One tab. `due` is when it does something next; while it waits for an answer, when it gives that up."""

    person: Person
    hand: list[str] = field(default_factory=list)
    queue: deque[Waiting] = field(default_factory=deque)
    due: float = 0.0
    line: Line | None = None
    asked: str = ""
    """The request that is under way: "grade", "next", ...; empty: none."""
    began: float = 0.0
    undo: str = ""
    """The key of the judgment to take back."""
    cut: bool = False
    """Whether the answer is to be broken off."""
    whole: bool = True
    retry: float = FIRST_RETRY
    idle: float = IDLE
    offline_until: float = 0.0


class Stray:
    """The second of two requests that the network made of one: its answer reaches nobody."""

    def __init__(self, line: Line, began: float) -> None:
        self.line, self.began = line, began


@dataclass
class Habits:
    """What befalls people: rates per judgment, and how long a seat lasts in seconds."""

    rates: dict[str, float]
    seat_seconds: float
    people: int
    gone: int = 0


class Conduct:
    """What tabs send, and what they make of the answers."""

    def __init__(self, port: int, collection: str, books: Books, faults: Faults, habits: Habits) -> None:
        self.port, self.collection = port, collection
        self.books, self.faults, self.habits = books, faults, habits
        self.calm = False
        """Nothing befalls anybody any more, and who fell silent comes back at once."""

    # --- what is done next ---

    def request(self, tab: Tab, now: float) -> tuple[str, bytes] | None:
        """The tab's next request as its name and bytes; None where it does nothing before its new `due`."""
        person = tab.person
        if tab.undo:
            return self._post(tab, "undo", {"key": tab.undo})
        if tab.queue and (self.calm or now >= tab.offline_until):
            waiting = tab.queue[0]
            # By the same clock as the key press, whether it is right or not.
            body = {**waiting.body, "sent": person.now().isoformat()} if waiting.key else waiting.body
            return self._post(tab, "grade" if waiting.key else "flag", body)
        if not tab.hand:
            if now < tab.offline_until and not self.calm:
                tab.due = tab.offline_until
                return None
            return self._ask_more(tab)
        if self._befalls(person, GONE) and self.habits.gone < MOST_GONE * self.habits.people:
            person.gone = True
            self.habits.gone += 1
            tab.due = float("inf")
            return None
        if self._befalls(person, CLOCK_SET):
            person.clock = timedelta(seconds=person.dice.uniform(-1800, 1800))
        if self._befalls(person, SILENT):
            tab.due = now + self.habits.seat_seconds * person.dice.uniform(1.1, 1.5)
            return None
        if self._befalls(person, LEFT):
            tab.hand.clear()
            return self._post(tab, "leave", {})
        if self._befalls(person, OFFLINE):
            tab.offline_until = now + person.dice.uniform(0.2, 0.3 * self.habits.seat_seconds)
        self._decide(tab)
        tab.due = now
        # Some is judged ahead while the network is away; else it is sent at once.
        return self.request(tab, now) if self.calm or now >= tab.offline_until else None

    def _ask_more(self, tab: Tab) -> tuple[str, bytes]:
        tab.whole = True
        return self._post(tab, "next", {"ahead": AHEAD})

    def _decide(self, tab: Tab) -> None:
        """Grade the first pair at hand, or flag it: what comes of it waits to be sent."""
        person, pair = tab.person, tab.hand.pop(0)
        if self._befalls(person, FLAGGED):
            tab.queue.append(Waiting(pair, "", {"pair": pair, "kind": "other", "note": "I can't tell."}))
            return
        key = str(uuid.UUID(int=person.dice.getrandbits(128), version=4))
        grade = person.grade(pair)
        claimed = 86_400_000 if person.dice.random() < 0.01 else person.dice.randrange(500, 9000)
        body = {
            "pair": pair,
            "grade": grade,
            "key": key,
            "played": 1.0,
            "active_ms": claimed,
            "at": person.now().isoformat(),
        }
        self.books.of(person.name).judgments[key] = Sent(pair, grade)
        tab.queue.append(Waiting(pair, key, body))

    def _post(self, tab: Tab, request: str, body: dict[str, Any]) -> tuple[str, bytes]:
        path = f"/c/{self.collection}/judge/{request}"
        return request, post_of(self.port, path, body, cookies=tab.person.cookies, token=tab.person.token)

    def _befalls(self, person: Person, mishap: str) -> bool:
        if self.calm or person.dice.random() >= self.habits.rates.get(mishap, 0.0):
            return False
        self.books.mishaps[mishap] += 1
        return True

    # --- on the way ---

    def send(self, tab: Tab, request: str, sent: bytes, now: float) -> Stray | None:
        """Send a request; or half of it, or twice, or without waiting for the answer.

        Returns: the second connection, where it was sent twice. Raises: OSError.
        """
        line = tab.line = tab.line or Line(self.port)
        line.received = b""
        tab.asked, tab.began, tab.due, tab.cut = request, now, now + PATIENCE, False
        if self._befalls(tab.person, CUT_REQUEST):
            line.socket.sendall(sent[: tab.person.dice.randrange(1, len(sent))])
            raise ConnectionError("broken off")
        stray = None
        if request == "grade" and self._befalls(tab.person, TWICE):
            stray = Stray(Line(self.port), now)
            stray.line.socket.sendall(sent)
        line.socket.sendall(sent)
        if self._befalls(tab.person, CUT_UNREAD):
            raise ConnectionError("not waited for")
        tab.cut = self._befalls(tab.person, CUT_ANSWER)
        return stray

    def drop(self, tab: Tab, now: float) -> None:
        """The connection is gone; what was under way is tried again a little later."""
        if tab.line is not None:
            if tab.person.dice.random() < 0.5:
                # Without a good-bye, as when the cable is pulled.
                tab.line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            tab.line.socket.close()
        tab.line, tab.asked = None, ""
        tab.due = now + tab.retry * tab.person.dice.uniform(0.8, 1.2)
        tab.retry = min(LAST_RETRY, tab.retry * 2)

    # --- what the answers say ---

    def judge_status(self, who: str, request: str, status: int, body: bytes, began: float, now: float) -> None:
        """Count an answer of 5xx, which only a database that was away excuses; what is unheard of is a violation."""
        if status >= 500:
            if self.faults.excused(began, now):
                self.books.excused += 1
            elif status == 503 and b'"retry_after"' in body:
                # A statement ran into its time limit (foundation/access/time_limits.py): the machine is too busy.
                self.books.busy += 1
            else:
                self.books.violations.append(
                    f"{who} got {status} from {request} while the database was there: {body[:300]!r}"
                )
        elif status not in (200, 204, 409):
            self.books.violations.append(f"{who} got {status} from {request}: {body[:300]!r}")

    def hear(self, tab: Tab, status: int, body: bytes, now: float) -> None:
        """Take an answer as the page does."""
        request, began, tab.asked = tab.asked, tab.began, ""
        self.judge_status(tab.person.name, request, status, body, began, now)
        if status >= 500:
            tab.due = now + tab.retry * tab.person.dice.uniform(0.8, 1.2)
            tab.retry = min(LAST_RETRY, tab.retry * 2)
            return
        tab.retry, tab.due = FIRST_RETRY, now
        if request in ("grade", "next") and not self.faults.touched(began, now):
            self.books.took(request, now - began)
        answer = json.loads(body) if body and status in (200, 409) else {}
        if request == "grade":
            self._judged(tab, tab.queue.popleft(), taken=status == 200, answer=answer)
        elif request == "flag":
            flag = tab.queue.popleft()
            if status == 200:
                self.books.of(tab.person.name).flagged.add(flag.pair)
        elif request == "undo":
            if status == 200:
                self.books.of(tab.person.name).judgments[tab.undo].told = TAKEN_BACK
            tab.undo = ""
        if "tasks" in answer:
            self._take(tab, [task["pair"] for task in answer["tasks"]], whole=request == "next", now=now)

    def _judged(self, tab: Tab, sent: Waiting, *, taken: bool, answer: dict[str, Any]) -> None:
        entry = self.books.of(tab.person.name).judgments[sent.key]
        if not taken:
            entry.told = REFUSED
            return
        entry.told = LATE if answer["message"] else SAVED
        self.books.acknowledged += 1
        if self._befalls(tab.person, UNDONE):
            tab.undo = sent.key

    def _take(self, tab: Tab, sent: list[str], *, whole: bool, now: float) -> None:
        """The tasks at hand after an answer (`static/js/judging/hand.js`)."""
        answered = {waiting.pair for waiting in tab.queue}
        behind: list[str] = []
        if not whole and len(sent) >= FEWEST:
            last = max((place for place, pair in enumerate(tab.hand) if pair in set(sent)), default=-1)
            behind = [pair for pair in tab.hand[last + 1 :] if pair not in set(sent)]
        tab.hand = [pair for pair in [*sent, *behind] if pair not in answered]
        if tab.hand or tab.queue or tab.undo:
            tab.idle = IDLE
        else:
            tab.due = now + tab.idle * tab.person.dice.uniform(0.8, 1.2)
            tab.idle = min(LONGEST_IDLE, tab.idle * 1.5)
