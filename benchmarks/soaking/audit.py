"""Compare the database with the people's books, and every stored state with what its rows say."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import connection

from annotation.consensus import needed_in, state_of
from benchmarks.soaking.ledger import LATE, REFUSED, SAVED, SENT, TAKEN_BACK, Books, Sent

MOST_NAMED = 8
"""Rows that a violation names."""
ROUNDING = 0.001
"""Seconds: times are stored in microseconds, work in floats."""

UNASKED = "taken back by nobody"

Row = tuple[Any, ...]


def books_balance(name: str, books: Books, taking_back: frozenset[str] = frozenset()) -> list[str]:
    """What was acknowledged is stored exactly once as it was said, and nothing else is.

    Args: taking_back: keys of judgments whose undo is under way, so that they may be counted or not.
    """
    stored: dict[str, dict[str, Row]] = {}
    judged: set[tuple[str, str]] = set()
    for person, key, pair, grade, counted, because in _rows(_STORED, name):
        stored.setdefault(person, {})[key] = (pair, grade, counted, because)
        judged.add((person, pair))
    faults: dict[str, list[str]] = {}
    for person in sorted({*stored, *books.ledgers}):
        own, rows = books.of(person).judgments, stored.get(person, {})
        for key in rows.keys() - own.keys():
            faults.setdefault("stored, and never sent", []).append(f"{person} {key}")
        # The undo of a second grade takes the first one back, which another tab was told is saved.
        undone = {sent.pair for key, sent in own.items() if sent.told == TAKEN_BACK or key in taking_back}
        for key, sent in own.items():
            problem = _compare(sent, rows.get(key), (person, sent.pair) in judged)
            if problem and not (problem == UNASKED and sent.pair in undone):
                faults.setdefault(problem, []).append(f"{person} {key} {sent}: {rows.get(key)}")
    flagged = {(person, pair) for person, pair in _rows(_FLAGGED, name)}
    lost = {(person, pair) for person, own in books.ledgers.items() for pair in own.flagged} - flagged
    if lost:
        faults["flags acknowledged and not stored"] = [f"{person} {pair}" for person, pair in sorted(lost)]
    return [_violation(what, rows) for what, rows in faults.items()]


def _compare(sent: Sent, row: Row | None, judged_otherwise: bool) -> str:
    """What is wrong with a judgment's row; "" if nothing is."""
    if sent.told == REFUSED:
        return "refused, and stored" if row is not None else ""
    if row is None:
        # Of two tabs that send a grade of the same pair, the second is told that there is one.
        return "" if sent.told == SENT or judged_otherwise else "acknowledged, and not stored"
    pair, grade, counted, because = row
    if (pair, grade) != (sent.pair, sent.grade):
        return "stored with another pair or grade"
    if sent.told == TAKEN_BACK and counted:
        return "acknowledged as taken back, and counted"
    if sent.told == LATE and because not in (LATE, "second"):
        return "acknowledged as uncounted, and stored otherwise"
    if sent.told == SAVED and because == "taken-back":
        return UNASKED
    return ""


_OF_COLLECTION = "b.collection_id = (SELECT id FROM foundation_collection WHERE name = %(name)s)"
_MEMBER = "JOIN foundation_membership m ON m.id = {}.annotator_id JOIN foundation_account a ON a.id = m.account_id"
_PAIR = "JOIN annotation_pair p ON p.id = {}.pair_id JOIN annotation_batch b ON b.id = p.batch_id"

_STORED = f"""
SELECT a.username, j.key::text, p.public_id::text, j.grade, j.counted, j.uncounted_because
  FROM annotation_judgment j {_PAIR.format("j")} {_MEMBER.format("j")} WHERE {_OF_COLLECTION}"""

_FLAGGED = f"""
SELECT a.username, p.public_id::text FROM annotation_flag f {_PAIR.format("f")} {_MEMBER.format("f")}
 WHERE {_OF_COLLECTION}"""

_PAIRS = f"""
SELECT p.id, p.status, p.grade, array_remove(array_agg(j.grade ORDER BY j.id), NULL),
       count(j.id), count(DISTINCT j.annotator_id), array_remove(array_agg(j.round ORDER BY j.id), NULL)
  FROM annotation_pair p JOIN annotation_batch b ON b.id = p.batch_id
  LEFT JOIN annotation_judgment j ON j.pair_id = p.id AND j.counted
 WHERE {_OF_COLLECTION} GROUP BY p.id"""

# Decided, finished and extended differ by the review alone, of which there is one or none.
_BATCHES = f"""
SELECT b.id, b.number, b.status, said.should, r.decision
  FROM annotation_batch b LEFT JOIN annotation_review r ON r.batch_id = b.id
  JOIN foundation_collection c ON c.id = b.collection_id
  CROSS JOIN LATERAL (
       SELECT CASE WHEN EXISTS (SELECT FROM annotation_pair p WHERE p.batch_id = b.id AND p.status = 'open')
                   THEN 'first'
                   WHEN EXISTS (SELECT FROM annotation_pair p WHERE p.batch_id = b.id AND p.status = 'disputed')
                   THEN 'second'
                   WHEN r.decision = 'extend' THEN 'extended'
                   WHEN r.decision = 'finish' OR b.number >= c.max_batches THEN 'finished'
                   ELSE 'decided' END AS should) AS said
 WHERE {_OF_COLLECTION} AND b.status <> said.should"""

_EXTENSIONS = f"""
SELECT b.id, r.decision, n.id FROM annotation_batch b
  LEFT JOIN annotation_review r ON r.batch_id = b.id
  LEFT JOIN annotation_batch n ON n.query_id = b.query_id AND n.number = b.number + 1
 WHERE {_OF_COLLECTION} AND (coalesce(r.decision, '') = 'extend') <> (n.id IS NOT NULL)"""

_SHORT = f"""
SELECT b.id, count(p.id) FROM annotation_batch b JOIN foundation_collection c ON c.id = b.collection_id
  LEFT JOIN annotation_pair p ON p.batch_id = b.id
 WHERE {_OF_COLLECTION} GROUP BY b.id, c.batch_size HAVING count(p.id) <> c.batch_size"""

_SEATS = f"""
SELECT s.id, b.id, b.status, s.expires_at FROM annotation_seat s JOIN annotation_batch b ON b.id = s.batch_id
 WHERE {_OF_COLLECTION} AND s.ended_at IS NULL AND b.status NOT IN ('first', 'second')"""

_UNFINISHED = f"""
SELECT b.id, b.number, b.status,
       ARRAY(SELECT p.id FROM annotation_pair p WHERE p.batch_id = b.id AND p.status IN ('open', 'disputed') LIMIT 5),
       (SELECT count(*) FROM annotation_seat s WHERE s.batch_id = b.id AND s.ended_at IS NULL),
       (SELECT count(*) FROM annotation_flag f JOIN annotation_pair p ON p.id = f.pair_id
         WHERE p.batch_id = b.id AND f.answered_at IS NULL)
  FROM annotation_batch b WHERE {_OF_COLLECTION} AND b.status NOT IN ('finished', 'extended') ORDER BY b.id"""

# Of each account, over all collections: work is a stretch of time that ends when the judgment was decided.
_OVERLAPS = """
SELECT account_id, id, decided_at, active_seconds, before FROM (
  SELECT m.account_id, j.id, j.decided_at, j.active_seconds,
         lag(j.decided_at) OVER (PARTITION BY m.account_id ORDER BY j.decided_at, j.id) AS before
    FROM annotation_judgment j JOIN foundation_membership m ON m.id = j.annotator_id) AS work
 WHERE extract(epoch FROM decided_at - before) < active_seconds - %(rounding)s"""

_OVERPAID = """
SELECT m.account_id, sum(j.active_seconds), extract(epoch FROM max(j.given_at) - min(s.taken_at))::float8
  FROM annotation_judgment j JOIN foundation_membership m ON m.id = j.annotator_id
  JOIN LATERAL (SELECT min(taken_at) AS taken_at FROM annotation_seat WHERE annotator_id = m.id) AS s ON true
 GROUP BY m.account_id
HAVING sum(j.active_seconds) > extract(epoch FROM max(j.given_at) - min(s.taken_at)) + %(rounding)s"""

_CLOCKS = """
SELECT c.account_id, c.until, max(j.decided_at), c.seconds,
       sum(j.active_seconds) FILTER (WHERE j.decided_at::date = c.until::date)
  FROM annotation_workclock c JOIN foundation_membership m ON m.account_id = c.account_id
  JOIN annotation_judgment j ON j.annotator_id = m.id
 GROUP BY c.account_id
HAVING c.until < max(j.decided_at)
    OR abs(c.seconds - sum(j.active_seconds) FILTER (WHERE j.decided_at::date = c.until::date)) > %(rounding)s"""


def states_hold(name: str) -> list[str]:
    """Pairs, batches, seats and clocks are what the judgments say; holds at any moment at which nothing is written."""
    faults: dict[str, list[str]] = {}
    for pk, status, grade, grades, given, people, rounds in _rows(_PAIRS, name):
        if people != given:
            faults.setdefault("judged twice by one person", []).append(
                f"pair {pk}: {given} judgments of {people} people"
            )
        if status == "withdrawn":
            continue
        if (status, grade) != state_of(grades):
            faults.setdefault("pairs not as their judgments say", []).append(f"pair {pk}: {status} {grade}, {grades}")
        decided = state_of(grades[:2])[0] in ("consensus", "discarded")
        if given > (2 if decided else needed_in("disputed")):
            faults.setdefault("pairs over their number", []).append(f"pair {pk}: {grades}")
        if rounds != [1 if place < 2 else 2 for place in range(given)]:
            faults.setdefault("judgments of a wrong round", []).append(f"pair {pk}: rounds {rounds}")
    for what, statement in (
        ("batches without all their pairs", _SHORT),
        ("extensions without a batch, or batches without one", _EXTENSIONS),
        ("time that overlaps, and so is paid twice", _OVERLAPS),
        ("more time than passed", _OVERPAID),
        ("clocks that aren't where the judgments say", _CLOCKS),
    ):
        faults[what] = [str(row) for row in _rows(statement, name)]
    return [_violation(what, rows) for what, rows in faults.items() if rows]


def batches_hold(name: str) -> list[str]:
    """Batches are what their pairs say, and nobody sits where nothing is left to judge.

    The last two pairs of a round may be judged at the same moment: then a sweep of the worker settles their batch.
    """
    faults = {
        "batches not as their pairs say": [str(row) for row in _rows(_BATCHES, name)],
        "seats where nothing is left": [str(row) for row in _rows(_SEATS, name)],
    }
    return [_violation(what, rows) for what, rows in faults.items() if rows]


def unfinished(name: str) -> list[Row]:
    """Batches that aren't finished or extended: id, number, status, undecided pairs, seats, open flags."""
    return list(_rows(_UNFINISHED, name))


def stuck(name: str) -> list[str]:
    """All that can be decided is decided."""
    rows = [
        f"batch {pk} (number {number}, {status}): undecided pairs {pairs}, {seats} seats, {flags} open flags"
        for pk, number, status, pairs, seats, flags in unfinished(name)
    ]
    return [_violation("batches that are stuck", rows)] if rows else []


def computed_holds(name: str, which: Iterable[str], patience: float) -> list[str]:
    """Figures that the worker precomputes are those that are computed here.

    Args: which: names of computations; patience: seconds for the worker to compute each.
    """
    from annotation import precomputed
    from annotation.models import Computed
    from foundation.models import Collection

    collection = Collection.objects.get(name=name)
    wrong = []
    for figures in which:
        asked = precomputed.computed_or_ask(collection=collection, name=figures, anew=True)
        if asked.as_of is not None and not asked.running:
            continue  # so small that no worker is needed
        stored, deadline = Computed.objects.filter(collection=collection, name=figures), time.monotonic() + patience
        while stored.get().asked_at is not None and time.monotonic() < deadline:
            time.sleep(0.2)
        row = stored.get()
        if row.asked_at is not None or row.problem:
            wrong.append(f"{figures}: not computed within {patience:.0f} s {row.problem}")
        elif not _alike(row.value, precomputed._value(precomputed._find(figures), collection)):
            wrong.append(f"{figures}: what is stored isn't what is computed")
    return [_violation("precomputed figures", wrong)] if wrong else []


def _alike(value: Any, other: Any) -> bool:
    """Whether two values of JSON are the same, apart from times."""
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(
            name.endswith(("_from", "_at", "as_of")) or _alike(value[name], other[name]) for name in value
        )
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_alike, value, other))
    if isinstance(value, float) and isinstance(other, float):
        return abs(value - other) < 1e-9
    return bool(value == other)


def progress_holds(name: str, figures_of: Callable[[str], dict[str, Any]], people: Iterable[str]) -> list[str]:
    """What each person's page says of the own week is what is stored. Args: figures_of: a person's own."""
    counted: dict[str, int] = dict(_rows(_WEEK, name))
    wrong = [
        f"{person}: {shown} told, {counted.get(person, 0)} stored"
        for person in people
        if (shown := figures_of(person)["week"]) != counted.get(person, 0)
    ]
    return [_violation("own figures that aren't what is stored", wrong)] if wrong else []


_WEEK = f"""
SELECT a.username, count(*) FROM annotation_judgment j {_PAIR.format("j")} {_MEMBER.format("j")}
 WHERE {_OF_COLLECTION} AND j.uncounted_because IN ('', 'late') AND j.given_at >= now() - interval '7 days'
 GROUP BY 1"""


def _rows(statement: str, name: str) -> Iterator[Row]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"name": name, "rounding": ROUNDING})
        yield from cursor.fetchall()


def _violation(what: str, rows: list[str]) -> str:
    more = f", and {len(rows) - MOST_NAMED:,} more" if len(rows) > MOST_NAMED else ""
    return f"{len(rows):,} {what}: " + "; ".join(rows[:MOST_NAMED]) + more
