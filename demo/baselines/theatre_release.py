"""A release of the paper theatre whose grades are the script's own: no people, no database.

Captions are the shipped rewriter's, similarities the packaged encoder's. Val and test have every moment of the theatre
with its true grade, so that nothing is unjudged; all other captions are pseudo-training queries with their most
similar moments, as the paper has them.
"""

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from demo.theatre import Scene, relevance
from demo.theatre.script import write_films

DEPTHS = (1, 20, 40)
Span = tuple[str, float, float]


def make_theatre_release(folder: Path, *, videos: int = 40, val: int = 30, test: int = 60, seed: int = 7) -> None:
    """Write val.json, test.json, train_topNN.json and video_corpus.json of a theatre into a folder."""
    from queries.retrieval.encoder import Encoder

    films = write_films(videos, 7)
    scenes = [scene for film in films for scene in film.scenes]
    captions = _captions(scenes)
    shown: dict[Span, list[Scene]] = defaultdict(list)
    captions_of: dict[Span, list[str]] = defaultdict(list)
    for scene, caption in zip(scenes, captions, strict=True):
        shown[scene.video_name, scene.start, scene.end].append(scene)
        captions_of[scene.video_name, scene.start, scene.end].append(caption)
    distinct = list(dict.fromkeys(captions))  # equal captions are one query, of the first scene that has it
    asked = [scenes[captions.index(caption)] for caption in distinct]
    vectors = Encoder().encode(distinct)
    row_of = {caption: row for row, caption in enumerate(distinct)}
    cosines = (vectors @ vectors.T).clip(-1, 1)
    similarity = np.stack(
        [cosines[:, [row_of[text] for text in texts]].max(axis=1) for texts in captions_of.values()], axis=1
    )
    durations = {film.name: film.duration for film in films}
    drawn = random.Random(seed).sample(range(len(distinct)), val + test)
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder / "video_corpus.json", durations)
    for split, rows in (("val", sorted(drawn[:val])), ("test", sorted(drawn[val:]))):
        records = []
        for row in rows:
            moments = [
                {
                    **_moment(span, durations, captions_of[span][0], similarity[row, place]),
                    "relevance": round(max(relevance(asked[row], scene) for scene in shown[span])),
                }
                for place, span in enumerate(shown)
            ]
            records.append({"query_id": row, "query": distinct[row], "relevant_moment": moments})
        _write(folder / f"{split}.json", records)
    spans = list(shown)
    for depth in DEPTHS:
        records = []
        for row in sorted(set(range(len(distinct))) - set(drawn)):
            best = np.argsort(-similarity[row], kind="stable")[:depth]
            moments = [
                _moment(spans[place], durations, captions_of[spans[place]][0], similarity[row, place]) for place in best
            ]
            records.append({"query_id": row, "query": distinct[row], "relevant_moment": moments})
        _write(folder / f"train_top{depth:02d}.json", records)


def _captions(scenes: Sequence[Scene]) -> list[str]:
    from queries.language.lexicon import build_lexicon
    from queries.language.name_tagger import load_tagger
    from queries.rewriting.rewriters.interface import SourceDescription
    from queries.rewriting.rewriters.rules import RulesRewriter

    texts = [scene.description for scene in scenes]
    rewriter = RulesRewriter(load_tagger(), build_lexicon(texts))
    sources = [SourceDescription(str(scene.description_id), scene.description) for scene in scenes]
    return [caption.text or "" for caption in rewriter.rewrite(sources, temperature=0, seed=0)]


def _moment(span: Span, durations: dict[str, float], caption: str, similarity: float) -> dict[str, Any]:
    name, start, end = span
    return {
        "video_name": name,
        "timestamp": [start, end],
        "duration": durations[name],
        "caption": caption,
        "similarity": round(float(similarity), 6),
    }


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content) + "\n")
