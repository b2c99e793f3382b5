"""A pool all in memory, by plain Python: what the tables of `queries/pooling/pool_tables.py` are held against."""

from collections import defaultdict
from dataclasses import dataclass

from foundation.models import Collection
from queries.pooling.candidates import pool_captions


@dataclass(frozen=True, slots=True)
class Pool:
    """The distinct captions of the pool kinds, one row each, and the moments that each describes."""

    texts: list[str]
    """The spelling that stands for all captions equal to it."""
    row_of_key: dict[str, int]
    moments_of_text: list[list[int]]
    caption_of: dict[tuple[int, int], int]
    """(row, moment id) -> caption id."""
    captions: list[int]
    """The ids of all captions in it, also of those that equal another of their moment."""


def build_pool(collection: Collection) -> Pool:
    """The candidate pool: moments that have one of its captions."""
    captions = pool_captions(collection)
    every: list[int] = []
    spelling: dict[str, str] = {}
    members: dict[str, dict[int, int]] = defaultdict(dict)
    for pk, moment, text, key in captions.order_by("pk").values_list(
        "pk", "description__moment_id", "text", "normalised"
    ):
        spelling[key] = min(text, spelling.get(key, text))
        members[key].setdefault(moment, pk)
        every.append(pk)
    keys = sorted(spelling)
    return Pool(
        texts=[spelling[key] for key in keys],
        row_of_key={key: row for row, key in enumerate(keys)},
        moments_of_text=[sorted(members[key]) for key in keys],
        caption_of={(row, moment): pk for row, key in enumerate(keys) for moment, pk in members[key].items()},
        captions=every,
    )
