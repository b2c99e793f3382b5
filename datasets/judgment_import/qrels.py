"""TREC qrels: their reader, and how their grades, which are decided already, meet the collection."""

from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from corpus.description_formats.rows import BadRow, Problem
from datasets.judgment_import.readers import JudgmentRow, Report, TextLines, grade_of
from datasets.judgment_import.staging_tables import RESOLVE, Parameters, execute
from datasets.judgment_import.store import insert
from evaluation.formats.trec_ids import read_ids, split_moment_id
from evaluation.reading.sniffing import looks_like
from evaluation.reading.trec import OF_QRELS
from foundation.models import Collection
from foundation.text import normalise
from queries.models import Candidate
from queries.pooling.query_columns import query_source_id

WORKER = "qrels-"
"""How the workers of imported grades are called: qrels-1 and so on, as many as a first round has."""
UNJUDGED = "-1"
"""TREC's grade of what is in the pool and was not judged."""
COLUMNS = 4

QueryTexts = Mapping[str, tuple[str, str]]
"""A query's id -> its text, and that text normalised."""


def query_texts(collection: Collection) -> QueryTexts:
    """The collection's queries by their ids in releases."""
    return {
        source_id: (text, normalised)
        for source_id, text, normalised in collection.queries.values_list(query_source_id(), "text", "normalised")
    }


def read_qrels(
    path: Path,
    *,
    top_grade: int,
    end_slack: float,
    report: Report,
    queries: QueryTexts,
    videos: Container[str],
    judgments: int,
    unjudged: Callable[[], None] = lambda: None,
) -> Iterator[JudgmentRow]:
    """Every grade of a qrels file, as that many equal judgments; what is wrong goes to `report`.

    Lines are `query_id iteration moment_id grade`, separated by white space; the iteration is not looked at. The ids
    are those of a release's `trec/`, or as they are (`trec_ids.read_ids`). A query that the collection lacks is
    reported once, in its first line.

    Args:
        path: UTF-8.
        top_grade: grades go from 0 to this. -1 is not judged: such a line is passed over.
        end_slack: not needed, since moments are the collection's own.
        report: called once a bad line.
        queries, videos: the collection's.
        judgments: how many one grade stands for: as many as the collection's first round has.
        unjudged: called once a line that was passed over.
    """
    try:
        query_ids, names = _ids(path, queries, videos)
    except ValueError as error:
        found, _, expected = str(error).partition("; expected ")
        report(Problem(path.name, 0, "ids", found, expected))
        return
    lines = TextLines(path, report)
    first: dict[tuple[str, str, float, float], int] = {}
    unknown: set[str] = set()
    for number, line in enumerate(lines, start=1):
        columns = line.split()
        if not columns or lines.is_bad(number, number):
            continue
        try:
            if len(columns) != COLUMNS:
                comments = "; TREC's files have no comments" if columns[0].startswith("#") else ""
                raise BadRow.saying("columns", looks_like(line), OF_QRELS + comments)
            query_id = query_ids[columns[0]]
            about = queries.get(query_id)
            if about is None:
                if query_id in unknown:
                    continue
                unknown.add(query_id)
                raise BadRow(
                    "query_id",
                    query_id,
                    "a query of the collection (`manage.py import_topics` makes queries of topics)",
                )
            written, start, end = _moment(columns[2])
            video = names[written]
            if before := first.setdefault((query_id, video, start, end), number) - number:
                expected = f"each moment once a query; line {number + before} has the same video, start and end"
                raise BadRow("moment_id", columns[2], expected)
            if columns[3] == UNJUDGED:
                unjudged()
                continue
            grade = grade_of(columns[3], top_grade, field="grade", or_else=f", or {UNJUDGED} for not judged")
        except BadRow as bad:
            report(Problem(path.name, number, bad.field, bad.found, bad.expected))
            continue
        for worker in range(1, judgments + 1):
            yield JudgmentRow(
                line=number,
                pair_id="",
                query_id="",
                query=about[0],
                query_key=normalise(about[0]),
                video_name=video,
                start=start,
                end=end,
                duration=None,
                caption=None,
                caption_key=None,
                similarity=None,
                worker=f"{WORKER}{worker}",
                grade=grade,
            )


def _ids(path: Path, queries: QueryTexts, videos: Container[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What the file's query ids and video names stand for, as written -> as they are. Raises: ValueError."""
    query_ids: dict[str, None] = {}
    names: dict[str, None] = {}
    for line in TextLines(path, lambda problem: None):
        columns = line.split()
        if len(columns) == COLUMNS:
            query_ids[columns[0]] = None
            with suppress(BadRow):
                names[_moment(columns[2])[0]] = None
    return read_ids(query_ids, queries), read_ids(names, videos)


def _moment(text: str) -> tuple[str, float, float]:
    try:
        return split_moment_id(text)
    except ValueError as error:
        raise BadRow("moment_id", text, "a moment's id such as VIDEO@2.5-6.75") from error


# Grades that the collection has already, whoever gave them.
SETTLED = """
DELETE FROM numbered n USING file_pair f JOIN annotation_pair p ON p.id = f.pair_id
 WHERE n.pair_no = f.no
   AND (p.grade = n.grade
        OR (p.status = 'discarded' AND EXISTS (SELECT FROM annotation_adjudication a
                                                WHERE a.pair_id = p.id AND a.withdrawn_at IS NULL
                                                  AND a.grade = n.grade)))"""

REFUSED = """
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
                WHERE b.query_id = q.id AND r.decision = 'finish')
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
