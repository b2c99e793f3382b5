"""What judgments are about that name their pairs by an id alone: files of pairs say it, or the collection."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from django.db import connection

from annotation.consensus import Rule, state_of
from corpus.description_formats.rows import Problem
from datasets.judgment_import.readers import Place
from datasets.judgment_import.staging_tables import ROWS_AT_ONCE, Parameters, execute, rows_of
from evaluation.judgments.repeats import order_of_judging

_TABLE = """
DROP TABLE IF EXISTS pg_temp.pair_about;
CREATE TEMPORARY TABLE pair_about (
    pair_name text, query_name text, query text, query_key text, video_name text, start float8, "end" float8,
    duration float8, caption text, caption_key text, similarity float8) ON COMMIT DROP"""

# A release shows the rows' own ids, the judging page the public ones.
_OWN = """
INSERT INTO pair_about (pair_name, query_name, query, query_key, video_name, start, "end")
SELECT i.pair_name, '', q.text, q.normalised, v.name, m.start, m."end"
  FROM annotation_batch b JOIN annotation_pair p ON p.batch_id = b.id
 CROSS JOIN LATERAL (VALUES (p.id::text), (p.public_id::text)) AS own (name)
  JOIN (SELECT DISTINCT pair_name FROM incoming WHERE query IS NULL) AS i ON i.pair_name = own.name
  JOIN queries_candidate k ON k.id = p.candidate_id
  JOIN queries_query q ON q.id = k.query_id
  JOIN corpus_moment m ON m.id = k.moment_id
  JOIN corpus_video v ON v.id = m.video_id
 WHERE b.collection_id = %(collection)s"""

_UNKNOWN = """
SELECT i.pair_name, min(i.line), array_agg(i.grade ORDER BY i.seq)
  FROM incoming i LEFT JOIN pair_about a ON a.pair_name = i.pair_name
 WHERE i.query IS NULL AND a.pair_name IS NULL GROUP BY i.pair_name ORDER BY 2"""

_FILL = """
ANALYZE pair_about;
ANALYZE incoming (pair_name);
UPDATE incoming i
   SET query_name = a.query_name, query = a.query, query_key = a.query_key, video_name = a.video_name,
       start = a.start, "end" = a."end", duration = a.duration, caption = a.caption, caption_key = a.caption_key,
       similarity = a.similarity
  FROM pair_about a WHERE i.query IS NULL AND a.pair_name = i.pair_name;
DELETE FROM incoming WHERE query IS NULL;
ANALYZE incoming (query_key, video_name, start, "end")"""


class Unknown(NamedTuple):
    """Pairs of which nothing says what they are: problems of those that have a grade, the ids of those without one."""

    problems: list[Problem]
    without_grade: list[str]


def fill_in(
    file: str,
    parameters: Parameters,
    rule: Rule,
    paths: Sequence[Path],
    pairs: Iterable[tuple[str, Place]],
    progress: Callable[[int], None],
) -> Unknown:
    """Tell the staged judgments that name a pair by its id alone what the pair is about.

    A release's val.json and test.json hold graded pairs alone. So judgments of a pair that isn't in the files are
    passed over where the rule gives it no grade, and a problem where it does.

    Args:
        pairs: those of the files at `paths`; without any the ids are the collection's own.
        progress: called with 0 now and then.
    """
    ((bare,),) = rows_of("SELECT count(*) FROM incoming WHERE query IS NULL", {})
    execute(_TABLE, {})
    with connection.cursor() as cursor, cursor.copy("COPY pair_about FROM STDIN") as copy:
        for count, (pair_id, place) in enumerate(pairs, start=1):
            copy.write_row((pair_id, *place))
            if count % ROWS_AT_ONCE == 0:
                progress(0)
    if not bare:
        return Unknown([], [])
    if not paths:
        execute(_OWN, parameters)
    problems, without_grade = [], []
    for pair_id, line, grades in rows_of(_UNKNOWN, {}):
        order = order_of_judging(grades, rule)
        if paths and state_of([grades[place] for place in order], rule)[0] != "consensus":
            without_grade.append(pair_id)
            continue
        found, expected = repr(pair_id), "a pair of this collection, or files that say what the pairs are about"
        if paths:
            found += f", which isn't in {' or '.join(path.name for path in paths)}, and the rule gives it a grade"
            expected = "every graded pair there"
        problems.append(Problem(file, line, "pair_id", found, expected))
    execute(_FILL, {})
    return Unknown(problems, without_grade)
