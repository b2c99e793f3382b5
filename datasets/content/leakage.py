"""What is told of leakage: how many queries have a near pseudo-training caption, and which come nearest."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np

from annotation.precomputed import Result, computed_or_ask
from datasets.content.splits import SPLITS, QueryId, public_query_id
from datasets.content.training import training_ids
from evaluation.releases.figures import DECIMALS
from foundation.infra.progress import Advance, Stage, untold
from foundation.models import Collection
from queries.models import Caption, Draw
from queries.pooling.leakage import Leakage, encode_for_leakage, measure_leakage
from queries.pooling.query_columns import query_source_id
from queries.retrieval.encoder import load_encoder
from queries.retrieval.sentence_pooling import pooling_named
from queries.retrieval.vector_shards import reading_vectors

NAME = "leakage"
"""The name under which a draw's report is precomputed, before the draw's id."""
LEVELS = (0.85, 0.9, 0.95)
WORST = 100
ROWS_AT_ONCE = 2000


@dataclass(frozen=True, slots=True)
class NearestCaption:
    """A val or test query with the pseudo-training query that is most similar to it, and their cosine."""

    split: str
    query_id: QueryId
    query: str
    training_query_id: QueryId
    training_query: str
    cosine: float


def leakage_of_draw(collection: Collection) -> Result:
    """The precomputed report of the draw that stands; a worker is asked where there is none yet, or it is old."""
    draw = Draw.objects.filter(collection=collection).first()
    return computed_or_ask(collection=collection, name=f"{NAME}:{draw.pk if draw else 0}")


def leakage_report(collection: Collection, leakage: Leakage) -> dict[str, Any]:
    """`described` of all val and test queries, with `worst`: the `WORST` that come nearest to a pseudo-training caption
    (`NearestCaption`), the nearest first."""
    nearest = sorted(nearest_captions(collection, leakage, leakage.queries), key=lambda row: -row.cosine)
    return {**described(collection, leakage, leakage.queries), "worst": [asdict(row) for row in nearest[:WORST]]}


def report_of_draw(collection: Collection, draw: str, *, progress: Advance = lambda captions: None) -> dict[str, Any]:
    """The report to be precomputed, as the collection stands; `draw` is in its name (`leakage_of_draw`)."""
    return leakage_report(collection, present_leakage(collection, progress=progress))


def present_leakage(
    collection: Collection, *, stage: Stage = untold, progress: Advance = lambda captions: None
) -> Leakage:
    """Compare the collection's val and test queries with its pseudo-training captions, by the configured encoder;
    texts without a vector are encoded first.

    Args:
        stage: called as each stage begins; what it returns is called as that goes on.
        progress: called with the number of captions compared since the last call.
    """
    training = training_ids(collection)
    encode_for_leakage(collection, training, progress=stage("Encoding", None, "captions"))
    comparing = stage("Comparing", None, "captions")

    def compared(captions: int) -> None:
        comparing(captions)
        progress(captions)

    with reading_vectors():
        return measure_leakage(collection, training, encoder=load_encoder().identity, progress=compared)


def described(collection: Collection, leakage: Leakage, queries: np.ndarray) -> dict[str, Any]:
    """`encoder` and its `pooling`; of `val` and `test` how many of these `queries` (ids) there are, how many were
    `compared`, and of these how many have a pseudo-training caption with a cosine from each of `LEVELS` on, with their
    share; of `training` how many of the pseudo-training queries reach each level themselves."""
    facts: dict[str, Any] = {"encoder": leakage.encoder, "pooling": pooling_named(leakage.encoder)}
    for split in SPLITS:
        own = collection.queries.filter(pk__in=queries.tolist(), split=split).values_list("pk", flat=True)
        facts[split] = _from_each_level(leakage.cosines[np.isin(leakage.queries, list(own))], len(own))
    return {**facts, "training": _from_each_level(leakage.to_queries, len(leakage.training))}


def _from_each_level(cosines: np.ndarray, queries: int) -> dict[str, Any]:
    known = cosines[~np.isnan(cosines)]
    counts = {f"{level:g}": int((known >= level).sum()) for level in LEVELS}
    return {
        "queries": queries,
        "compared": len(known),
        "from": {
            level: {"queries": count, "share": round(count / len(known), DECIMALS) if len(known) else None}
            for level, count in counts.items()
        },
    }


def nearest_captions(collection: Collection, leakage: Leakage, queries: np.ndarray) -> Iterator[NearestCaption]:
    """Of these queries (ids) those that were compared, by split in the order of the draw."""
    places = dict(zip(leakage.queries.tolist(), range(len(leakage.queries)), strict=True))
    compared = np.intersect1d(queries, leakage.queries[leakage.nearest >= 0]).tolist()
    for split in SPLITS:
        rows = collection.queries.filter(pk__in=compared, split=split).order_by("position")
        own = rows.values_list("pk", query_source_id(), "text").iterator(ROWS_AT_ONCE)
        while block := list(islice(own, ROWS_AT_ONCE)):
            found = {query: int(leakage.nearest[places[query]]) for query, *_ in block}
            captions = Caption.objects.filter(description__in=found.values())
            texts = {pk: row for pk, *row in captions.values_list("description", "description__source_id", "text")}
            for query, source_id, text in block:
                other_id, other = texts[found[query]]
                cosine = float(leakage.cosines[places[query]])
                yield NearestCaption(split, public_query_id(source_id), text, public_query_id(other_id), other, cosine)
