"""The release beside this file as tasks of mteb; `qreels-eval export --to mteb` writes both.

With this folder on Python's path (or as the current one):

    import mteb
    import qreels_tasks

    model = mteb.get_model("sentence-transformers/all-MiniLM-L6-v2")
    mteb.evaluate(model, qreels_tasks.tasks())

tasks() has two: which moment (by its captions), and which video. Both are scored on val and test.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

HERE = Path(__file__).resolve().parent


def tasks(folder: Path = HERE) -> list[Any]:
    """The tasks of the folder, as instances of mteb's AbsTaskRetrieval."""
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.types import Licenses

    made = []
    for told in json.loads((folder / "tasks.json").read_text(encoding="utf-8")):
        if told["license"] not in get_args(Licenses) and not told["license"].startswith("http"):
            told["license"] = None  # mteb knows no other
        dataset = {"path": str(folder / told.pop("folder")), "revision": "local"}
        metadata = TaskMetadata(dataset=dataset, **told)
        made.append(type(told["name"], (AbsTaskRetrieval,), {"metadata": metadata})())
    return made
