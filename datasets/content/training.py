"""The pseudo-training queries of a release, streamed: neither texts nor candidates are held."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet

from corpus.models import Description
from datasets.content.moment_locations import MomentLocation, MomentSelection
from datasets.content.splits import ROWS_AT_ONCE, QueryId, Splits, public_query_id
from foundation.counted import counted
from foundation.infra.progress import Advance
from foundation.models import Collection
from foundation.refused import Refused
from foundation.text import normalise
from queries.models import Caption
from queries.pooling.candidates import pool_captions
from queries.pooling.leakage import Leakage, measure_leakage
from queries.pooling.query_selection import training_descriptions
from queries.pooling.training_rows import TrainingRows, among, no_training, open_training

DECIMALS = 6
"""Of a training similarity: as precise as float32 is."""
TOP = 40
"""Moments a pseudo-training query whose moments the tables count (the paper's N), fewer where fewer were fetched."""


@dataclass(frozen=True, slots=True)
class TrainingQuery:
    """A pseudo-training query with its top moments, best first.

    Attributes: captions: places of their captions in `Training.captions()`, and similarities, each of shape (M,).
    """

    query_id: QueryId
    text: str
    captions: np.ndarray
    similarities: np.ndarray


class Training:
    """The pseudo-training queries with their top moments, as `fetch_candidates` ranked them.

    Descriptions that never get candidates (their caption stands for no moment of the pool) are left out and
    counted in `without_candidates`; `descriptions` are the ids of the others, rising. With `below`, those are left out,
    too, whose caption has at least that cosine with a val or test query (`leakage`).

    A collection whose queries are topics alone needs none of it: where candidates were never fetched there, it has no
    pseudo-training queries. Files of vectors are read: hold `reading_vectors` while it is made.

    Args: compared: called with the number of captions compared with the queries since the last call.

    Raises:
        Refused: if captions were accepted or refused since candidates were fetched.
        Refused: if they never were, and queries are drawn.
        Refused: if `below` is asked for and a text has no vector.
        VectorsError: if a file of vectors is missing or damaged.
    """

    def __init__(
        self, splits: Splits, *, below: float | None = None, compared: Advance = lambda captions: None
    ) -> None:
        self._splits = splits
        self._collection = splits.collection
        self._rows, fetched = _training_of(self._collection)
        ids = training_ids(self._collection) if fetched else np.empty(0, dtype=np.int64)
        ranked = np.isin(ids, self._rows.descriptions)
        self.descriptions: np.ndarray = ids[ranked]
        self.without_candidates = int((~ranked).sum())
        self._captions = _ids(_accepted(self._collection))
        self._refuse_late(ids[~ranked].tolist())
        self._refuse_gone()
        self.leakage = self._compared(below, compared)
        """How near they come to val and test queries; None without any, or where what ranked them isn't known."""
        if self.leakage is not None:
            self.descriptions = self.descriptions[~self.leakage.left_out]

    def __len__(self) -> int:
        """How many queries will be in the files."""
        return len(self.descriptions)

    @property
    def encoder(self) -> str:
        """What ranked them: name@fingerprint, "" where that wasn't kept."""
        return self._rows.encoder

    @property
    def search(self) -> int:
        """The id of the approximate search that found them; 0: they are exact."""
        return self._rows.search

    @property
    def depth(self) -> int:
        """Moments fetched per query; a query may have fewer where the pool is small."""
        return self._rows.depth

    def captions(self) -> Iterator[tuple[str, MomentLocation]]:
        """Text and place of every accepted caption, in one order: its places are in `TrainingQuery`."""
        rows = _accepted(self._collection).values_list("text", "description__moment_id")
        for text, moment in rows.iterator(ROWS_AT_ONCE):
            yield text, self._splits.places[moment]

    def top_moments(self) -> MomentSelection:
        """The distinct moments that the paper's tables count (`evaluation.releases.figures`)."""
        return top_moments(self._splits, self._rows, self.descriptions)

    def _refuse_late(self, missing: list[int]) -> None:
        """Refuse if descriptions without candidates would get some now."""
        pool = pool_captions(self._collection).filter(normalised=OuterRef("caption__normalised"))
        late = sum(
            Description.objects.filter(Exists(pool), pk__in=missing[first : first + ROWS_AT_ONCE]).count()
            for first in range(0, len(missing), ROWS_AT_ONCE)
        )
        if late:
            raise Refused(f"{late:,} pseudo-training queries have no candidates yet: fetch candidates first")

    def _compared(self, below: float | None, progress: Advance) -> Leakage | None:
        if not len(self.descriptions):
            if below is not None:
                raise Refused("there are no pseudo-training queries to leave near-duplicates out of")
            return None
        leakage = None
        if self.encoder:
            leakage = measure_leakage(
                self._collection, self.descriptions, encoder=self.encoder, below=below, progress=progress
            )
        if below is not None and (leakage is None or not leakage.is_whole(self._collection)):
            raise Refused("not every query and caption has a vector to be compared by: fetch candidates again first")
        return leakage

    def _refuse_gone(self) -> None:
        gone: set[int] = set()
        for _, captions in self._rows.blocks("captions"):
            used = captions[captions >= 0]
            gone.update(used[~among(self._captions, used)].tolist())
        if gone:
            raise Refused(
                f"{counted(len(gone), 'caption')} among the pseudo-training candidates not accepted any more: "
                "fetch candidates again first"
            )

    def __iter__(self) -> Iterator[TrainingQuery]:
        """The queries in the order of their import. Raises: Refused at one that equals a val or test query."""
        described = training_descriptions(self._collection).order_by("pk")
        texts = described.values_list("pk", "source_id", "caption__text").iterator(ROWS_AT_ONCE)
        for descriptions, captions, similarities in self._rows.blocks("captions", "similarities"):
            ours = among(self.descriptions, descriptions)
            places = np.searchsorted(self._captions, captions)
            rounded = np.round(similarities.astype(np.float64), DECIMALS) + 0.0
            sizes = (captions >= 0).sum(axis=1)
            for row in np.flatnonzero(ours).tolist():
                pk = int(descriptions[row])
                source_id, text = next((source_id, text) for own, source_id, text in texts if own == pk)
                same = self._splits.drawn.get(normalise(text))
                if same is not None:
                    raise Refused(
                        f"the pseudo-training query {source_id} has the same caption as query {same}: {text!r}"
                    )
                size = sizes[row]
                yield TrainingQuery(public_query_id(source_id), text, places[row, :size], rounded[row, :size])


def training_ids(collection: Collection) -> np.ndarray:
    """The ids of the descriptions that are pseudo-training queries, rising, whether or not they have candidates."""
    return _ids(training_descriptions(collection).order_by("pk"))


def present_top(splits: Splits) -> MomentSelection | None:
    """The pseudo-training queries' top moments, as far as they are still there; None before any were fetched."""
    try:
        rows = open_training(splits.collection)
    except Refused:
        return None
    return top_moments(splits, rows, training_ids(splits.collection))


def top_moments(splits: Splits, rows: TrainingRows, descriptions: np.ndarray) -> MomentSelection:
    """The distinct moments among the first `TOP` of every pseudo-training query.

    Args: descriptions: those of the queries, rising; other rows are those of val and test.
    """
    chosen = splits.places.nothing_selected()
    for description_ids, moments in rows.blocks("moments"):
        chosen.add(moments[among(descriptions, description_ids), :TOP].ravel())
    return chosen


def _training_of(collection: Collection) -> tuple[TrainingRows, bool]:
    """The pseudo-training candidates, and whether they were fetched. Raises: Refused."""
    try:
        return open_training(collection), True
    except Refused:
        if collection.queries.filter(description__isnull=False).exists():
            raise
        return no_training(collection), False


def _accepted(collection: Collection) -> QuerySet[Caption]:
    return Caption.objects.filter(description__collection=collection, status=Caption.Status.ACCEPTED).order_by("pk")


def _ids(rows: QuerySet[Caption] | QuerySet[Description]) -> np.ndarray:
    return np.fromiter(rows.values_list("pk", flat=True).iterator(ROWS_AT_ONCE), np.int64)
