"""What a session is worth and whether it is to be approved, and the files that platforms take for it. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

CENT = Decimal("0.01")
APPROVE, LOOK, REJECT, SCREENED, NONE = "approve", "look", "reject", "screened out", ""
"""What is suggested: "look" is for a person to decide, "" is nothing to approve yet."""
SUGGESTIONS = {
    APPROVE: gettext_lazy("approve"),
    LOOK: gettext_lazy("look first"),
    REJECT: gettext_lazy("reject"),
    SCREENED: gettext_lazy("pay the screening"),
}


def suggested(outcome: str, *, alerts: Sequence[str], barred: bool) -> str:
    """What to do about a session.

    Nothing is rejected for disagreeing alone: a person looks at alerts first. Who was barred was decided about.

    >>> suggested("complete", alerts=[], barred=False), suggested("short", alerts=["fast"], barred=False)
    ('approve', 'look')
    >>> suggested("screened", alerts=[], barred=False), suggested("left", alerts=[], barred=True)
    ('screened out', '')
    """
    if outcome == "screened":
        return SCREENED
    if outcome not in ("complete", "short"):
        return NONE
    return REJECT if barred else LOOK if alerts else APPROVE


def amount_due(paid_by: str, rate: Decimal, *, judgments: int, minutes: float | None) -> Decimal:
    """What the work of a session comes to, to a cent; minutes from entering to the end, as platforms count.

    By the session it is the rate itself. A session is due the platform's reward at least.

    >>> amount_due("hour", Decimal(9), judgments=40, minutes=20.0)
    Decimal('3.00')
    >>> amount_due("judgment", Decimal("0.035"), judgments=41, minutes=None)
    Decimal('1.44')
    """
    many = {"session": Decimal(1), "judgment": Decimal(judgments), "hour": Decimal(round((minutes or 0) * 60)) / 3600}
    return (rate * many[paid_by]).quantize(CENT, ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as the list and the files tell it. `minutes` are the platform's, `paid_minutes` those at work; `due` is
    what it comes to and `bonus` what of it the platform's reward doesn't cover, each None before it is complete. `gold`
    are those of the judgments that were gold, `gold_within` those within the rule's tolerance of the known grade."""

    recruitment: str
    platform: str
    person: str
    session: str
    study: str
    worker: str
    entered: str
    ended: str
    outcome: str
    minutes: float | None
    paid_minutes: float
    judgments: int
    exam_out: float | None
    gold: int
    gold_within: int
    alerts: tuple[str, ...]
    code: str
    suggestion: str
    due: Decimal | None
    reward: Decimal | None
    bonus: Decimal | None
    currency: str

    @property
    def out_percent(self) -> float | None:
        return None if self.exam_out is None else 100 * self.exam_out

    @property
    def suggestion_said(self) -> Promise | str:
        """The suggestion in words."""
        return SUGGESTIONS.get(self.suggestion, "–")

    def as_cells(self) -> tuple[object, ...]:
        """In the order of HEADINGS; what isn't known is empty."""

        def told(value: object) -> object:
            return "" if value is None else round(value, 2) if isinstance(value, float) else value

        cells = (getattr(self, name) for name in HEADINGS)
        return tuple("; ".join(cell) if isinstance(cell, tuple) else told(cell) for cell in cells)


HEADINGS = SessionRow.__slots__
REJECTED = "The lead has ended this person's part in the work."


@dataclass(frozen=True, slots=True)
class PlatformFile:
    """A file that a platform takes: its ending, its headings (none: the file has none), and the cells of a row."""

    ending: str
    headings: tuple[str, ...]
    cells: Callable[[SessionRow], tuple[object, ...]]
    decides: frozenset[str] = frozenset({APPROVE})

    def lines(self, rows: Iterable[SessionRow]) -> list[tuple[object, ...]]:
        """Of those that are decided, whose ids are still there."""
        return [self.cells(row) for row in rows if row.suggestion in self.decides and row.person]


_BOTH = frozenset({APPROVE, REJECT})
APPROVALS = {
    # "Bulk approve" takes ids of participants, one a line.
    "prolific": PlatformFile("csv", (), lambda row: (row.person,)),
    # The results file of a batch: an x in one of two columns, or why not.
    "mturk": PlatformFile(
        "csv",
        ("HITId", "AssignmentId", "WorkerId", "Approve", "Reject"),
        lambda row: (
            row.study,
            row.session,
            row.person,
            *(("x", "") if row.suggestion == APPROVE else ("", REJECTED)),
        ),
        _BOTH,
    ),
    "toloka": PlatformFile(
        "tsv",
        ("ASSIGNMENT:assignment_id", "ACCEPT:verdict", "ACCEPT:comment"),
        lambda row: (row.session, *(("+", "") if row.suggestion == APPROVE else ("-", REJECTED))),
        _BOTH,
    ),
    "sona": PlatformFile("csv", (), lambda row: (row.person,)),
    "other": PlatformFile("csv", ("person", "session"), lambda row: (row.person, row.session)),
}
"""By platform: what is uploaded there to approve."""


def bonus_lines(rows: Iterable[SessionRow]) -> list[tuple[object, ...]]:
    """Id and amount of each bonus of an approved session, as "bulk bonus payments" take them; a person's are added up.

    >>> bonus_lines([])
    []
    """
    owed: dict[str, Decimal] = {}
    for row in rows:
        if row.suggestion == APPROVE and row.person and row.bonus:
            owed[row.person] = owed.get(row.person, Decimal(0)) + row.bonus
    return list(owed.items())
