"""Rough products of queries and texts, and the shortlists that their error bounds allow. Pure.

bfloat16 where the processor multiplies it quicker, else float32; on an NVIDIA card float32.
"""

from functools import lru_cache
from typing import Any

import numpy as np

from queries.retrieval.side_by_side import side_by_side

TEXTS_AT_ONCE = 16_384
ROUNDED_AT_ONCE = 1024
"""Few enough for the processor's own memory."""
BFLOAT16 = "bfloat16"
FLOAT32 = "float32"
FLOAT32_ROUNDING = 2.0**-24
BFLOAT16_ROUNDING = 2.0**-8


@lru_cache(maxsize=1)
def quickest() -> str:
    """The fastest precision for the rough product: bfloat16 where the processor has instructions for it."""
    import torch

    capable = any(
        getattr(torch.cpu, name, lambda: False)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )
    onednn = bool(torch.backends.mkldnn.is_available())  # type: ignore[no-untyped-call]  # torch has no type for it
    return BFLOAT16 if capable and onednn else FLOAT32


@lru_cache(maxsize=1)
def quickest_device() -> str:
    """Where the rough product is made: on an NVIDIA card where torch finds one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


class RoughTexts:
    """The texts that are searched, rounded to each precision once, and the memory for their products.

    vectors: float32 (t, d), unit rows. budget: bytes that may be held besides. at: the device, as torch calls it.
    """

    def __init__(self, vectors: np.ndarray, *, budget: int, at: str) -> None:
        self._vectors, self._budget, self._at = vectors, budget, at
        self._rounded: dict[str, tuple[Any, float, float]] = {}
        self._room: Any = None

    def shortlist(
        self,
        queries: np.ndarray,
        precision: str,
        wanted: int,
        floors: np.ndarray,
        keys: np.ndarray,
        shortlists: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Fill keys and shortlists, int32 (q, room), with every text that may be among a query's `wanted` best.

        Returns: sizes, errors and rounding, as `search_kernels.collect` has them.
        """
        import torch

        from queries.retrieval.search_kernels import collect, keys_of_floors

        count, width = len(queries), queries.shape[1]
        texts, text_length, text_loss = self._texts(precision)
        rough_queries, lengths, losses = _rounded(queries, precision)
        # |q.t - q'.t'| <= |q - q'||t| + |q'||t - t'|; then what float32 sums of d products can be off.
        summing = 1.1 * width * FLOAT32_ROUNDING * (lengths + losses) * (text_length + text_loss)
        errors = losses * text_length + (lengths + losses) * text_loss + summing
        narrow = precision == BFLOAT16
        shift, rounding, bits = (16, BFLOAT16_ROUNDING, torch.int16) if narrow else (0, 0.0, torch.int32)
        sizes = np.zeros(count, dtype=np.int64)
        if (errors > 0.02).any() or not np.isfinite(errors).all():
            return np.full(count, -1), errors, rounding
        lows = keys_of_floors(floors, errors, rounding)
        if self._at != "cpu" and not narrow:
            best, places = self._largest(rough_queries, texts, room=keys.shape[1])
            edges = best[:, wanted - 1].astype(np.float64)
            lows = np.maximum(lows, keys_of_floors(edges, errors, rounding))
            _keep_above(lows, best, places, keys, shortlists, sizes)
            return sizes, errors, rounding
        each = 2 if narrow else 4
        tile = int(max(1, min(TEXTS_AT_ONCE, self._budget // 2 // (count * each))))
        for first in range(0, len(texts), tile):
            product = self._products(count, min(tile, len(texts) - first), rough_queries.dtype)
            torch.mm(rough_queries, texts[first : first + tile].t(), out=product)
            rough = product.view(bits).numpy()

            def work(part: slice, rough: np.ndarray = rough, first: int = first) -> None:
                collect(
                    rough[part], shift, first, wanted, errors[part], rounding, lows[part],
                    keys[part], shortlists[part], sizes[part],
                )  # fmt: skip

            side_by_side(work, count)
        return sizes, errors, rounding

    def _products(self, queries: int, texts: int, kind: Any) -> Any:
        """Room for the products of a tile: taken from the system once, since it clears each page that it gives."""
        import torch

        if self._room is None or self._room.dtype != kind or self._room.numel() < queries * texts:
            self._room = torch.empty(queries * texts, dtype=kind)
        return self._room[: queries * texts].view(queries, texts)

    def _largest(self, queries: Any, texts: Any, *, room: int) -> tuple[np.ndarray, np.ndarray]:
        """Each query's largest float32 products, by torch on the device of `at`: descending, and of which texts.

        One more than there is room for, to see whether any is left out that counts.
        """
        import torch

        given = queries.to(self._at)
        best = torch.empty((len(queries), 0), device=self._at)
        places = torch.empty((len(queries), 0), dtype=torch.int32, device=self._at)
        tile = int(max(room, min(TEXTS_AT_ONCE, self._budget // 4 // (len(queries) * 4))))
        for first in range(0, len(texts), tile):
            product = torch.mm(given, texts[first : first + tile].to(self._at).t())
            here = torch.arange(first, first + product.shape[1], dtype=torch.int32, device=self._at)
            both = torch.cat([best, product], dim=1)
            best, chosen = both.topk(min(room + 1, both.shape[1]), dim=1)
            places = torch.cat([places, here.expand(len(queries), -1)], dim=1).gather(1, chosen)
        return best.cpu().numpy(), places.cpu().numpy()

    def _texts(self, precision: str) -> tuple[Any, float, float]:
        """The texts at a precision, and the greatest length of one and of its rounding error."""
        if precision not in self._rounded:
            rough, lengths, losses = _rounded(self._vectors, precision)
            self._rounded[precision] = (rough, float(lengths.max()), float(losses.max()))
        return self._rounded[precision]


def _rounded(vectors: np.ndarray, precision: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """The vectors rounded to a precision, their lengths, and the lengths of the rounding errors."""
    import torch

    whole = torch.from_numpy(vectors)
    lengths = torch.linalg.vector_norm(whole, dim=1).double().numpy() * (1 + 1e-5)
    if precision == FLOAT32:
        return whole, lengths, np.zeros(len(vectors))
    rough = whole.to(torch.bfloat16)
    losses = np.empty(len(vectors))
    for first in range(0, len(vectors), ROUNDED_AT_ONCE):
        part = slice(first, first + ROUNDED_AT_ONCE)
        lost = rough[part].float().sub_(whole[part])
        losses[part] = torch.linalg.vector_norm(lost, dim=1).double().numpy() * (1 + 1e-5)
    return rough, lengths, losses


def _keep_above(
    lows: np.ndarray, best: np.ndarray, places: np.ndarray, keys: np.ndarray, shortlists: np.ndarray, sizes: np.ndarray
) -> None:
    """Fill shortlists as `collect` does, with texts ascending, from the largest products (descending)."""
    bits = best.view(np.int32)
    order = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    counted = (order >= lows[:, None]).sum(axis=1)
    room = keys.shape[1]
    sizes[:] = np.where(counted > room, -1, counted)
    width = min(room, best.shape[1])
    unused = np.arange(width)[None] >= counted[:, None]
    by_text = np.argsort(np.where(unused, np.iinfo(np.int32).max, places[:, :width]), axis=1, kind="stable")
    keys[:, :width] = np.take_along_axis(order[:, :width], by_text, axis=1)
    shortlists[:, :width] = np.take_along_axis(places[:, :width], by_text, axis=1)
