"""Counts of batches and pairs by state."""

from dataclasses import dataclass
from typing import Any

from django.db import connection

from annotation.assignment.staffing import ENOUGH, Staffing, staffing
from annotation.batches.opening import to_open
from annotation.batches.transitions import draws_pairs
from desk.forecast import Work
from foundation.models import Collection

_BATCHES = """
SELECT b.status, b.begun_at IS NOT NULL, b.number, count(*)
  FROM annotation_batch b WHERE b.collection_id = %(collection)s GROUP BY 1, 2, 3"""

_PAIRS = """
SELECT p.status, count(*)
  FROM annotation_pair p JOIN annotation_batch b ON b.id = p.batch_id
 WHERE b.collection_id = %(collection)s GROUP BY 1"""

# Judgments are found by their annotators: these are few, and the pairs many.
_OWN = "(SELECT id FROM foundation_membership WHERE collection_id = %(collection)s)"
_JUDGMENTS = f"""
SELECT count(*),
       count(*) FILTER (WHERE decided_at > (SELECT max(created_at) FROM datasets_release
                                             WHERE collection_id = %(collection)s))
  FROM annotation_judgment WHERE counted AND annotator_id IN {_OWN}"""

_UNDECIDED = f"""
SELECT p.status, j.round, count(*)
  FROM annotation_pair p JOIN annotation_judgment j ON j.pair_id = p.id AND j.counted
 WHERE p.status IN ('open', 'disputed') AND j.annotator_id IN {_OWN} GROUP BY 1, 2"""

_WENT_ON = f"""
SELECT count(*)
  FROM (SELECT DISTINCT pair_id FROM annotation_judgment WHERE counted AND round = 2 AND annotator_id IN {_OWN}) j
  JOIN annotation_pair p ON p.id = j.pair_id AND p.status IN ('consensus', 'discarded')"""

_NO_CLIP = """
SELECT count(*)
  FROM annotation_pair p
  JOIN annotation_batch b ON b.id = p.batch_id
  JOIN queries_candidate k ON k.id = p.candidate_id
  LEFT JOIN corpus_clip c ON c.moment_id = k.moment_id AND c.video_file <> ''
 WHERE b.collection_id = %(collection)s AND p.status IN ('open', 'disputed') AND c.id IS NULL"""


@dataclass(frozen=True, slots=True)
class Backlog:
    """Counts by state. `batches`: open, judging, second, decided, finished, extended; `pairs` by their status.

    `judgments` are the counted ones, `since_release` those of them that came after the newest release (0 without one);
    `opened`: queries with a batch; `work` is what the forecast is made from; `staffing`: whether the people are enough.
    """

    batches: dict[str, int]
    pairs: dict[str, int]
    judgments: int
    waiting_for_clip: int
    work: Work
    opened: int = 0
    since_release: int = 0
    staffing: Staffing = ENOUGH


def backlog(collection: Collection, *, drawn: int) -> Backlog:
    """Seven SQL queries, six where there are no clips, and those of `staffing`.

    Args: drawn: the collection's val and test queries; of a design that draws queries, those.
    """
    rows = _rows(_BATCHES, collection)
    batches = _by_state(rows)
    first_batches = undecided = reviewed = 0
    for status, _, number, count in rows:
        first_batches += count if number == 1 else 0
        if number < collection.max_batches:
            over = status in ("finished", "extended")
            reviewed += count if over else 0
            undecided += 0 if over else count
    pairs = {"open": 0, "disputed": 0, "consensus": 0, "discarded": 0, "withdrawn": 0}
    pairs.update(dict(_rows(_PAIRS, collection)))
    given = {(status, turn): count for status, turn, count in _rows(_UNDECIDED, collection)}
    no_clip = _rows(_NO_CLIP, collection)[0][0] if collection.has_clips else 0
    unopened = max(0, drawn - first_batches)
    sampled = draws_pairs(collection)
    later = 0 if sampled else undecided + (unopened if collection.max_batches > 1 else 0)
    work = Work(
        first_round=pairs["open"],
        first_given=given.get(("open", 1), 0),
        second_round=pairs["disputed"],
        second_given=given.get(("disputed", 2), 0),
        decided=pairs["consensus"] + pairs["discarded"],
        went_on=pairs["disputed"] + _rows(_WENT_ON, collection)[0][0],
        unopened=to_open(collection).count() if sampled else unopened * collection.batch_size,
        later=later * collection.batch_size,
        extended=batches["extended"],
        reviewed=reviewed,
        first_people=collection.first_round_people,
        second_people=collection.second_round_people,
    )
    ((judgments, later),) = _rows(_JUDGMENTS, collection)
    return Backlog(batches, pairs, judgments, no_clip, work, first_batches, later, staffing(collection))


def batch_states(collection: Collection) -> dict[str, int]:
    """`Backlog.batches` alone, in one cheap SQL query: batches are a twentieth of the pairs."""
    return _by_state(_rows(_BATCHES, collection))


def _by_state(rows: list[Any]) -> dict[str, int]:
    batches = {"open": 0, "judging": 0, "second": 0, "decided": 0, "finished": 0, "extended": 0}
    for status, begun, _, count in rows:
        batches[("judging" if begun else "open") if status == "first" else status] += count
    return batches


def _rows(statement: str, collection: Collection) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"collection": collection.pk})
        rows: list[Any] = cursor.fetchall()
    return rows
