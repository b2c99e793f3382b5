"""PyTerrier's frames as CSV, which pandas reads.

Source: PyTerrier's data model: topics (qid, query), qrels (qid, docno, label), documents (docno, text).
"""

from __future__ import annotations

from pathlib import Path

from ..formats.trec_ids import written_id
from ..outlets.outlet import Left, Wanted, one_line, write_rows
from ..outlets.release import Release

NAME = "pyterrier"
READ_BY = 'PyTerrier, by pandas.read_csv(FILE, dtype={"qid": str, "docno": str}, keep_default_na=False)'
LOSES = (
    "documents are moments as units: a run has to return exactly these, other spans don't count; ids are those of "
    "trec/, the text of a document is its captions"
)


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """documents.csv, and for val and test topics and qrels."""
    documents = release.documents.values()
    places = ([d.document_id, d.text, d.video_name, d.start, d.end] for d in documents)
    write_rows(folder / "documents.csv", ("docno", "text", "video_name", "start", "end"), places)
    for split, queries in release.judged.items():
        topics = ([written_id(query.query_id), one_line(query.text)] for query in queries)
        write_rows(folder / f"topics.{split}.csv", ("qid", "query"), topics)
        labels = (
            [written_id(query.query_id), moment.moment_id, moment.grade]
            for query in queries
            for moment in query.moments
        )
        write_rows(folder / f"qrels.{split}.csv", ("qid", "docno", "label"), labels)
    return [(sum(not document.captions for document in documents), "document", "without a caption: the text is empty")]
