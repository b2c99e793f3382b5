"""The pairs of a release's raw_annotations.csv, kept in a file: a release may have more than memory holds."""

from collections.abc import Iterator

from ..judgments.consensus import Rule, State, decide, state_of
from ..texts import counted
from .spilled import Spilled
from .untrusted_files import JudgedPair, PairFields


class JudgedPairs:
    """Pair id -> what is judged, in the order of the file."""

    def __init__(self) -> None:
        self.judgments = 0
        """In all, as far as they were read."""
        self._kept = Spilled()
        self._in_hand: tuple[str, JudgedPair] | None = None

    def take(self, pair_id: str, facts: PairFields) -> JudgedPair:
        """The pair, a new one with these facts if need be. It may be changed until another is taken or read: rows of a
        pair follow each other."""
        if self._in_hand is None or self._in_hand[0] != pair_id:
            self._in_hand = (pair_id, self.get(pair_id) or JudgedPair(facts))
        return self._in_hand[1]

    def get(self, pair_id: str) -> JudgedPair | None:
        self._put_down()
        row = self._kept.get(pair_id)
        return None if row is None else _pair(*row)

    def __len__(self) -> int:
        self._put_down()
        return len(self._kept)

    def items(self) -> Iterator[tuple[str, JudgedPair]]:
        """All of them, as the file has them. None may be taken meanwhile."""
        self._put_down()
        return ((pair_id, _pair(*row)) for pair_id, row in self._kept.items())

    def _put_down(self) -> None:
        if self._in_hand is not None:
            pair_id, pair = self._in_hand
            self._kept[pair_id] = (pair.facts, pair.grades, pair.workers)
            self._in_hand = None


def _pair(facts: list[object], grades: list[int], workers: list[str]) -> JudgedPair:
    fields = PairFields(*facts)  # type: ignore[arg-type]  # as `_put_down` wrote them, read back from JSON
    return JudgedPair(fields._replace(timestamp=(fields.timestamp[0], fields.timestamp[1])), grades, workers)


def decided_by(grades: list[int], rule: Rule, any_order: bool = False) -> tuple[State, int | None] | None:
    """State and grade that follow from a decided pair's grades in order; None if it can't have so many.

    Args: any_order: both rounds' judgments may be there although no first round disagrees, as long as all give the same
        grade: an import with a policy for repeated ids brings them.
    """
    state = state_of(grades, rule)
    used = rule.first_round
    if (len(grades) > used and state_of(grades[:used], rule)[0] == "disputed") or (
        any_order and len(grades) == rule.both_rounds and decide(grades, rule).grade == state[1]
    ):
        used = rule.both_rounds
    return state if len(grades) == used and state[0] in ("consensus", "discarded") else None


def wrong_number(grades: list[int], rule: Rule) -> str:
    """Why a pair can't have so many grades, where `decided_by` says None; what follows its name in a sentence."""
    if len(grades) == rule.first_round:
        return f"has {len(grades)} judgments in dispute, {grades}, and no second round"
    if len(grades) == rule.both_rounds:
        return f"has {len(grades)} judgments, {grades}, although the first {rule.first_round} agree"
    return f"has {counted(len(grades), 'judgment')}, expected {rule.first_round} or {rule.both_rounds}"
