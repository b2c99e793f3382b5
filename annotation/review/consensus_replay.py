"""Replay stored judgments under another consensus rule; changes nothing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection
from django.utils.translation import gettext

from annotation.consensus import Rule, state_of
from foundation.models import Collection

EXAMPLES = 50
CHUNK = 5000
ASKED = ("kind", "first_round", "second_round", "largest_difference", "trimmed", "rounding")
"""What another rule may have otherwise; the scale stays."""

State = tuple[str, int | None]


@dataclass(frozen=True, slots=True)
class DecidedPair:
    """A decided pair: its state and grade as stored, and its counted grades in the order given."""

    pair: str
    state: str
    grade: int | None
    grades: tuple[int, ...]


@dataclass(slots=True)
class ConsensusReplay:
    """What a rule would change: numbers of pairs by state (and grade) before and after.

    A pair that the rule leaves "open" or "disputed" would need more judgments than were given.
    """

    pairs: int = 0
    judgments: int = 0
    moves: Counter[tuple[State, State]] = field(default_factory=Counter)
    examples: list[tuple[DecidedPair, State]] = field(default_factory=list)

    @property
    def changed(self) -> int:
        """How many pairs would change."""
        return sum(self.moves.values())

    @property
    def ordered(self) -> list[tuple[int, State, State]]:
        """The moves, the most frequent first: how many pairs, before, after."""
        moves = sorted(self.moves.items(), key=lambda move: (-move[1], repr(move[0])))
        return [(count, before, after) for (before, after), count in moves]

    @property
    def undecided(self) -> int:
        """How many of the changed pairs would need more judgments."""
        return sum(count for (_, (state, _)), count in self.moves.items() if state in ("open", "disputed"))


def replay(pairs: Iterable[DecidedPair], rule: Rule) -> ConsensusReplay:
    """Apply a rule to pairs that were decided by another one.

    >>> replay([DecidedPair("p", "disputed", None, (1, 3))], Rule(largest_difference=2)).moves
    Counter({(('disputed', None), ('consensus', 2)): 1})
    """
    replayed = ConsensusReplay()
    for pair in pairs:
        replayed.pairs += 1
        replayed.judgments += len(pair.grades)
        before, after = (pair.state, pair.grade), state_of(pair.grades, rule)
        if before != after:
            replayed.moves[before, after] += 1
            if len(replayed.examples) < EXAMPLES:
                replayed.examples.append((pair, after))
    return replayed


def replay_collection(*, collection: Collection, rule: Rule) -> ConsensusReplay:
    """Apply a rule to all pairs of a collection that have a counted judgment, except those withdrawn by the lead.

    Raises: ValueError if a stored grade lies above the rule's top grade.
    """
    return replay(_judged_pairs(collection), rule)


def _judged_pairs(collection: Collection) -> Iterator[DecidedPair]:
    # A cursor on the server: memory stays the same at ten pairs and at a million.
    with connection.chunked_cursor() as cursor:
        cursor.cursor.itersize = CHUNK
        cursor.execute(
            """
            SELECT p.public_id, p.status, p.grade, array_agg(j.grade ORDER BY j.id)
              FROM annotation_batch b
              JOIN annotation_pair p ON p.batch_id = b.id AND p.status <> 'withdrawn'
              JOIN annotation_judgment j ON j.pair_id = p.id AND j.counted
             WHERE b.collection_id = %s
             GROUP BY p.id ORDER BY p.id""",
            [collection.pk],
        )
        for public_id, state, grade, grades in cursor:
            yield DecidedPair(str(public_id), state, grade, tuple(grades))


def another_rule(own: Rule, asked: Mapping[str, Any]) -> Rule:
    """A collection's rule, but for what is asked; None and "" ask for nothing.

    Raises: ValueError for a rule by which nothing could be decided.
    """
    return replace(own, **{name: value for name, value in asked.items() if value not in (None, "")})


def in_words(state: State) -> str:
    """A state and grade in words, for pages and the command.

    >>> in_words(("consensus", 3)), in_words(("open", None))
    ('grade 3', 'more judgments in the first round')
    """
    name, grade = state
    words = {
        "open": gettext("more judgments in the first round"),
        "disputed": gettext("a second round"),
        "discarded": gettext("discarded"),
    }
    return gettext("grade %(grade)s") % {"grade": grade} if name == "consensus" else words[name]
