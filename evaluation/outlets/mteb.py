"""MTEB: two retrieval tasks in the Hugging Face layout, with a module that has them as tasks.

Source: mteb 2.26, its RetrievalDatasetLoader and TaskMetadata.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..formats.trec_ids import written_id
from ..outlets import mteb_module
from ..outlets.outlet import Left, Wanted, write_json, write_lines
from ..outlets.release import Release

NAME = "mteb"
READ_BY = "mteb, by the module qreels_tasks.py that is written beside the data"
LOSES = (
    "moments are units of text (their captions), videos the captions of their moments, or their subtitles if these are "
    "given; a video has the highest grade of its moments"
)
MODULE = "qreels_tasks.py"
MOMENTS, VIDEOS = "moments", "videos"
LANGUAGES = {
    **{"ar": "ara-Arab", "bn": "ben-Beng", "cs": "ces-Latn", "da": "dan-Latn", "de": "deu-Latn", "el": "ell-Grek"},
    **{"en": "eng-Latn", "es": "spa-Latn", "fa": "fas-Arab", "fi": "fin-Latn", "fr": "fra-Latn", "he": "heb-Hebr"},
    **{"hi": "hin-Deva", "hu": "hun-Latn", "id": "ind-Latn", "it": "ita-Latn", "ja": "jpn-Jpan", "ko": "kor-Hang"},
    **{"nb": "nob-Latn", "nl": "nld-Latn", "pl": "pol-Latn", "pt": "por-Latn", "ro": "ron-Latn", "ru": "rus-Cyrl"},
    **{"sv": "swe-Latn", "ta": "tam-Taml", "th": "tha-Thai", "tr": "tur-Latn", "uk": "ukr-Cyrl", "ur": "urd-Arab"},
    **{"vi": "vie-Latn", "zh": "zho-Hans"},
}
"""MTEB's names of languages, with the usual script, by BCP 47; others, and what isn't stated, are `UNKNOWN`."""
UNKNOWN = "und-Zyyy"
Qrels = Mapping[str, Mapping[str, int]]


def write(release: Release, wanted: Wanted, folder: Path) -> list[Left]:
    """The folders moments and videos with corpus, queries and qrels, tasks.json, and the module."""
    documents = {own.document_id: own.text for own in release.documents.values() if own.text}
    texts: dict[str, list[str]] = {
        video: [line.text for line in wanted.subtitles.get(video, ())] for video in release.stated
    }
    if not wanted.subtitles:
        for document in sorted(release.documents.values(), key=lambda own: (own.start, own.end)):
            texts[document.video_name] += document.captions
    videos = {written_id(video): " ".join(dict.fromkeys(said)) for video, said in texts.items() if said}
    left: list[Left] = [
        (len(release.documents) - len(documents), "moment", "without a caption left out"),
        (len(release.stated) - len(videos), "video", "without a text left out"),
    ]
    graded: dict[str, dict[str, Qrels]] = {MOMENTS: {}, VIDEOS: {}}
    for split, queries in release.judged.items():
        of_moments: dict[str, dict[str, int]] = {}
        of_videos: dict[str, dict[str, int]] = {}
        for query in queries:
            for moment in query.moments:
                video, grade = written_id(moment.video_name), moment.grade or 0
                of_moments.setdefault(written_id(query.query_id), {})[moment.moment_id] = grade
                own = of_videos.setdefault(written_id(query.query_id), {})
                own[video] = max(own.get(video, 0), grade)
        graded[MOMENTS][split], graded[VIDEOS][split] = of_moments, of_videos
    for kind, corpus in ((MOMENTS, documents), (VIDEOS, videos)):
        left += _task(folder / kind, release, corpus, graded[kind])
    write_json(folder / "tasks.json", [_metadata(release, kind, wanted) for kind in (MOMENTS, VIDEOS)])
    source = Path(mteb_module.__file__).read_text(encoding="utf-8")
    (folder / MODULE).write_text(source, encoding="utf-8")
    return left


def _task(folder: Path, release: Release, corpus: Mapping[str, str], graded: Mapping[str, Qrels]) -> list[Left]:
    folder.mkdir()
    write_lines(folder / "corpus.jsonl", ({"_id": own, "title": "", "text": text} for own, text in corpus.items()))
    queries = (query for queries in release.judged.values() for query in queries)
    write_lines(folder / "queries.jsonl", ({"_id": written_id(own.query_id), "text": own.text} for own in queries))
    pairs = lost = 0
    splits = []
    for split, qrels in graded.items():
        rows = [
            {"query-id": query, "corpus-id": document, "score": grade}
            for query, own in qrels.items()
            for document, grade in own.items()
            if document in corpus
        ]
        if rows:  # a file without rows has no columns, which the loader needs
            splits.append(split)
            write_lines(folder / f"qrels.{split}.jsonl", rows)
        pairs += sum(map(len, qrels.values()))
        lost += len(rows)
    (folder / "README.md").write_text(_card(splits), encoding="utf-8")
    return [(pairs - lost, "pair", f"of {folder.name} without a text left out")]


def _card(splits: Iterable[str]) -> str:
    """The YAML by which the files are found."""
    lines = ["---", "configs:"]
    for config, files in (
        ("corpus", {"corpus": "corpus.jsonl"}),
        ("queries", {"queries": "queries.jsonl"}),
        ("default", {split: f"qrels.{split}.jsonl" for split in splits}),
    ):
        lines += [f"- config_name: {config}", "  data_files:"]
        for split, file in files.items():
            lines += [f"  - split: {split}", f"    path: {file}"]
    return "\n".join([*lines, "---", ""])


def _metadata(release: Release, kind: str, wanted: Wanted) -> dict[str, Any]:
    """MTEB's TaskMetadata but for the data set's path, which the module knows."""
    about, stated = release.manifest.get("about"), release.manifest.get("languages")
    told: dict[str, Any] = about if isinstance(about, dict) else {}
    tags = stated if isinstance(stated, list) and stated else [UNKNOWN]
    text = "subtitles" if kind == VIDEOS and wanted.subtitles else "captions"
    return {
        "name": "".join(part.capitalize() for part in release.name.replace("_", "-").split("-")) + kind.capitalize(),
        "description": f"Find {kind} by what can be seen in them, of the release {release.name}; texts are {text}.",
        "type": "Retrieval",
        "category": "t2t",
        "modalities": ["text"],
        "folder": kind,
        "eval_splits": [split for split in ("test", "val") if release.judged.get(split)],
        "eval_langs": sorted({LANGUAGES.get(str(tag).split("-")[0], UNKNOWN) for tag in tags}),
        "main_score": "ndcg_at_10",
        "annotations_creators": "human-annotated",
        "sample_creation": "created",
        "license": str(told.get("licence") or "not specified").lower(),
        "bibtex_citation": str(told.get("citation") or ""),
    }
