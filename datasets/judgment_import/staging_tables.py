"""Staging tables of a judgment import: queries, moments, pairs, conflicts.

The tables live as long as the transaction. `numbered` has one row per judgment (`seq`: its place in the file);
`file_query`, `file_moment` and `file_pair` one a query, moment and pair, numbered in file order, with the ids of
those that the collection has; `fresh` says of each judgment whether it is stored, `sequence` of each pair that gets
judgments which grades it has and which are added.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import connection

from annotation.consensus import Rule, decide, needed_in, state_of
from corpus.description_formats.rows import BadFile, Problem
from datasets.judgment_import.readers import ReadJudgment
from foundation.infra.set_based_sql import without_nested_loops

Parameters = dict[str, Any]
ROWS_AT_ONCE = 2000

_TABLES = ("incoming", "numbered", "file_query", "file_moment", "file_pair", "fresh", "sequence", "outcome")

_INCOMING = """
CREATE TEMPORARY TABLE incoming (
    seq integer, line integer, pair_name text, query_name text, query text, query_key text, video_name text,
    start float8, "end" float8, duration float8, caption text, caption_key text, similarity float8,
    worker text, grade smallint) ON COMMIT DROP"""

_NUMBERED = """
CREATE TEMPORARY TABLE file_query ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY min(seq))::int AS no, query_key, (array_agg(query ORDER BY seq))[1] AS text,
       max(query_name) AS query_name, NULL::bigint AS id, false AS ranked
  FROM incoming GROUP BY query_key;
CREATE TEMPORARY TABLE file_moment ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY min(seq))::int AS no, video_name, start, "end", min(line) AS line,
       max(duration) AS duration, NULL::bigint AS id
  FROM incoming GROUP BY video_name, start, "end";
ANALYZE file_query; ANALYZE file_moment;
CREATE TEMPORARY TABLE file_pair ON COMMIT DROP AS
SELECT row_number() OVER (ORDER BY min(i.seq))::int AS no, q.no AS query_no, m.no AS moment_no, min(i.line) AS line,
       min(i.caption) AS caption, min(i.caption_key) AS caption_key, min(i.similarity) AS similarity,
       NULL::bigint AS candidate_id, NULL::bigint AS pair_id
  FROM incoming i JOIN file_query q USING (query_key) JOIN file_moment m USING (video_name, start, "end")
 GROUP BY q.no, m.no;
ANALYZE file_pair;
CREATE TEMPORARY TABLE numbered ON COMMIT DROP AS
SELECT i.seq, i.line, i.pair_name, i.query_name, i.query, i.video_name, i.duration, i.caption, i.caption_key,
       i.similarity, i.worker, i.grade, q.no AS query_no, p.no AS pair_no
  FROM incoming i JOIN file_query q USING (query_key) JOIN file_moment m USING (video_name, start, "end")
  JOIN file_pair p ON p.query_no = q.no AND p.moment_no = m.no;
DROP TABLE incoming;
ANALYZE numbered (query_no, pair_no, query_name, pair_name, video_name, worker)"""

# Rows whose value differs from that of their group's first, where all have to be the same.
_DIFFERING = """
SELECT line, '{field}' AS field, quote_literal(left({found}::text, 60)) AS found,
       '{expected} line ' || first_line AS expected
  FROM (SELECT n.*, first_value(line) OVER own AS first_line, first_value({value}) OVER own AS first_value
          FROM numbered n
         WHERE {given} AND {by} IN (SELECT {by} FROM numbered WHERE {given} GROUP BY {by}
                                     HAVING min({value}) IS DISTINCT FROM max({value}))
        WINDOW own AS (PARTITION BY {by} ORDER BY seq)) AS one
 WHERE {differs}"""


def _differing(field: str, by: str, value: str, given: str, expected: str, differs: str = "", found: str = "") -> str:
    return _DIFFERING.format(
        field=field,
        by=by,
        value=value,
        given=given,
        expected=expected,
        found=found or value,
        differs=differs or f"{value} <> first_value",
    )


_AT_ODDS = "\nUNION ALL\n".join(
    (
        _differing(
            "query", "query_name", "query_no", "query_name <> ''", "the text that this query_id has in", found="query"
        ),
        _differing("query_id", "query_no", "query_name", "query_name <> ''", "the query_id that this query has in"),
        _differing(
            "pair_id",
            "pair_name",
            "pair_no",
            "pair_name <> ''",
            "the query and moment that this pair_id has in",
            found="pair_name",
        ),
        _differing("pair_id", "pair_no", "pair_name", "pair_name <> ''", "the pair_id that this pair has in"),
        _differing("caption", "pair_no", "caption_key", "caption_key IS NOT NULL", "the caption of this pair in"),
        _differing("similarity", "pair_no", "similarity", "similarity IS NOT NULL", "the similarity of this pair in"),
        _differing(
            "duration",
            "video_name",
            "duration",
            "duration IS NOT NULL",
            "within 0.5 s of what this video has in",
            differs="abs(duration - first_value) > 0.5",
        ),
        """
SELECT line, 'worker', quote_literal(worker) || ' a second time',
       'one judgment a worker and pair; the first is in line ' || first_line || ' (see --repeated-ids)'
  FROM (SELECT n.*, first_value(line) OVER own AS first_line, row_number() OVER own AS nth
          FROM numbered n WINDOW own AS (PARTITION BY pair_no, worker ORDER BY seq)) AS one
 WHERE nth > 1""",
    )
)

RESOLVE = """
UPDATE file_query f SET id = q.id, ranked = EXISTS (SELECT FROM queries_candidate k WHERE k.query_id = q.id)
  FROM queries_query q WHERE f.id IS NULL AND q.collection_id = %(collection)s AND q.normalised = f.query_key;
UPDATE file_moment f SET id = m.id
  FROM corpus_video v JOIN corpus_moment m ON m.video_id = v.id
 WHERE f.id IS NULL AND v.collection_id = %(collection)s AND v.name = f.video_name
   AND m.start = f.start AND m."end" = f."end";
UPDATE file_pair f SET candidate_id = k.id
  FROM file_query q, file_moment m, queries_candidate k
 WHERE f.candidate_id IS NULL AND q.no = f.query_no AND m.no = f.moment_no
   AND k.query_id = q.id AND k.moment_id = m.id;
UPDATE file_pair f SET pair_id = p.id
  FROM annotation_pair p WHERE f.pair_id IS NULL AND p.candidate_id = f.candidate_id;
ANALYZE file_query (no, id); ANALYZE file_moment (no, id);
ANALYZE file_pair (no, query_no, moment_no, candidate_id, pair_id)"""

# Whoever judges one of these pairs meanwhile waits, then sees its new version and looks again.
_LOCK = """
SELECT count(*) FROM (SELECT p.id FROM annotation_pair p WHERE p.id IN (SELECT pair_id FROM file_pair)
                       ORDER BY p.id FOR UPDATE) AS locked"""

_FRESH = """
CREATE TEMPORARY TABLE fresh ON COMMIT DROP AS
SELECT n.seq, n.line, n.pair_no, n.worker, n.grade, w.account_id IS NOT NULL AS has_account, j.grade AS stored,
       row_number() OVER (PARTITION BY n.pair_no, j.grade IS NULL ORDER BY n.seq) AS nth
  FROM numbered n JOIN file_pair f ON f.no = n.pair_no
  LEFT JOIN foundation_membership w ON w.collection_id = %(collection)s AND w.worker = n.worker
  LEFT JOIN annotation_judgment j ON j.pair_id = f.pair_id AND j.annotator_id = w.id AND j.counted;
ANALYZE fresh;
CREATE TEMPORARY TABLE sequence ON COMMIT DROP AS
SELECT f.no AS pair_no, added.grades AS added,
       ARRAY(SELECT j.grade FROM annotation_judgment j
              WHERE j.pair_id = f.pair_id AND j.counted ORDER BY j.id) AS before
  FROM (SELECT pair_no, array_agg(grade ORDER BY seq) AS grades FROM fresh WHERE stored IS NULL GROUP BY pair_no) added
  JOIN file_pair f ON f.no = added.pair_no;
CREATE TEMPORARY TABLE outcome (
    before smallint[], added smallint[], allowed integer, expected text, status text, grade smallint) ON COMMIT DROP"""

JUDGED = """
SELECT line, 'relevance' AS field, grade::text AS found,
       stored::text || ', which ' || quote_literal(worker) || ' has given this pair already' AS expected
  FROM fresh WHERE stored <> grade
UNION ALL
SELECT line, 'worker', quote_literal(worker) || ', who has an account here and hasn''t given this judgment',
       'a pseudonym of nobody here'
  FROM fresh WHERE stored IS NULL AND has_account
UNION ALL
SELECT f.line, 'relevance', 'judgment ' || cardinality(s.before) + f.nth || ' of its pair', o.expected
  FROM fresh f JOIN sequence s ON s.pair_no = f.pair_no JOIN outcome o ON (o.before, o.added) = (s.before, s.added)
  JOIN file_pair p ON p.no = f.pair_no LEFT JOIN annotation_pair a ON a.id = p.pair_id
 WHERE f.stored IS NULL AND f.nth > o.allowed AND a.status IS DISTINCT FROM 'withdrawn'
UNION ALL
SELECT f.line, 'pair', 'a pair that the lead has withdrawn', 'one that is in the collection'
  FROM fresh f JOIN file_pair p ON p.no = f.pair_no JOIN annotation_pair a ON a.id = p.pair_id
 WHERE f.stored IS NULL AND a.status = 'withdrawn'"""

_REFUSED = f"""{JUDGED}
UNION ALL
SELECT p.line, 'timestamp', 'a moment that is no candidate of the query', 'one of the candidates that the query has'
  FROM file_pair p JOIN file_query q ON q.no = p.query_no WHERE p.candidate_id IS NULL AND q.ranked
UNION ALL
SELECT p.line, CASE WHEN p.similarity IS NULL THEN 'similarity' ELSE 'caption' END, 'nothing',
       'a pair that is new to the collection with both'
  FROM file_pair p JOIN file_query q ON q.no = p.query_no
 WHERE p.candidate_id IS NULL AND NOT q.ranked AND (p.similarity IS NULL OR p.caption IS NULL)
UNION ALL
SELECT p.line, 'pair', 'a pair that isn''t open', 'one of the batches with which the lead finished this query'
  FROM file_pair p JOIN file_query q ON q.no = p.query_no
 WHERE p.candidate_id IS NOT NULL AND p.pair_id IS NULL
   AND EXISTS (SELECT FROM annotation_batch b JOIN annotation_review r ON r.batch_id = b.id
                WHERE b.query_id = q.id AND r.decision = 'finish')
UNION ALL
SELECT m.line, 'duration', m.duration || ' s', 'within 0.5 s of the video''s ' || v.duration || ' s'
  FROM file_moment m JOIN corpus_video v ON v.collection_id = %(collection)s AND v.name = m.video_name
 WHERE abs(m.duration - v.duration) > 0.5
UNION ALL
SELECT m.line, 'timestamp', '[' || m.start || ', ' || m."end" || ']',
       'an end within the video''s ' || v.duration || ' s (slack ' || %(slack)s::float8 || ' s)'
  FROM file_moment m
  JOIN (SELECT f.video_name, coalesce(max(v.duration), max(f.duration)) AS duration
          FROM file_moment f LEFT JOIN corpus_video v ON v.collection_id = %(collection)s AND v.name = f.video_name
         GROUP BY f.video_name) AS v USING (video_name)
 WHERE m.id IS NULL AND m."end" > v.duration + %(slack)s"""

# Who joined after the file was compared with the collection, and got a worker id that the file has too.
_JOINED_MEANWHILE = """
SELECT f.line, 'worker', quote_literal(f.worker) || ', who has joined meanwhile', 'a pseudonym of nobody here'
  FROM fresh f JOIN foundation_membership w ON w.collection_id = %(collection)s AND w.worker = f.worker
 WHERE f.stored IS NULL AND w.account_id IS NOT NULL"""


def execute(statements: str, parameters: Parameters) -> int:
    """Execute statements separated by a semicolon at a line's end. Returns: the last one's row count."""
    with without_nested_loops(), connection.cursor() as cursor:
        for statement in re.split(r";\s", statements):
            cursor.execute(statement, parameters)
        return int(cursor.rowcount)


def rows_of(statement: str, parameters: Parameters) -> list[tuple[Any, ...]]:
    """A statement's rows."""
    with without_nested_loops(), connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def stage(rows: Iterable[ReadJudgment], progress: Callable[[int], None]) -> int:
    """Copy a file's rows into the table `incoming`. Returns: how many rows."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS " + ", ".join(f"pg_temp.{table}" for table in _TABLES))
        cursor.execute(_INCOMING)
        count = 0
        with cursor.copy("COPY incoming FROM STDIN") as copy:
            for count, row in enumerate(rows, start=1):
                copy.write_row((count, row.line, row.pair_id, *row.place, row.worker, row.grade))
                if count % ROWS_AT_ONCE == 0:
                    progress(ROWS_AT_ONCE)
        progress(count % ROWS_AT_ONCE)
        cursor.execute('ANALYZE incoming (query_key, video_name, start, "end")')
    return count


def number() -> None:
    """Number what is in the rows: queries, moments and pairs."""
    execute(_NUMBERED, {})


def conflicts_inside(file: str) -> "Conflicts":
    """Conflicts among the file's rows: ids with other content, a worker twice on a pair."""
    return Conflicts(file, _AT_ODDS, {})


def meet_collection(parameters: Parameters, settled: str = "") -> int:
    """Match the file with the collection and lock its pairs.

    Args: settled: a DELETE of the rows of `numbered` that say what the collection has; empty: none is looked for.
    Returns: how many those were.
    """
    execute(RESOLVE, parameters)
    rows_of(_LOCK, {})
    count = execute(settled, {}) if settled else 0
    execute(_FRESH, parameters)
    return count


def conflicts_outside(file: str, parameters: Parameters, refused: str = "") -> "Conflicts":
    """Conflicts with the collection or its consensus rule, or what `refused` selects in place of these."""
    return Conflicts(file, refused or _REFUSED, parameters)


def conflicts_meanwhile(file: str, parameters: Parameters) -> "Conflicts":
    """Conflicts that arose while the judgments were stored."""
    return Conflicts(file, _JOINED_MEANWHILE, parameters)


def apply_rule(rule: Rule, any_order: bool = False) -> None:
    """Apply the consensus rule to what pairs would get: once to each distinct sequence of grades, for these are few.

    Args: any_order: as in `allowed`.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT before, added FROM sequence")
        sequences = cursor.fetchall()
        with cursor.copy("COPY outcome FROM STDIN") as copy:
            for before, added in sequences:
                most, expected = allowed(before, added, rule, any_order)
                status, grade = state_of([*before, *added], rule)
                copy.write_row((before, added, most, expected, status, grade))
        cursor.execute("ANALYZE outcome; ANALYZE sequence")


def allowed(before: list[int], added: list[int], rule: Rule, any_order: bool = False) -> tuple[int, str]:
    """How many of the added grades a pair can take in order, and what is expected instead of the next.

    Args: any_order: a pair takes those of both rounds, too, if all give the grade that the first round gives: the file
        doesn't say which were the first.

    >>> allowed([], [3, 4, 1], Rule())
    (2, 'no third judgment: the first 2 decide it')
    >>> allowed([0], [3, 1, 1, 2], Rule())
    (3, 'at most 4 judgments a pair')
    >>> allowed([], [3, 1, 1], Rule())
    (3, '')
    """
    grades = [*before, *added]
    decision = decide(grades, rule) if any_order and len(grades) == rule.both_rounds else None
    if decision is not None and (decision.status, decision.grade) == state_of(grades, rule):
        return len(added), ""
    grades = list(before)
    for place, grade in enumerate(added):
        state, _ = state_of(grades, rule)
        if len(grades) >= needed_in(state, rule):
            if len(grades) >= rule.both_rounds:
                return place, f"at most {rule.both_rounds} judgments a pair"
            ordinal = {1: "second", 2: "third"}.get(len(grades), f"{len(grades) + 1}th")
            return place, f"no {ordinal} judgment: the first {rule.first_round} decide it"
        grades.append(grade)
    return len(added), ""


class Conflicts:
    """Conflicts found by a statement of line, field, found and expected: the first ones and their total."""

    def __init__(self, file: str, statement: str, parameters: Parameters) -> None:
        rows = rows_of(
            f"SELECT *, count(*) OVER () FROM ({statement}) AS problem ORDER BY 1, 2, 3, 4 LIMIT %(shown)s",
            {**parameters, "shown": BadFile.SHOWN},
        )
        self.total: int = rows[0][4] if rows else 0
        self._problems = [Problem(file, *row[:4]) for row in rows]

    @classmethod
    def none(cls, file: str) -> "Conflicts":
        """None at all."""
        return cls(file, "SELECT 0, '', '', '' WHERE false", {})

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._problems)
