"""Exact top K by cosine similarity. Pure.

A rough product (`rough_products`) makes a shortlist of every text that its error bound doesn't rule out; the shortlist
alone is scored in float64. So the result is exact whatever the rough product: only the length of the shortlist depends
on it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from queries.retrieval.rough_products import BFLOAT16, FLOAT32, RoughTexts, quickest, quickest_device
from queries.retrieval.side_by_side import side_by_side, take

DECIMALS = 6
"""A similarity is its value at so many decimals: in ranks, in the database and in releases alike."""
MEMORY_MB = 256
"""What a search may hold besides vectors and results, unless told otherwise."""
QUERIES_AT_ONCE = 1024
SHORTLIST = 1024
"""Room for so many texts a query, at least; where more come too near, the query is searched more precisely."""
FLOAT64 = "float64"
NO_FLOOR = -2.0
"""A similarity that every text has."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What is searched: distinct texts, and the moments that each describes.

    vectors: float32 (t, d), unit rows. moments: int64 (e,), moment ids; text row t has those at
    offsets[t]:offsets[t + 1] (offsets: int64 (t + 1,)), ascending.
    """

    vectors: np.ndarray
    offsets: np.ndarray
    moments: np.ndarray

    @classmethod
    def of(cls, vectors: np.ndarray, moments_of_text: Sequence[Sequence[int]]) -> "Targets":
        """Targets from a list of moment ids for each text row. Raises: ValueError if the lengths differ."""
        if len(vectors) != len(moments_of_text):
            raise ValueError(
                f"found {len(moments_of_text):,} lists of moments, expected one for {len(vectors):,} texts"
            )
        sizes = [len(members) for members in moments_of_text]
        flat = [moment for members in moments_of_text for moment in sorted(members)]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(np.ascontiguousarray(vectors, dtype=np.float32), offsets, np.array(flat, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Ranking:
    """Queries' moments, best first; all (q, k), unused places hold -1 (similarity 0).

    moments: ids. entries: places in `Targets.moments`. texts: the rows of the text by which each moment counts.
    units: int64, similarities in units of the last of DECIMALS.
    """

    moments: np.ndarray
    entries: np.ndarray
    texts: np.ndarray
    units: np.ndarray

    @property
    def similarities(self) -> np.ndarray:
        """Float64, rounded to DECIMALS."""
        return similarities_of(self.units)


def search(
    queries: np.ndarray,
    targets: Targets,
    *,
    k: int,
    precision: str = "",
    memory_mb: int = MEMORY_MB,
    progress: Callable[[int], None] = lambda queries: None,
    floors: np.ndarray | None = None,
    device: str = "",
) -> Ranking:
    """Every query's k most similar moments, exactly; a moment counts with the best of its texts.

    Similarities are float64 sums rounded to six decimals, within [-1, 1], descending, equal ones by moment id.

    Args:
        queries: float32 (q, d), unit rows.
        k: how many moments, >= 1.
        precision: of the rough products: "bfloat16" or "float32"; "" takes what is quicker on this machine.
        memory_mb: what the search may hold besides vectors and results.
        progress: called with the number of queries done since the last call.
        floors: float64 (q,), similarities below which a query's moments needn't be found: where fewer than k reach
            it, the rest of the row may stay unused.
        device: what makes the rough product and its shortlist: "cpu" (compiled here) or what torch calls it; "" takes
            an NVIDIA card where there is one. The results are the same.

    Raises: ValueError if k < 1, or the vectors' widths differ.
    """
    if k < 1:
        raise ValueError(f"found k {k}, expected at least 1")
    queries = np.ascontiguousarray(queries, dtype=np.float32)
    if queries.ndim != 2 or queries.shape[1:] != targets.vectors.shape[1:]:
        raise ValueError(f"found queries of shape {queries.shape} for texts of shape {targets.vectors.shape}")
    ids, members, texts_of = np.unique(targets.moments, return_inverse=True, return_counts=True)
    entries = np.full((len(queries), k), -1, dtype=np.int64)
    units = np.zeros((len(queries), k), dtype=np.int64)
    if len(queries) and len(ids):
        at = device or quickest_device()
        least = np.full(len(queries), NO_FLOOR) if floors is None else floors
        run = _Search(targets, members.astype(np.int64), len(ids), min(k, len(ids)), memory_mb, least, at)
        rough = precision or (quickest() if at == "cpu" else FLOAT32)
        depth = run.first_depth(int(texts_of.max()))
        run.find(queries, np.arange(len(queries)), rough, depth, entries, units, progress)
    return _ranking(targets, entries, units)


def score_shortlists(
    queries: np.ndarray, targets: Targets, shortlists: np.ndarray, sizes: np.ndarray, *, k: int
) -> Ranking:
    """Every query's k most similar moments of the texts on its shortlist, scored and put in order as `search` does.

    Args:
        queries: float32 (q, d), unit rows.
        shortlists, sizes: int32 (q, n) and int64 (q,): the rows of so many texts, ascending.
    """
    from queries.retrieval.search_kernels import settle

    ids, members = np.unique(targets.moments, return_inverse=True)
    entries = np.full((len(queries), k), -1, dtype=np.int64)
    units, filled = np.zeros_like(entries), np.zeros(len(queries), dtype=np.int64)
    errors, no_keys = np.zeros(len(queries)), np.zeros((len(queries), 0), dtype=np.int32)
    wanted = shortlists.shape[1]

    def work(part: slice) -> None:
        settle(
            queries[part], targets.vectors, targets.offsets, members, len(ids), wanted, errors[part], 0.0,
            no_keys[part], shortlists[part], sizes[part], entries[part], units[part], filled[part],
        )  # fmt: skip

    side_by_side(work, len(queries))
    return _ranking(targets, entries, units)


def _ranking(targets: Targets, entries: np.ndarray, units: np.ndarray) -> Ranking:
    # One more than there are, for unused places.
    moments = np.append(targets.moments, -1)
    texts = np.append(np.repeat(np.arange(len(targets.vectors)), np.diff(targets.offsets)), -1)
    return Ranking(take(moments, entries), entries, take(texts, entries), units)


def similarities_of(units: np.ndarray) -> np.ndarray:
    """Float64, in whole units of the last of DECIMALS as everything says them."""
    rounded: np.ndarray = np.round(units / 10**DECIMALS, DECIMALS)
    return rounded


class _Search:
    """One search, within the limits that its memory sets."""

    def __init__(
        self, targets: Targets, members: np.ndarray, moments: int, k: int, memory_mb: int, floors: np.ndarray, at: str
    ) -> None:
        self.targets, self.members, self.moments, self.k = targets, members, moments, k
        self.floors, self.budget = floors, memory_mb * 2**20
        self._rough = RoughTexts(targets.vectors, budget=self.budget, at=at)

    def first_depth(self, most: int) -> int:
        """How many texts to shortlist first: enough to be sure of k moments with `most` texts each, but at most twice
        k."""
        return min((self.k - 1) * most + 1, 2 * self.k, len(self.targets.vectors))

    def find(
        self,
        queries: np.ndarray,
        which: np.ndarray,
        precision: str,
        wanted: int,
        entries: np.ndarray,
        units: np.ndarray,
        progress: Callable[[int], None],
    ) -> None:
        """Fill the rows `which` of entries and units; rows not settled yet are searched deeper or more exactly."""
        room = max(SHORTLIST, 4 * wanted)
        block = int(max(1, min(QUERIES_AT_ONCE, self.budget // 2 // (room * 8))))
        for first in range(0, len(which), block):
            rows = which[first : first + block]
            part = queries[rows]
            sizes, filled = self._block(part, precision, wanted, room, entries, units, rows)
            crowded = rows[sizes < 0]
            # A shortlist with room left has all that reaches the floor.
            shallow = rows[(sizes >= wanted) & (filled < self.k)]
            progress(len(rows) - len(crowded) - len(shallow))
            if len(shallow):
                deeper = min(2 * wanted, len(self.targets.vectors))
                self.find(queries, shallow, precision, deeper, entries, units, progress)
            if len(crowded):
                closer = FLOAT32 if precision == BFLOAT16 else FLOAT64
                self.find(queries, crowded, closer, wanted, entries, units, progress)

    def _block(
        self,
        queries: np.ndarray,
        precision: str,
        wanted: int,
        room: int,
        entries: np.ndarray,
        units: np.ndarray,
        rows: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray]:
        from queries.retrieval.search_kernels import settle

        count = len(queries)
        filled = np.zeros(count, dtype=np.int64)
        best = np.full((count, self.k), -1, dtype=np.int64)
        scores = np.zeros((count, self.k), dtype=np.int64)
        errors, rounding = np.zeros(count), 0.0
        if precision == FLOAT64:
            # Everything is near: the shortlist is all there is, one query at a time.
            for row in range(count):
                everything = np.arange(len(self.targets.vectors), dtype=np.int32)[None]
                no_keys, size = np.zeros((1, 0), dtype=np.int32), np.array([everything.shape[1]])
                single = slice(row, row + 1)
                depth = everything.shape[1]
                settle(
                    queries[single], self.targets.vectors, self.targets.offsets, self.members, self.moments, depth,
                    errors[single], rounding, no_keys, everything, size, best[single], scores[single], filled[single],
                )  # fmt: skip
            sizes = np.zeros(count, dtype=np.int64)
        else:
            keys = np.empty((count, room), dtype=np.int32)
            texts = np.empty((count, room), dtype=np.int32)
            floors = self.floors[rows]
            sizes, errors, rounding = self._rough.shortlist(queries, precision, wanted, floors, keys, texts)

            def work(part: slice) -> None:
                settle(
                    queries[part], self.targets.vectors, self.targets.offsets, self.members, self.moments, wanted,
                    errors[part], rounding, keys[part], texts[part], sizes[part], best[part], scores[part],
                    filled[part],
                )  # fmt: skip

            side_by_side(work, count)
        done = (filled >= self.k) | ((sizes >= 0) & (sizes < wanted))
        entries[rows[done], : self.k] = best[done]
        units[rows[done], : self.k] = scores[done]
        return sizes, filled
