"""Queries compared with captions in both directions, exactly, a block of captions at a time. Pure."""

import numpy as np

from queries.retrieval.exact_search import Targets, search
from queries.retrieval.running_best import Best, TextPiece

MEMORY_MB = 128
"""Of a search, besides the vectors of the queries and of a block."""


class Comparison:
    """The nearest captions of q queries, float32 (q, d) of unit rows, while captions come a block at a time.

    `nearest`: int64 (q,), ids, of equally similar captions the lowest, -1 before any; `cosines`: float64 (q,), with it,
    rounded as everything says similarities, NaN before any.
    """

    def __init__(self, queries: np.ndarray, *, below: float | None = None) -> None:
        self._queries, self._below = queries, np.inf if below is None else below
        self._targets = Targets.of(queries, [[row] for row in range(len(queries))])
        self._best = Best.none_yet(len(queries), 1)

    @property
    def nearest(self) -> np.ndarray:
        return self._best.moments[:, 0]

    @property
    def cosines(self) -> np.ndarray:
        return np.where(self.nearest >= 0, self._best.similarities()[:, 0], np.nan)

    def take(self, ids: np.ndarray, captions: np.ndarray) -> np.ndarray:
        """Compare one more block, float32 (n, d) with ids int64 (n,). Those that reach `below` are nobody's nearest.

        Returns: float64 (n,), the cosine of each caption with the query that is most similar to it.
        """
        cosines = search(captions, self._targets, k=1, memory_mb=MEMORY_MB).similarities[:, 0]
        stay = cosines < self._below
        if stay.any():
            places = np.arange(stay.sum() + 1)
            piece = TextPiece(captions[stay], places[:-1], places, ids[stay], ids[stay])
            self._best.search(self._queries, piece, memory_mb=MEMORY_MB)
        return cosines
