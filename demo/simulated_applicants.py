"""Simulated applicants and the lead who admits them, over HTTP.

They may know what is true of an item (a function of the id that they are shown), never anybody's grades. No ORM here.
"""

import html
import random
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import requests

from demo.simulated_annotators import TASK_KEYS, TIMEOUT, SimulationError, Temper, Visitor, csrf_token

WHY = (
    "Nothing agrees with the query but that people are there.",
    "A point or two agree, such as the place, but the main action is another.",
    "The main action is there, and the other half of the query is not.",
    "It fits but for one small detail, or something else happens besides.",
    "The action fits and fills the clip from beginning to end; everything named is plain to see.",
)
"""What the simulated lead says of a grade 0-4."""


def join(link: str, username: str, password: str) -> Visitor:
    """Open an invitation's link, make an account there, and log in with it as on another day."""
    with requests.Session() as browser:
        page = browser.get(link, timeout=TIMEOUT)
        token = csrf_token(page.text)
        if page.status_code != 200 or not token:
            raise SimulationError(f"{username} got {page.status_code} from the invitation, expected a form")
        sent = {"username": username, "password1": password, "password2": password, "csrfmiddlewaretoken": token}
        answer = browser.post(link, data=sent, headers={"Referer": link}, timeout=TIMEOUT, allow_redirects=False)
    if answer.status_code != 302:
        raise SimulationError(f"{username} can't make an account by the invitation: {answer.status_code}")
    return Visitor(link.split("/join/")[0], username, password)


@dataclass(slots=True)
class Rehearsed:
    """Counts of what a simulated applicant did."""

    practised: int = 0
    examined: int = 0
    sent_twice: int = 0
    hung_up: int = 0
    taken_back: int = 0
    again: int = 0


@dataclass
class SimulatedApplicant:
    """A simulated applicant: trains, practises, sits the exam, reads the feedback, judges again what is out."""

    visitor: Visitor
    collection: str
    temper: Temper
    truth: Callable[[str], float]
    seed: int
    watch: bool = True
    done: Rehearsed = field(default_factory=Rehearsed)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.home = f"/c/{self.collection}"

    def train(self) -> None:
        """Read and confirm the guideline, then practise: each grade is answered with what is true."""
        self.visitor.get(f"{self.home}/qualification/")
        page = self.visitor.get(f"{self.home}/training/").text
        version = re.search(r'name="version" value="(\d+)"', page)
        if version is None:
            raise SimulationError(f"{self.visitor.username} finds no guideline to confirm in training")
        self.visitor.post(f"{self.home}/guideline/confirm", data={"version": version.group(1)}, expect=(302,))
        self.visitor.get(f"{self.home}/practice/")
        answer = self.visitor.post_json(f"{self.home}/practice/next")
        while answer["tasks"]:
            answer = self._send("practice", answer["tasks"][0], self._grade(answer["tasks"][0]))
            self.done.practised += 1
            if not answer["feedback"]["why"]:
                raise SimulationError(f"{self.visitor.username} practised and was not told why")

    def sit_exam(self) -> None:
        """Judge every item independently, with a request sent twice, a hang-up and a grade taken back; hand in."""
        self.visitor.post(f"{self.home}/exam/begin", expect=(302,))
        self._page("exam/")
        answer = self.visitor.post_json(f"{self.home}/exam/next")
        while answer["tasks"]:
            task, before = answer["tasks"][0], answer["done"]
            sent = self._judgment(task, self._grade(task))
            if self.done.examined == 2:
                self.visitor.post_and_hang_up(f"{self.home}/exam/grade", sent)
                self.done.hung_up += 1
            answer = self.visitor.post_json(f"{self.home}/exam/grade", json=sent)
            self.done.examined += 1
            if self.done.examined % 5 == 1:
                answer = self.visitor.post_json(f"{self.home}/exam/grade", json=sent)
                self.done.sent_twice += 1
            if answer["done"] != before + 1:
                raise SimulationError(f"{self.visitor.username} gave one grade more, and {answer['done']} are kept")
            if not self.done.taken_back:
                answer = self.visitor.post_json(f"{self.home}/exam/undo", json={"key": sent["key"]})
                self.done.taken_back += 1
                self.done.examined -= 1
        self.visitor.post(f"{self.home}/exam/hand-in", expect=(302,))

    def learn(self) -> None:
        """Read the feedback, and judge again what is out: a step nearer to the truth each time, until all agree."""
        self._page("exam/feedback/")
        answer = self.visitor.post_json(f"{self.home}/exam/again/next")
        while answer["tasks"]:
            task = answer["tasks"][0]
            feedback = task.pop("feedback")
            step = 1 if feedback["truth"] > feedback["grade"] else -1
            answer = self._send("exam/again", task, feedback["grade"] + step)
            self.done.again += 1

    def is_turned_away(self) -> bool:
        """Whether the judging page's request for work is refused without revealing a pair."""
        answer = self.visitor.post(f"{self.home}/judge/next", expect=(200, 403))
        return answer.status_code == 403 and "tasks" not in answer.text

    def _page(self, path: str) -> None:
        # Whoever may not see a page is led back to their steps with a redirect.
        answer = self.visitor.get(f"{self.home}/{path}")
        if not answer.url.endswith(path):
            raise SimulationError(f"{self.visitor.username} asked for {path} and was led to {answer.url}")

    def _grade(self, task: dict[str, Any]) -> int:
        return self.temper.grade(self.truth(task["pair"]), self.dice)

    def _judgment(self, task: dict[str, Any], grade: int) -> dict[str, Any]:
        if set(task) != TASK_KEYS:
            raise SimulationError(f"{self.visitor.username} was told more than a query and a clip: {sorted(task)}")
        if self.watch:
            self.visitor.get(task["clip"], headers={"Range": "bytes=0-1023"})
        key = str(uuid.UUID(int=self.dice.getrandbits(128), version=4))
        return {"pair": task["pair"], "grade": grade, "key": key, "played": 1.0}

    def _send(self, part: str, task: dict[str, Any], grade: int) -> dict[str, Any]:
        sent = self._judgment(task, grade)
        return self.visitor.post_json(f"{self.home}/{part}/grade", json=sent)


@dataclass
class Examiner:
    """The simulated lead of the qualification: examples, guideline, practice, exam, invitations, admission.

    `truth` knows what is true of a worked item by the number that the lead's page shows.
    """

    visitor: Visitor
    collection: str
    truth: Callable[[int], float]

    def __post_init__(self) -> None:
        self.home = f"/c/{self.collection}"

    def prepare(self, *, examples: int, practice: int, queries: int, candidates: int, seed: int) -> None:
        """Draw and explain examples and practice (queries each, of three clips), publish, draw and open an exam."""
        for use, drawn in (("example", examples), ("practice", practice)):
            self._draw(use, drawn, 3, seed)
            for item in self._items(use, "/prepare/"):
                grade = round(self.truth(item))
                sent = {"grade": grade, "why": WHY[grade], "use": use}
                self.visitor.post(f"{self.home}/prepare/{item}/explain", data=sent, expect=(302,))
        self._publish()
        self._draw("exam", queries, candidates, seed)
        for item in self._items("exam", "/prepare/exam/"):
            why = "Compare the action first, then what is missing."
            self.visitor.post(f"{self.home}/prepare/exam/{item}/explain", data={"why": why}, expect=(302,))
        self._move("open", "open")

    def invite(self, places: int) -> str:
        """Create an invitation for so many people, and return its link."""
        page = self.visitor.post(f"{self.home}/invitations/", data={"places": places}).text
        link = re.search(r'id="new-link">(https?://[^<]+/join/[^<]+/)<', page)
        if link is None:
            raise SimulationError("the lead made an invitation and finds no link in the answer")
        return html.unescape(link.group(1))

    def close_cohort(self) -> None:
        """Read the page on closing the cohort, then close it."""
        page = self.visitor.get(f"{self.home}/applicants/exam/close/").text
        asked = re.search(r'name="people" value="(\d+)"', page)
        if asked is None:
            raise SimulationError("the lead wants to close the cohort and isn't asked about it")
        self._move("close", "frozen", people=asked.group(1))

    def results(self) -> dict[str, Any]:
        """The exam's results as the lead reads them."""
        answer: dict[str, Any] = self.visitor.get(f"/api/v1/collections/{self.collection}/exam").json()
        return answer

    def people(self) -> list[dict[str, Any]]:
        """Everybody in training, as the lead reads of them."""
        return self.visitor.api_list(self.collection, "training/people")

    def decide(self, members: dict[int, bool]) -> None:
        """Admit or decline, by the memberships' numbers."""
        self.visitor.get(f"{self.home}/applicants/")
        for member, admit in members.items():
            decision = "admit" if admit else "decline"
            self.visitor.post(f"{self.home}/applicants/{member}/decide", data={"decision": decision}, expect=(302,))
        standing = {person["member"]: person["status"] for person in self.people()}
        for member, admit in members.items():
            if standing.get(member) != ("admitted" if admit else "declined"):
                raise SimulationError(f"the lead decided about member {member}, who is {standing.get(member)}")

    def _publish(self) -> None:
        page = self.visitor.get(f"{self.home}/guideline/edit/").text
        source = re.search(r'<textarea[^>]*name="source"[^>]*>(.*?)</textarea>', page, re.DOTALL)
        if source is None or not source.group(1).strip():
            raise SimulationError("the lead finds no text to publish as a guideline")
        sent = {"source": html.unescape(source.group(1)).strip(), "note": "", "action": "publish"}
        self.visitor.post(f"{self.home}/guideline/edit/", data=sent, expect=(302,))

    def _draw(self, part: str, queries: int, candidates: int, seed: int) -> None:
        sent = {"what": part, "queries": queries, "candidates": candidates, "seed": seed}
        self.visitor.post(f"{self.home}/prepare/draw", data=sent, expect=(302,))

    def _items(self, part: str, before: str) -> list[int]:
        """The numbers of all items of a part, from all list pages."""
        items: list[int] = []
        while True:
            number = len(items) // 20 + 1
            page = self.visitor.get(f"{self.home}/prepare/?part={part}&page={number}").text
            items += [int(item) for item in re.findall(rf"{self.home}{before}(\d+)/explain", page)]
            if not items:
                raise SimulationError(f"the lead drew {part} and finds nothing there")
            if f"page={number + 1}" not in page:
                return items

    def _move(self, step: str, expected: str, **sent: str) -> None:
        self.visitor.post(f"{self.home}/applicants/exam", data={"step": step, **sent}, expect=(302,))
        state = self.results()["state"]
        if state != expected:
            raise SimulationError(f"the lead chose {step}, and the exam is {state}, expected {expected}")
