"""TREC qrels: their reader, and how their grades, which are decided already, meet the collection."""

from collections.abc import Callable, Container, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from corpus.description_formats.rows import BadRow
from datasets.judgment_import.readers import FileLines, Place, ReadJudgment, Report, worker_named
from datasets.judgment_import.staging_tables import JUDGED, RESOLVE, Parameters, execute
from datasets.judgment_import.store import insert
from evaluation.errors import InputError
from evaluation.formats.trec_ids import read_ids
from evaluation.reading.grade_scale import GradeScale
from evaluation.reading.judgment_rows import OR_UNJUDGED, says_unjudged
from evaluation.reading.trec import qrels_lines
from foundation.models import Collection
from foundation.text import normalise
from queries.models import Candidate
from queries.pooling.query_columns import query_source_id

WORKER = "qrels-"
"""How the workers of imported grades are called: qrels-1 and so on, as many as a first round has."""

QueryTexts = Mapping[str, tuple[str, str]]
"""A query's id -> its text, and that text normalised."""


def query_texts(collection: Collection) -> QueryTexts:
    """The collection's queries by their ids in releases."""
    return {
        source_id: (text, normalised)
        for source_id, text, normalised in collection.queries.values_list(query_source_id(), "text", "normalised")
    }


class Ids(NamedTuple):
    """What a file's ids stand for, as written -> as they are, and whether several people judged its pairs."""

    queries: Mapping[str, str]
    videos: Mapping[str, str]
    several: bool


def read_ids_of(path: Path, queries: Container[str], videos: Container[str]) -> Ids:
    """Read a file's ids: those of a release's `trec/`, or as they are (`trec_ids.read_ids`).

    Its second column names assessors where a moment of a query stands more than once, each time with another one; else
    it is an iteration, and a grade is decided.

    Raises: BadRow.
    """
    query_ids: dict[str, None] = {}
    names: dict[str, None] = {}
    by: dict[tuple[str, str], str] = {}
    several = False
    with FileLines(path, lambda problem: None) as lines:
        for line in qrels_lines(path, lines, lines.faults):
            query_ids[line.query_id] = names[line.moment[0]] = None
            several |= by.setdefault((line.query_id, line.moment_id), line.assessor) != line.assessor
    try:
        return Ids(read_ids(query_ids, queries), read_ids(names, videos), several)
    except ValueError as error:
        found, _, expected = str(error).partition("; expected ")
        raise BadRow.saying("ids", found, expected) from error


def read_qrels(
    path: Path,
    *,
    scale: GradeScale,
    report: Report,
    ids: Ids,
    queries: QueryTexts,
    judgments: int,
    unjudged: Callable[[], None] = lambda: None,
) -> Iterator[ReadJudgment]:
    """Every grade of a qrels file, as that many equal judgments or as that of an assessor; faults go to `report`.

    Lines are `query_id iteration moment_id grade`, separated by white space. A query that the collection lacks is
    reported once, in its first line.

    Args:
        path: UTF-8.
        scale: which grades there are, and how the file writes them. -1 is not judged: such a line is passed over.
        report: called once a bad line.
        ids: the file's.
        queries: the collection's.
        judgments: how many one decided grade stands for: as many as the collection's first round has.
        unjudged: called once a line that was passed over.
    """
    first: dict[tuple[str, str, float, float], int] = {}
    unknown: set[str] = set()
    with FileLines(path, report) as lines:
        for line in qrels_lines(path, lines, lines.faults):
            query_id = ids.queries[line.query_id]
            if lines.had_bad() or query_id in unknown:
                continue
            try:
                about = queries.get(query_id)
                if about is None:
                    unknown.add(query_id)
                    expected = "a query of the collection (`manage.py import_topics` makes queries of topics)"
                    raise BadRow("query_id", query_id, expected)
                written, start, end = line.moment
                place = Place("", about[0], normalise(about[0]), ids.videos[written], start, end)
                moment = (query_id, ids.videos[written], start, end)
                if not ids.several and first.setdefault(moment, line.number) != line.number:
                    expected = f"each moment once a query; line {first[moment]} has the same video, start and end"
                    raise BadRow("moment_id", line.moment_id, expected)
                if says_unjudged(line.grade, scale):
                    unjudged()
                    continue
                at = f"line {line.number}"
                grade = scale.read(path, at, line.grade, field="grade", or_else=OR_UNJUDGED)
                people = [f"{WORKER}{number}" for number in range(1, judgments + 1)]
                for worker in [worker_named(line.assessor)] if ids.several else people:
                    yield ReadJudgment(line.number, "", place, worker, grade)
            except BadRow as bad:
                report(bad.at(path.name, line.number))
            except InputError as fault:
                lines.faults.add(fault)


# Grades that the collection has already, whoever gave them.
SETTLED = """
DELETE FROM numbered n USING file_pair f JOIN annotation_pair p ON p.id = f.pair_id
 WHERE n.pair_no = f.no
   AND (p.grade = n.grade
        OR (p.status = 'discarded' AND EXISTS (SELECT FROM annotation_adjudication a
                                                WHERE a.pair_id = p.id AND a.withdrawn_at IS NULL
                                                  AND a.grade = n.grade)))"""

_MISSING = """
SELECT m.line, 'moment_id' AS field, quote_literal(m.video_name || '@' || m.start || '-' || m."end") AS found,
       'a moment of the collection' AS expected
  FROM file_moment m WHERE m.id IS NULL
UNION ALL
SELECT p.line, 'moment_id', 'a moment that is no candidate of the query', 'one of the candidates that the query has'
  FROM file_pair p JOIN file_query q ON q.no = p.query_no JOIN file_moment m ON m.no = p.moment_no
 WHERE p.candidate_id IS NULL AND m.id IS NOT NULL AND q.ranked
UNION ALL
SELECT p.line, 'moment_id', 'a pair that isn''t open', 'one of the batches with which the lead finished this query'
  FROM file_pair p JOIN file_query q ON q.no = p.query_no
 WHERE p.candidate_id IS NOT NULL AND p.pair_id IS NULL
   AND EXISTS (SELECT FROM annotation_batch b JOIN annotation_review r ON r.batch_id = b.id
                WHERE b.query_id = q.id AND r.decision = 'finish')"""

REFUSED_OF_ASSESSORS = f"{JUDGED}\nUNION ALL{_MISSING}"

REFUSED = f"""{_MISSING}
UNION ALL
SELECT DISTINCT f.line, 'grade', f.grade::text, p.grade || ', which this pair has'
  FROM fresh f JOIN file_pair i ON i.no = f.pair_no JOIN annotation_pair p ON p.id = i.pair_id
 WHERE p.status = 'consensus'
UNION ALL
SELECT DISTINCT f.line, 'moment_id',
       CASE p.status WHEN 'withdrawn' THEN 'a pair that the lead has withdrawn'
                     WHEN 'discarded' THEN 'a pair on which people didn''t agree'
                     ELSE 'a pair that people are judging' END,
       'one that nobody has judged'
  FROM fresh f JOIN file_pair i ON i.no = f.pair_no JOIN annotation_pair p ON p.id = i.pair_id
  JOIN sequence s ON s.pair_no = f.pair_no
 WHERE p.status <> 'consensus' AND (p.status <> 'open' OR cardinality(s.before) > 0)
UNION ALL
SELECT min(f.line), 'worker', quote_literal(f.worker) || ', who has an account here', 'a name that is free'
  FROM fresh f WHERE f.has_account GROUP BY f.worker"""


def store_candidates(parameters: Parameters) -> None:
    """Give queries without candidates those of the file, in its order: qrels say neither caption nor similarity."""
    insert(
        Candidate,
        {"query_id": "q.id", "moment_id": "m.id", "rank": "row_number() OVER (PARTITION BY q.id ORDER BY f.no)"},
        """FROM file_pair f JOIN file_query q ON q.no = f.query_no JOIN file_moment m ON m.no = f.moment_no
          WHERE f.candidate_id IS NULL ORDER BY f.no""",
        parameters,
    )
    execute(RESOLVE, parameters)
