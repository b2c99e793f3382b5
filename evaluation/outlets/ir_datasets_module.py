"""Loads the release beside this file into ir_datasets; `qreels-eval export --to ir-datasets` writes both.

With this folder on Python's path (or as the current one):

    import ir_datasets
    import qreels_release

    qreels_release.register("mine")
    dataset = ir_datasets.load("mine/test")  # or mine/val; ir_datasets.load("mine") has the documents alone

A document is a moment; its text is the captions of it, and `video_name`, `start`, `end` and `duration` (seconds) say
where it is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent


class Moment(NamedTuple):
    """A document."""

    doc_id: str
    text: str
    video_name: str
    start: float
    end: float
    duration: float

    def default_text(self) -> str:
        """What a text index reads."""
        return self.text


def register(name: str = "", folder: Path = HERE) -> str:
    """Register NAME, NAME/val and NAME/test, each where the folder has it. Returns: the name, by default the release's.

    Raises: RuntimeError if ir_datasets has something of that name.
    """
    import ir_datasets
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import JsonlDocs, JsonlQueries, TrecQrels
    from ir_datasets.util import LocalDownload, MetadataComponent, MetadataProvider

    about = json.loads((folder / "metadata.json").read_text(encoding="utf-8"))
    name = name or about["name"]
    language = about["language"]
    ids = {split: f"{name}/{split}".rstrip("/") for split in about["counts"]}
    grades = {int(grade): word for grade, word in about["grades"].items()}
    counts = MetadataProvider(lambda: {ids[split]: own for split, own in about["counts"].items()})
    moments = JsonlDocs(LocalDownload(folder / "documents.jsonl"), Moment, namespace=name, lang=language)
    for split, whole in ids.items():
        own = [moments]
        if split:
            own.append(JsonlQueries(LocalDownload(folder / f"queries.{split}.jsonl"), lang=language))
            own.append(TrecQrels(LocalDownload(folder / f"qrels.{split}.txt"), grades))
        metadata = MetadataComponent(whole, Dataset(*own), counts)  # first: it knows counts before anything is read
        ir_datasets.registry.register(whole, Dataset(metadata, *own))
    return str(name)
