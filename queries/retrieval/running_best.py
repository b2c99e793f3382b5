"""The best moments of queries so far, while the texts are searched piece by piece. Pure."""

from dataclasses import dataclass

import numpy as np

from queries.retrieval.exact_search import (
    DECIMALS,
    NO_FLOOR,
    Ranking,
    Targets,
    score_shortlists,
    search,
    similarities_of,
)
from queries.retrieval.side_by_side import side_by_side, take


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Some of the texts that are searched.

    vectors: float32 (t, d), unit rows. texts: int64 (t,), their numbers among all, ascending. offsets: int64 (t + 1,):
    text t describes the moments (ids) at offsets[t]:offsets[t + 1], ascending, by the captions (ids) there.
    """

    vectors: np.ndarray
    texts: np.ndarray
    offsets: np.ndarray
    moments: np.ndarray
    captions: np.ndarray


@dataclass(frozen=True, slots=True)
class Best:
    """All int64 (q, k), best first, equal ones by moment id; moments of unused places are -1.

    texts, captions: by which each moment counts. units: similarities in units of the last of DECIMALS.
    """

    moments: np.ndarray
    texts: np.ndarray
    captions: np.ndarray
    units: np.ndarray

    @classmethod
    def none_yet(cls, queries: int, k: int) -> "Best":
        """Nothing is found yet."""
        moments, texts, captions = np.full((3, queries, k), -1, dtype=np.int64)
        return cls(moments, texts, captions, units=np.zeros((queries, k), dtype=np.int64))

    def search(self, queries: np.ndarray, piece: TextPiece, *, memory_mb: int, device: str = "") -> None:
        """Search one more piece for the queries, float32 (q, d).

        What can't be among the best any more is passed over: the result is that of one search through all pieces, in
        whatever order.
        """
        targets = Targets(piece.vectors, piece.offsets, piece.moments)
        k = self.moments.shape[1]
        self._take(search(queries, targets, k=k, memory_mb=memory_mb, floors=self._floors(), device=device), piece)

    def score(self, queries: np.ndarray, piece: TextPiece, shortlists: np.ndarray, sizes: np.ndarray) -> None:
        """Take what is better among texts of a piece that are on the queries' shortlists (`score_shortlists`)."""
        targets = Targets(piece.vectors, piece.offsets, piece.moments)
        self._take(score_shortlists(queries, targets, shortlists, sizes, k=self.moments.shape[1]), piece)

    def _take(self, ranking: Ranking, piece: TextPiece) -> None:
        # One more than there are, for unused places.
        texts, captions = np.append(piece.texts, -1), np.append(piece.captions, -1)
        self.merge(Best(ranking.moments, take(texts, ranking.texts), take(captions, ranking.entries), ranking.units))

    def merge(self, other: "Best") -> None:
        """Take what is better in the best of other pieces for the same queries."""
        from queries.retrieval.search_kernels import merge

        def work(part: slice) -> None:
            merge(
                self.moments[part], self.texts[part], self.captions[part], self.units[part],
                other.moments[part], other.texts[part], other.captions[part], other.units[part],
            )  # fmt: skip

        side_by_side(work, len(self.moments))

    def similarities(self) -> np.ndarray:
        """Float64 (q, k), as `exact_search` has them; 0 at unused places."""
        return similarities_of(self.units)

    def _floors(self) -> np.ndarray:
        return np.where(self.moments[:, -1] >= 0, self.units[:, -1] / 10**DECIMALS, NO_FLOOR)
