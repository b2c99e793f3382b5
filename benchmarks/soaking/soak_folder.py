"""What a soak has come to over all its runs, and the folder in which it lies between two of them."""

import contextlib
import fcntl
import json
import os
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.soaking.ledger import Books, Counts
from benchmarks.soaking.people import Person, Tab, Waiting


class NotTheFolder(Exception):
    """The folder can't be gone on with; the message says what was found and what was expected."""


@dataclass
class Stretch:
    """Some time of a run: its seconds and judgments."""

    seconds: float = 0.0
    judgments: int = 0

    @property
    def each(self) -> float:
        """Seconds a judgment."""
        return self.seconds / self.judgments if self.judgments else 0.0


@dataclass
class Totals(Counts):
    """All runs so far, but for a collection that is under way."""

    runs: int = 0
    seconds: float = 0.0
    """From the first process started to the last stopped, of all runs."""
    collections: int = 0
    calm: Stretch = field(default_factory=Stretch)
    stormy: Stretch = field(default_factory=Stretch)
    kills: Counter[str] = field(default_factory=Counter)
    decisions: Counter[str] = field(default_factory=Counter)
    processes: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add_processes(self, figures: dict[str, dict[str, Any]]) -> None:
        """What one run's processes held (`Holdings.figures`)."""
        for name, own in figures.items():
            known = self.processes.get(name, {"processes": 0, "most_mib": 0, "kib_a_judgment": None})
            grown = [value for value in (known["kib_a_judgment"], own["kib_a_judgment"]) if value is not None]
            self.processes[name] = {
                "processes": known["processes"] + own["processes"],
                "most_mib": max(known["most_mib"], own["most_mib"]),
                "kib_a_judgment": max(grown, default=None),
            }

    def as_json(self) -> dict[str, Any]:
        stretches = {name: vars(getattr(self, name)) for name in ("calm", "stormy")}
        return {**vars(self), **stretches}

    def take(self, kept: dict[str, Any]) -> None:
        plain = {name: value for name, value in kept.items() if name not in ("calm", "stormy", "processes")}
        super().take(plain)
        self.calm, self.stormy, self.processes = Stretch(**kept["calm"]), Stretch(**kept["stormy"]), kept["processes"]


@dataclass
class Underway:
    """A collection that isn't judged to its end: its books, and the tabs with what waits in them."""

    name: str
    books: Books
    tabs: list[Tab]

    def as_json(self) -> dict[str, Any]:
        people = {tab.person.name: tab.person for tab in self.tabs}
        return {
            "name": self.name,
            "books": self.books.as_json(),
            "people": {
                name: {"clock": person.clock.total_seconds(), "gone": person.gone} for name, person in people.items()
            },
            "tabs": [
                {
                    "person": tab.person.name,
                    "queue": [[waiting.pair, waiting.key, waiting.body] for waiting in tab.queue],
                    "undo": tab.undo,
                }
                for tab in self.tabs
            ],
        }

    @classmethod
    def of(cls, kept: dict[str, Any], logins: dict[str, tuple[str, str]], dice: Random) -> "Underway":
        """Args: logins: each person's cookies and token, which are new."""
        books = Books()
        books.take(kept["books"])
        people = {
            name: Person(name, *logins[name], Random(dice.random()), timedelta(seconds=own["clock"]), own["gone"])
            for name, own in kept["people"].items()
        }
        tabs = [
            Tab(
                people[tab["person"]],
                queue=deque(Waiting(*waiting) for waiting in tab["queue"]),
                undo=tab["undo"],
                due=float("inf") if people[tab["person"]].gone else 0.0,
            )
            for tab in kept["tabs"]
        ]
        return cls(kept["name"], books, tabs)


@dataclass
class SoakFolder:
    """A folder with the site, and with what the runs so far have come to.

    Args: plan: what has to be the same in every run.
    """

    folder: Path
    plan: dict[str, Any]
    totals: Totals = field(default_factory=Totals)
    underway: dict[str, Any] | None = None
    """As JSON, since people need their logins first."""

    @property
    def site(self) -> Path:
        """The site's QREELS_VAR."""
        return self.folder / "site"

    @property
    def _file(self) -> Path:
        return self.folder / "soak.json"

    @contextlib.contextmanager
    def open(self) -> Iterator["SoakFolder"]:
        """Read what lies there, and keep other runs out. Raises: NotTheFolder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (self.folder / "soak.lock").open("a")
        except OSError as fault:
            raise NotTheFolder(f"{self.folder}: {fault.strerror}; expected a folder that can be written to") from fault
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise NotTheFolder(f"{self.folder}: another run is going on there") from None
            self._read()
            yield self

    def _read(self) -> None:
        if not self._file.exists():
            if others := sorted(path.name for path in self.folder.iterdir() if path.name != "soak.lock"):
                raise NotTheFolder(
                    f"{self.folder} holds {', '.join(others[:3])} and no soak.json;"
                    " expected a new or empty folder, or that of an earlier run"
                )
            self.keep(None)
            return
        try:
            kept = json.loads(self._file.read_text())
            plan = kept["plan"]
            self.totals.take(kept["totals"])
            self.underway = kept["underway"]
        except (OSError, ValueError, KeyError, TypeError) as fault:
            raise NotTheFolder(f"{self._file} can't be read as an earlier run's ({fault!r})") from fault
        if plan != self.plan:
            differing = ", ".join(
                f"{name} {plan.get(name)} and not {value}"
                for name, value in self.plan.items()
                if plan.get(name) != value
            )
            raise NotTheFolder(f"the run in {self.folder} has {differing}: expected the same, or another folder")

    def keep(self, underway: Underway | None) -> None:
        """Write it all, at once or not at all."""
        self.underway = None if underway is None else underway.as_json()
        content = {"plan": self.plan, "totals": self.totals.as_json(), "underway": self.underway}
        part = self._file.with_suffix(".part")
        with part.open("w") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(self._file)
