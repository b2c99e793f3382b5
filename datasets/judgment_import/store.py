"""Store a staged judgment import, one statement per table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db import connection
from django.db.models import Model
from django.db.models.fields import NOT_PROVIDED

from annotation.batches.webhook_events import SettledBatch, note_many
from annotation.consensus import Rule
from annotation.models import Batch, Judgment, Pair
from corpus.models import Description, Moment, Video
from datasets.judgment_import.staging_tables import RESOLVE, Parameters, execute, rows_of
from foundation.infra.set_based_sql import analyse_after_commit
from foundation.models import Collection, Membership
from queries.models import Attempt, Candidate, Caption, Query

MADE_BY = "import"
"""The rewriter of captions that came with judgments."""
NO_MOMENT = "The text of an imported query whose own moment is not among the judged ones."

_JOINED_BY: dict[type[Model], tuple[str, ...]] = {
    Video: ("collection_id",),
    Moment: ("video_id",),
    Description: ("collection_id", "moment_id"),
    Attempt: ("description_id",),
    Caption: ("description_id", "status"),
    Query: ("collection_id",),
    Candidate: ("query_id", "moment_id", "rank"),
    Batch: ("collection_id", "query_id", "status"),
    Pair: ("batch_id", "candidate_id", "status"),
    Judgment: ("pair_id", "annotator_id"),
}


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """Numbers of new rows; `states`: pairs that got judgments, by their new state."""

    queries: int
    pairs: int
    workers: int
    states: dict[str, int]


def parameters_of(collection: Collection, split: str) -> Parameters:
    """The SQL statements' parameters for a collection."""
    return {
        "collection": collection.pk,
        "split": split,
        "slack": collection.end_slack,
        "size": collection.batch_size,
        "batches": collection.max_batches,
        "reason": NO_MOMENT,
    }


def insert(model: type[Model], values: Mapping[str, str], source: str, parameters: Parameters) -> int:
    """INSERT into a model's table the rows that `source` (FROM ...) selects. Returns: how many rows.

    Args: values: column -> SQL expression; columns that aren't named get the field's default, as `save` gives it.
    """
    columns, expressions, defaults = list(values), list(values.values()), {}
    for field in model._meta.concrete_fields:
        if field.column is None or field.column in values or field.primary_key:
            continue
        if field.db_default is not NOT_PROVIDED:
            continue
        columns.append(field.column)
        if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False):
            expressions.append("now()")
        else:
            expressions.append(f"%(default_{field.column})s::{field.db_type(connection)}")
            defaults[f"default_{field.column}"] = field.get_db_prep_save(field.get_default(), connection)
    names = ", ".join(connection.ops.quote_name(column) for column in columns)
    return execute(
        f"INSERT INTO {model._meta.db_table} ({names}) SELECT {', '.join(expressions)} {source}",
        {**parameters, **defaults},
    )


def store(collection: Collection, parameters: Parameters, rule: Rule, step: Callable[[str], None]) -> ImportCounts:
    """Store the new rows of the staged file, and update pairs and batches."""
    step("making moments and captions")
    _store_moments(parameters)
    _store_captions(parameters)
    step("making queries and pairs")
    queries = _store_queries(parameters)
    _store_candidates(parameters)
    pairs = _open_batches(parameters)
    step("adding judgments")
    # Late: whoever joins meanwhile and is to get the same worker id waits until the transaction ends.
    workers = insert(
        Membership,
        {"collection_id": "%(collection)s", "role": "'annotator'", "worker": "worker"},
        """FROM (SELECT DISTINCT worker FROM fresh) AS one
          WHERE worker NOT IN (SELECT worker FROM foundation_membership WHERE collection_id = %(collection)s)
          ORDER BY worker ON CONFLICT DO NOTHING""",
        parameters,
    )
    _store_judgments({**parameters, "first_round": rule.first_round})
    _settle(collection, parameters)
    analyse_after_commit(_JOINED_BY)
    states = rows_of("SELECT status, count(*) FROM sequence JOIN outcome USING (before, added) GROUP BY 1", {})
    return ImportCounts(queries, pairs, workers, dict(states))


def _store_moments(parameters: Parameters) -> None:
    insert(
        Video,
        {"collection_id": "%(collection)s", "name": "video_name", "duration": "duration"},
        """FROM (SELECT video_name, max(duration) AS duration, min(no) AS no FROM file_moment GROUP BY 1) AS one
          WHERE NOT EXISTS (SELECT FROM corpus_video v WHERE v.collection_id = %(collection)s AND v.name = video_name)
          ORDER BY no""",
        parameters,
    )
    insert(
        Moment,
        {"video_id": "v.id", "start": "m.start", "end": 'm."end"'},
        """FROM file_moment m JOIN corpus_video v ON v.collection_id = %(collection)s AND v.name = m.video_name
          WHERE m.id IS NULL ORDER BY m.no""",
        parameters,
    )
    execute(RESOLVE, parameters)


# A new query's description is that of a moment whose caption is the query, its own pair's if it can be; failing
# that a description in the collection; failing that its most similar moment gets one, whose caption is refused, since
# nothing says that the query describes it.
_NEW_CAPTIONS = """
DROP TABLE IF EXISTS pg_temp.query_source, pg_temp.new_caption;
CREATE TEMPORARY TABLE query_source ON COMMIT DROP AS
SELECT DISTINCT ON (q.no) q.no, q.query_key, near.own, m.id AS moment_id, q.query_name,
       CASE WHEN near.own THEN f.caption ELSE q.text END AS text,
       NULL::bigint AS description_id, NULL::text AS source_id
  FROM (SELECT q.no AS query_no, f.no AS pair_no, true AS own
          FROM file_query q JOIN file_pair f ON f.caption_key = q.query_key WHERE q.id IS NULL
        UNION ALL
        SELECT q.no, f.no, false FROM file_query q JOIN file_pair f ON f.query_no = q.no WHERE q.id IS NULL) AS near
  JOIN file_query q ON q.no = near.query_no JOIN file_pair f ON f.no = near.pair_no
  JOIN file_moment m ON m.no = f.moment_no
 ORDER BY q.no, near.own DESC, (f.query_no = q.no) DESC, f.similarity DESC, f.no;
UPDATE query_source s SET description_id = d.id
  FROM corpus_description d JOIN queries_caption c ON c.description_id = d.id
 WHERE d.collection_id = %(collection)s AND d.source_id = s.query_name AND c.normalised = s.query_key;
UPDATE query_source s SET description_id = found.id
  FROM (SELECT c.normalised, min(d.id) AS id
          FROM corpus_description d JOIN queries_caption c ON c.description_id = d.id AND c.status = 'accepted'
         WHERE d.collection_id = %(collection)s GROUP BY c.normalised) AS found
 WHERE s.description_id IS NULL AND NOT s.own AND found.normalised = s.query_key;
UPDATE query_source s
   SET source_id = CASE WHEN s.query_name <> '' AND NOT EXISTS (SELECT FROM corpus_description d
                              WHERE d.collection_id = %(collection)s AND d.source_id = s.query_name)
                        THEN s.query_name ELSE 'query-' || md5(s.query_key) END
 WHERE s.description_id IS NULL;
UPDATE query_source s SET description_id = d.id
  FROM corpus_description d
 WHERE s.description_id IS NULL AND d.collection_id = %(collection)s AND d.source_id = s.source_id;
CREATE TEMPORARY TABLE new_caption ON COMMIT DROP AS
SELECT moment_id, query_key AS key, text, source_id, own AS accepted, no
  FROM query_source WHERE description_id IS NULL;
ANALYZE new_caption;
INSERT INTO new_caption (moment_id, key, text, source_id, accepted, no)
SELECT m.id, f.caption_key, min(f.caption),
       'import-' || md5(concat_ws(E'\\n', m.video_name, m.start, m."end", f.caption_key)), true, 1000000000 + min(f.no)
  FROM file_pair f JOIN file_moment m ON m.no = f.moment_no
 WHERE f.candidate_id IS NULL
   AND NOT EXISTS (SELECT FROM new_caption n WHERE n.moment_id = m.id AND n.key = f.caption_key AND n.accepted)
   AND NOT EXISTS (SELECT FROM corpus_description d JOIN queries_caption c ON c.description_id = d.id
                    WHERE d.moment_id = m.id AND c.normalised = f.caption_key)
 GROUP BY m.id, m.video_name, m.start, m."end", f.caption_key;
UPDATE new_caption n SET source_id = n.source_id || '-' || n.moment_id
  FROM corpus_description d
 WHERE d.collection_id = %(collection)s AND d.source_id = n.source_id;
ANALYZE new_caption"""

_THEIR_DESCRIPTIONS = """
  FROM new_caption n JOIN corpus_description d ON d.collection_id = %(collection)s AND d.source_id = n.source_id"""


def _store_captions(parameters: Parameters) -> None:
    execute(_NEW_CAPTIONS, parameters)
    insert(
        Description,
        {
            "moment_id": "moment_id",
            "collection_id": "%(collection)s",
            "source_id": "source_id",
            "text": "text",
            "normalised": "key",
        },
        "FROM new_caption ORDER BY no",
        parameters,
    )
    attempt = {
        "description_id": "d.id",
        "number": "1",
        "text": "n.text",
        "rewriter": f"'{MADE_BY}'",
        "similarity_passed": "true",
        "names_passed": "true",
    }
    insert(Attempt, attempt, f"{_THEIR_DESCRIPTIONS} ORDER BY d.id", parameters)
    insert(
        Caption,
        {
            "description_id": "d.id",
            "attempt_id": "a.id",
            "text": "n.text",
            "normalised": "n.key",
            "status": "CASE WHEN n.accepted THEN 'accepted' ELSE 'refused' END",
            "reason": "CASE WHEN n.accepted THEN '' ELSE %(reason)s END",
        },
        f"{_THEIR_DESCRIPTIONS} JOIN queries_attempt a ON a.description_id = d.id ORDER BY d.id",
        parameters,
    )


def _store_queries(parameters: Parameters) -> int:
    return insert(
        Query,
        {
            "collection_id": "%(collection)s",
            "description_id": "coalesce(s.description_id, d.id)",
            "split": "%(split)s",
            "text": "q.text",
            "normalised": "q.query_key",
            "position": """(SELECT coalesce(max(position), 0) FROM queries_query
                             WHERE collection_id = %(collection)s AND split = %(split)s)
                           + row_number() OVER (ORDER BY q.no)""",
        },
        """FROM query_source s JOIN file_query q ON q.no = s.no
           LEFT JOIN corpus_description d ON d.collection_id = %(collection)s AND d.source_id = s.source_id
          ORDER BY q.no""",
        parameters,
    )


# A candidate's caption is an accepted one if there is one. On its own: joined by two columns at once, its rows are
# estimated to be so few that whatever follows would go through them one by one.
_CHOSEN_CAPTIONS = """
DROP TABLE IF EXISTS pg_temp.chosen_caption;
CREATE TEMPORARY TABLE chosen_caption ON COMMIT DROP AS
SELECT DISTINCT ON (f.no) f.no AS pair_no, c.id
  FROM file_pair f JOIN file_moment m ON m.no = f.moment_no
  JOIN corpus_description d ON d.moment_id = m.id
  JOIN queries_caption c ON c.description_id = d.id AND c.normalised = f.caption_key
 WHERE f.candidate_id IS NULL
 ORDER BY f.no, (c.status = 'accepted') DESC, c.id;
ANALYZE chosen_caption"""


def _store_candidates(parameters: Parameters) -> None:
    execute(RESOLVE, parameters)
    execute(_CHOSEN_CAPTIONS, parameters)
    insert(
        Candidate,
        {
            "query_id": "q.id",
            "moment_id": "m.id",
            "caption_id": "c.id",
            "caption_text": "f.caption",
            "rank": "row_number() OVER (PARTITION BY q.id ORDER BY f.similarity DESC, m.id)",
            "similarity": "f.similarity",
        },
        """FROM file_pair f JOIN file_query q ON q.no = f.query_no JOIN file_moment m ON m.no = f.moment_no
           JOIN chosen_caption c ON c.pair_no = f.no
          WHERE f.candidate_id IS NULL ORDER BY q.no, f.similarity DESC, m.id""",
        parameters,
    )
    execute(RESOLVE, parameters)


def _open_batches(parameters: Parameters) -> int:
    # As deep as the judgments go: what lies above is open too, since its batch must have been judged before.
    execute(
        """
DROP TABLE IF EXISTS pg_temp.depth;
CREATE TEMPORARY TABLE depth ON COMMIT DROP AS
SELECT k.query_id, min(f.no) AS no, max((k.rank + %(size)s - 1) / %(size)s) AS number
  FROM file_pair f JOIN queries_candidate k ON k.id = f.candidate_id WHERE f.pair_id IS NULL GROUP BY k.query_id;
ANALYZE depth""",
        parameters,
    )
    insert(
        Batch,
        {"collection_id": "%(collection)s", "query_id": "d.query_id", "number": "nth"},
        """FROM depth d CROSS JOIN LATERAL generate_series(1, d.number) AS nth
          WHERE NOT EXISTS (SELECT FROM annotation_batch b WHERE b.query_id = d.query_id AND b.number = nth)
          ORDER BY d.no, nth""",
        parameters,
    )
    pairs = insert(
        Pair,
        {"batch_id": "b.id", "candidate_id": "k.id", "public_id": "gen_random_uuid()"},
        """FROM depth d JOIN queries_candidate k ON k.query_id = d.query_id AND k.rank <= d.number * %(size)s
           JOIN annotation_batch b ON b.query_id = d.query_id AND b.number = (k.rank + %(size)s - 1) / %(size)s
          WHERE NOT EXISTS (SELECT FROM annotation_pair p WHERE p.candidate_id = k.id)
          ORDER BY b.id, k.rank""",
        parameters,
    )
    execute(RESOLVE, parameters)
    return pairs


def _store_judgments(parameters: Parameters) -> None:
    insert(
        Judgment,
        {
            "pair_id": "p.pair_id",
            "annotator_id": "w.id",
            "grade": "f.grade",
            "round": "CASE WHEN cardinality(s.before) + f.nth <= %(first_round)s THEN 1 ELSE 2 END",
            "key": "gen_random_uuid()",
            "decided_at": "now()",
        },
        """FROM fresh f JOIN file_pair p ON p.no = f.pair_no JOIN sequence s ON s.pair_no = f.pair_no
           JOIN foundation_membership w ON w.collection_id = %(collection)s AND w.worker = f.worker
          WHERE f.stored IS NULL ORDER BY f.pair_no, f.nth""",
        parameters,
    )


# What `states.settle_pair` and `states.settle_batch` do to one, done to all.
_SETTLE = """
DROP TABLE IF EXISTS pg_temp.batch_state, pg_temp.newly_discarded;
CREATE TEMPORARY TABLE newly_discarded ON COMMIT DROP AS
SELECT p.id FROM sequence s
  JOIN outcome o ON (o.before, o.added) = (s.before, s.added)
  JOIN file_pair f ON f.no = s.pair_no JOIN annotation_pair p ON p.id = f.pair_id
 WHERE o.status = 'discarded' AND p.status <> 'discarded';
UPDATE annotation_pair p
   SET status = o.status, grade = o.grade, version = p.version + cardinality(s.added)
  FROM sequence s JOIN outcome o ON (o.before, o.added) = (s.before, s.added) JOIN file_pair f ON f.no = s.pair_no
 WHERE p.id = f.pair_id;
CREATE TEMPORARY TABLE batch_state ON COMMIT DROP AS
SELECT b.id, b.status AS before,
       CASE WHEN bool_or(p.status = 'open') THEN 'first'
            WHEN bool_or(p.status = 'disputed') THEN 'second'
            WHEN EXISTS (SELECT FROM annotation_batch o WHERE o.query_id = b.query_id AND o.number > b.number)
            THEN 'extended'
            WHEN b.number >= %(batches)s OR NOT EXISTS (SELECT FROM queries_candidate k
                                         WHERE k.query_id = b.query_id AND k.rank > b.number * %(size)s)
            THEN 'finished' ELSE 'decided' END AS status,
       bool_or(new.pair_id IS NOT NULL) AS judged
  FROM annotation_batch b JOIN annotation_pair p ON p.batch_id = b.id
  LEFT JOIN (SELECT f.pair_id FROM file_pair f JOIN sequence s ON s.pair_no = f.no) AS new ON new.pair_id = p.id
 WHERE b.query_id IN (SELECT q.id FROM sequence s JOIN file_pair f ON f.no = s.pair_no
                        JOIN file_query q ON q.no = f.query_no)
   AND NOT EXISTS (SELECT FROM annotation_review r WHERE r.batch_id = b.id)
 GROUP BY b.id;
UPDATE annotation_batch b
   SET status = s.status, begun_at = CASE WHEN s.judged THEN coalesce(b.begun_at, now()) ELSE b.begun_at END
  FROM batch_state s WHERE s.id = b.id;
UPDATE annotation_seat SET ended_at = now()
 WHERE ended_at IS NULL AND batch_id IN (SELECT id FROM batch_state WHERE status <> before)"""


_CHANGED = """
SELECT s.status, b.query_id, b.number
  FROM batch_state s JOIN annotation_batch b ON b.id = s.id
 WHERE s.status <> s.before AND s.status NOT IN ('first', 'second') ORDER BY b.query_id, b.number"""
_DISCARDED = """
SELECT b.query_id, b.number, p.id
  FROM newly_discarded n JOIN annotation_pair p ON p.id = n.id JOIN annotation_batch b ON b.id = p.batch_id
 ORDER BY b.query_id, b.number, p.id"""


def _settle(collection: Collection, parameters: Parameters) -> None:
    execute(_SETTLE, parameters)
    changed = [SettledBatch(query, number, status) for status, query, number in rows_of(_CHANGED, {})]
    discarded = [{"query": query, "batch": number, "pair": pair} for query, number, pair in rows_of(_DISCARDED, {})]
    note_many(collection, changed, discarded)
