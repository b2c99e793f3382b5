"""What the simulated people sent and what they were told: the books that the database is compared with."""

from collections import Counter
from dataclasses import dataclass, field

SENT, SAVED, LATE, REFUSED, TAKEN_BACK = "sent", "saved", "late", "refused", "taken back"
"""What somebody knows of a judgment: nothing yet; that it is stored; stored but not counted; not taken; taken back."""


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
class Books:
    """Everybody's ledgers in one collection, what happened to them, how long answers took, and what broke a rule."""

    ledgers: dict[str, Ledger] = field(default_factory=dict)
    acknowledged: int = 0
    mishaps: Counter[str] = field(default_factory=Counter)
    submits: list[float] = field(default_factory=list)
    searches: list[float] = field(default_factory=list)
    excused: int = 0
    """Answers of 5xx while the database was away."""
    busy: int = 0
    """Answers of 503 that ask to try again, because a statement waited too long."""
    violations: list[str] = field(default_factory=list)

    def of(self, person: str) -> Ledger:
        return self.ledgers.setdefault(person, Ledger())
