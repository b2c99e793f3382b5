"""Forecast of the end and cost of judging, from counts."""

import math
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Work:
    """Counts of pairs by state.

    Args:
        first_round: opened pairs that lack a grade of the first round; first_given: counted judgments they have.
        second_round: pairs in dispute; second_given: counted judgments they have of the second round.
        decided: pairs with consensus or discarded; went_on: of these and those in dispute, how many needed the second.
        unopened: pairs of first batches that are still to be opened.
        later: pairs that a second or later batch would bring, over queries about which nothing is decided.
        extended, reviewed: batches after which another came, of those where that was decided.
        first_people, second_people: the collection's annotators a round.
    """

    first_round: int = 0
    first_given: int = 0
    second_round: int = 0
    second_given: int = 0
    decided: int = 0
    went_on: int = 0
    unopened: int = 0
    later: int = 0
    extended: int = 0
    reviewed: int = 0
    first_people: int = 2
    second_people: int = 2

    @property
    def second_share(self) -> float | None:
        """The share of pairs past their first round that went to the second, 0-1; None without any."""
        through = self.decided + self.second_round
        return self.went_on / through if through else None

    @property
    def extended_share(self) -> float | None:
        """The share of decided batches that were extended, 0-1; None without any."""
        return self.extended / self.reviewed if self.reviewed else None


def judgments_left(work: Work) -> int:
    """Judgments until every pair is decided, >= 0, rounded up: a share that isn't known yet counts as 0.

    Pairs that are in their first round, unopened, or to come by an extension each need the first round, and the
    share `second_share` of them the second. Pairs in dispute need what is left of their second.
    """
    to_come = work.unopened + (work.extended_share or 0.0) * work.later
    fresh = work.first_round + to_come
    first = max(0.0, fresh * work.first_people - work.first_given)
    second = max(0, work.second_round * work.second_people - work.second_given)
    return math.ceil(first + second + fresh * (work.second_share or 0.0) * work.second_people - 1e-9)


@dataclass(frozen=True, slots=True)
class Forecast:
    """The forecast; None where there is not enough data yet.

    `a_day` is the pace in counted judgments; `cost` of the judgments left, `total` with what was paid so far.
    """

    left: int
    a_day: float
    days: int | None
    ends: date | None
    cost: Decimal | None
    total: Decimal | None


LONGEST = 36_500
"""Days beyond which no date is given."""


def forecast(
    *, left: int, judged: int, days: float, today: date, paid: Decimal | None, recently_paid: Decimal | None
) -> Forecast:
    """The end and the cost at the pace of the last `days` (> 0), in which `judged` counted judgments were given.

    Args:
        paid: for all work so far, None if some of it has no rate; recently_paid: for that of the last `days`.
    Raises: ValueError for counts below 0 or days not above 0.
    """
    if left < 0 or judged < 0 or days <= 0:
        raise ValueError(f"found left {left}, judged {judged}, days {days}; expected counts, and days above 0")
    pace = judged / days
    needed = 0 if left == 0 else math.ceil(left / pace) if pace else None
    if needed is not None and needed > LONGEST:
        needed = None
    cost = None
    if left == 0:
        cost = Decimal(0)
    elif judged and recently_paid is not None:
        cost = (recently_paid / Decimal(judged) * left).quantize(Decimal("0.01"))
    return Forecast(
        left=left,
        a_day=pace,
        days=needed,
        ends=None if needed is None else today + timedelta(days=needed),
        cost=cost,
        total=None if cost is None or paid is None else paid + cost,
    )
