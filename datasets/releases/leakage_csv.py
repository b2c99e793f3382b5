"""`leakage.csv`: the pseudo-training query that comes nearest to each query of val and test."""

from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import numpy as np

from datasets.content.leakage import NearestCaption, described, nearest_captions
from datasets.content.public_names import public_name
from datasets.content.splits import SPLITS, Splits, graded_pairs
from datasets.content.training import Training
from datasets.formats.material import create_csv

LEAKAGE_FILE = "leakage.csv"
COLUMNS = tuple(field.name for field in fields(NearestCaption))


def write_leakage(splits: Splits, training: Training, folder: Path) -> None:
    """Write a row for every query of val.json and test.json that was compared, in their order; not if none was."""
    assert training.leakage is not None
    with create_csv(folder / LEAKAGE_FILE, COLUMNS) as writer:
        rows = nearest_captions(splits.collection, training.leakage, _released(splits))
        writer.writerows(map(astuple, rows))


def describe_leakage(splits: Splits, training: Training) -> dict[str, Any] | None:
    """The manifest's `leakage`: the file, what `described` says of the released queries, `train_below`, and how many
    pseudo-training queries were left out by it; None where nothing was compared."""
    leakage = training.leakage
    if leakage is None:
        return None
    facts = described(splits.collection, leakage, _released(splits))
    left_out = {"train_below": leakage.below, "left_out": int(leakage.left_out.sum())}
    return {"file": LEAKAGE_FILE, **facts, **left_out, "encoder": public_name(facts["encoder"])}


def _released(splits: Splits) -> np.ndarray:
    """The ids of the queries with a graded pair."""
    ids = [
        graded_pairs(splits.collection, split, adjudicated=splits.adjudicated)
        .values_list("batch__query_id", flat=True)
        .distinct()
        for split in SPLITS
    ]
    return np.array([pk for own in ids for pk in own], dtype=np.int64)
