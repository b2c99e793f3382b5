"""ir_datasets: a module that registers the release, its metadata and the files that it loads.

Source: the interfaces of ir_datasets 0.6.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from ..formats.trec_ids import written_id
from ..outlets import ir_datasets_module
from ..outlets.outlet import Left, Wanted, write_json, write_lines
from ..outlets.release import Release
from ..releases.queries import Query

NAME = "ir-datasets"
READ_BY = "ir_datasets, by the module qreels_release.py that is written beside the files"
LOSES = (
    "documents are moments as units: a run has to return exactly these, other spans don't count; ids are those of "
    "trec/, the text of a document is its captions"
)
MODULE = "qreels_release.py"


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """The module, metadata.json, documents.jsonl, and for val and test queries and qrels."""
    documents = (
        {
            "doc_id": document.document_id,
            "text": document.text,
            "video_name": document.video_name,
            "start": document.start,
            "end": document.end,
            "duration": release.durations[document.video_name],
        }
        for document in release.documents.values()
    )
    number = write_lines(folder / "documents.jsonl", documents)
    metadata: dict[str, Any] = {"": {"docs": {"count": number}}}
    for split, queries in release.judged.items():
        topics = ({"query_id": written_id(query.query_id), "text": query.text} for query in queries)
        write_lines(folder / f"queries.{split}.jsonl", topics)
        (folder / f"qrels.{split}.txt").write_text("".join(map(qrels, queries)), encoding="utf-8")
        grades = Counter(str(moment.grade) for query in queries for moment in query.moments)
        metadata[split] = {
            "docs": {"count": number},
            "queries": {"count": len(queries)},
            "qrels": {
                "count": grades.total(),
                "fields": {"relevance": {"counts_by_value": dict(sorted(grades.items()))}},
            },
        }
    given = {moment.grade or 0 for own in release.judged.values() for query in own for moment in query.moments}
    words = {grade: f"grade {grade}" for grade in given} | release.grade_words
    languages = release.manifest.get("languages")
    about = {
        "name": release.name,
        "language": languages[0][:2] if isinstance(languages, list) and len(languages) == 1 else None,
        "grades": dict(sorted(words.items())),
        "counts": metadata,
    }
    write_json(folder / "metadata.json", about)
    source = Path(ir_datasets_module.__file__).read_text(encoding="utf-8")
    (folder / MODULE).write_text(source, encoding="utf-8")
    without = sum(not document.captions for document in release.documents.values())
    return [(without, "document", "without a caption: the text is empty")]


def qrels(query: Query) -> str:
    """The query's lines of TREC's qrels."""
    lines = (f"{written_id(query.query_id)} 0 {moment.moment_id} {moment.grade}\n" for moment in query.moments)
    return "".join(lines)
