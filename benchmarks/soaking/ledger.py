"""What the simulated people sent and what they were told: the books that the database is compared with."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Any

SENT, SAVED, LATE, REFUSED, TAKEN_BACK = "sent", "saved", "late", "refused", "taken back"
"""What somebody knows of a judgment: nothing yet; that it is stored; stored but not counted; not taken; taken back."""
TENTHS = 10_000
"""Times are counted in tenths of a millisecond."""


@dataclass(slots=True)
class Sent:
    """One judgment under the key that its page made."""

    pair: str
    grade: int
    told: str = SENT


@dataclass
class Ledger:
    """One person's judgments in one collection, by key, and the pairs that they flagged."""

    judgments: dict[str, Sent] = field(default_factory=dict)
    flagged: set[str] = field(default_factory=set)


@dataclass
class Counts:
    """What happened to people, how long answers took, and what broke a rule."""

    acknowledged: int = 0
    excused: int = 0
    """Answers of 5xx while the database was away."""
    busy: int = 0
    """Answers of 503 that ask to try again, because a statement waited too long."""
    mishaps: Counter[str] = field(default_factory=Counter)
    submits: Counter[int] = field(default_factory=Counter)
    """How many took so long, in tenths of a millisecond; the same of `searches` for work."""
    searches: Counter[int] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def took(self, request: str, seconds: float) -> None:
        """Note the time of an answer to "grade" or "next"."""
        (self.submits if request == "grade" else self.searches)[round(seconds * TENTHS)] += 1

    def add(self, other: "Counts") -> None:
        """What happened elsewhere; its violations are told otherwise."""
        self.acknowledged += other.acknowledged
        self.excused += other.excused
        self.busy += other.busy
        self.mishaps += other.mishaps
        self.submits += other.submits
        self.searches += other.searches

    def as_json(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(Counts)}

    def take(self, kept: dict[str, Any]) -> None:
        """Take over what `as_json` made."""
        for name, value in kept.items():
            if name in ("submits", "searches"):
                value = Counter({int(tenths): number for tenths, number in value.items()})
            setattr(self, name, Counter(value) if isinstance(value, dict) else value)


@dataclass
class Books(Counts):
    """Everybody's ledgers in one collection."""

    ledgers: dict[str, Ledger] = field(default_factory=dict)

    def of(self, person: str) -> Ledger:
        return self.ledgers.setdefault(person, Ledger())

    def as_json(self) -> dict[str, Any]:
        ledgers = {
            person: {
                "judgments": {key: [sent.pair, sent.grade, sent.told] for key, sent in own.judgments.items()},
                "flagged": sorted(own.flagged),
            }
            for person, own in self.ledgers.items()
        }
        return {**super().as_json(), "ledgers": ledgers}

    def take(self, kept: dict[str, Any]) -> None:
        super().take({name: value for name, value in kept.items() if name != "ledgers"})
        for person, own in kept["ledgers"].items():
            judgments = {key: Sent(*sent) for key, sent in own["judgments"].items()}
            self.ledgers[person] = Ledger(judgments, set(own["flagged"]))


def seconds_of(times: Counter[int]) -> Iterable[float]:
    """The times that were counted, each as often as it was."""
    return (tenths / TENTHS for tenths in times.elements())
