"""Compiled inner loops of `rough_products` and `exact_search`: a shortlist from rough products, then its exact order.

A rough product is looked at as the integer of its bits, turned so that integers and floats sort alike: `keys`. A
bfloat16 is the upper half of a float32, so one order serves both.
"""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., object])

CHUNK = 64
"""Products of which only the largest is compared at first: nearly always it is too small, and the loop vectorises."""
UNIT = 1e-6
"""A similarity is a whole number of these."""
TIE = 2 * UNIT
"""Two sums further apart than this can't be rounded to the same similarity."""


def compiled(kernel: Kernel) -> Kernel:
    """`numba.njit` with its type, which numba doesn't state; without the GIL, kept on disk for the next process."""
    fast: Kernel = njit(nogil=True, cache=True)(kernel)
    return fast


@compiled
def float_of_key(key: np.int32) -> np.float32:
    """The float32 of a 32-bit key."""
    return np.int32(key ^ ((key >> 31) & 0x7FFFFFFF)).view(np.float32)


@compiled
def key_of_float(value: float) -> np.int32:
    """The 32-bit key of a float, rounded to float32."""
    bits = np.float32(value).view(np.int32)
    return np.int32(bits ^ ((bits >> 31) & 0x7FFFFFFF))


@compiled
def lowest_key(keys: np.ndarray, size: int, wanted: int, error: float, rounding: float) -> np.int32:
    """The key below which no text can be among the `wanted` best, ties included.

    The wanted-th best rough product is off by at most `error` and its own rounding, and so is any left out.
    """
    edge = float(float_of_key(np.partition(keys[:size], size - wanted)[size - wanted]))
    return key_of_float(edge - 2.0 * (error + rounding * (abs(edge) + 0.1)) - TIE - 1e-7)


@compiled
def keys_of_floors(floors: np.ndarray, errors: np.ndarray, rounding: float) -> np.ndarray:
    """The keys below which no text can be as similar as the floors (float64 (q,), of `errors` and `rounding` too)."""
    keys = np.empty(floors.shape[0], dtype=np.int32)
    for row in range(floors.shape[0]):
        margin = errors[row] + rounding * (abs(floors[row]) + 0.1)
        keys[row] = key_of_float(floors[row] - 2.0 * margin - TIE - 1e-7)
    return keys


@compiled
def collect(
    rough: np.ndarray,
    shift: int,
    first_text: int,
    wanted: int,
    errors: np.ndarray,
    rounding: float,
    lows: np.ndarray,
    keys: np.ndarray,
    texts: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Add the candidates of one tile of rough products to each query's shortlist.

    Args:
        rough: int16 or int32 (q, w), the bits of the products with texts first_text ... first_text + w - 1.
        shift: 16 for bfloat16, 0 for float32.
        errors: float64 (q,), how far a product before its last rounding can be off; `rounding` is that, relative.
        lows: int32 (q,), the keys below which nothing counts any more; grows.
        keys, texts, sizes: the shortlists, (q, capacity) and (q,). Size -1: too many come too near.
    """
    capacity = keys.shape[1]
    width = rough.shape[1]
    sign = 15 if shift == 16 else 31
    mask = 0x7FFF if shift == 16 else 0x7FFFFFFF
    chunks = (width + CHUNK - 1) // CHUNK
    maxima = np.empty(chunks, dtype=np.int32)
    for row in range(rough.shape[0]):
        size = sizes[row]
        if size < 0:
            continue
        products = rough[row]
        low = lows[row] >> shift
        near = 0
        for chunk in range(chunks):
            part = products[chunk * CHUNK : (chunk + 1) * CHUNK]
            largest = part[0]
            for place in range(len(part)):
                largest = max(largest, part[place])
            if largest < 0:
                # Bits are keys where the float isn't negative; all of these are.
                largest = products.dtype.type(part[0] ^ mask)
                for place in range(len(part)):
                    largest = max(largest, products.dtype.type(part[place] ^ mask))
            maxima[chunk] = np.int32(largest) << shift
            near += largest >= low
        if near > wanted:
            # Each chunk's largest is another text, so that the wanted-th of them is a bound for all.
            lows[row] = max(lows[row], lowest_key(maxima, chunks, wanted, errors[row], rounding))
            low = lows[row] >> shift
        if near == 0:
            continue
        for chunk in range(chunks):
            if (maxima[chunk] >> shift) < low:
                continue
            for place in range(chunk * CHUNK, min((chunk + 1) * CHUNK, width)):
                key = products[place] ^ ((products[place] >> sign) & mask)
                if key < low:
                    continue
                if size == capacity:
                    size, lows[row] = _compact(keys[row], texts[row], size, wanted, errors[row], rounding)
                    low = lows[row] >> shift
                    if size > capacity - capacity // 4:
                        size = -1
                        break
                    if key < low:
                        continue
                keys[row, size] = np.int32(key) << shift
                texts[row, size] = first_text + place
                size += 1
            if size < 0:
                break
        if size > 2 * wanted:
            size, lows[row] = _compact(keys[row], texts[row], size, wanted, errors[row], rounding)
        sizes[row] = size


@compiled
def _compact(
    keys: np.ndarray, texts: np.ndarray, size: int, wanted: int, error: float, rounding: float
) -> tuple[int, np.int32]:
    low = lowest_key(keys, size, wanted, error, rounding)
    kept = 0
    for place in range(size):
        if keys[place] >= low:
            keys[kept] = keys[place]
            texts[kept] = texts[place]
            kept += 1
    return kept, low


@compiled
def similarity_units(query: np.ndarray, text: np.ndarray) -> int:
    """The similarity of two float32 vectors, summed in float64 in one fixed order, in whole millionths within +-1.

    Eight sums side by side: quicker than one, and the same on every machine and in any company.
    """
    width = query.shape[0]
    a = b = c = d = e = f = g = h = 0.0
    even = width - width % 8
    for at in range(0, even, 8):
        a += np.float64(query[at]) * np.float64(text[at])
        b += np.float64(query[at + 1]) * np.float64(text[at + 1])
        c += np.float64(query[at + 2]) * np.float64(text[at + 2])
        d += np.float64(query[at + 3]) * np.float64(text[at + 3])
        e += np.float64(query[at + 4]) * np.float64(text[at + 4])
        f += np.float64(query[at + 5]) * np.float64(text[at + 5])
        g += np.float64(query[at + 6]) * np.float64(text[at + 6])
        h += np.float64(query[at + 7]) * np.float64(text[at + 7])
    for at in range(even, width):
        a += np.float64(query[at]) * np.float64(text[at])
    units = np.int64(np.rint((((a + b) + (c + d)) + ((e + f) + (g + h))) / UNIT))
    return max(-1_000_000, min(1_000_000, int(units)))


@compiled
def settle(
    queries: np.ndarray,
    texts: np.ndarray,
    offsets: np.ndarray,
    members: np.ndarray,
    moments: int,
    wanted: int,
    errors: np.ndarray,
    rounding: float,
    keys: np.ndarray,
    shortlists: np.ndarray,
    sizes: np.ndarray,
    entries: np.ndarray,
    units: np.ndarray,
    filled: np.ndarray,
) -> None:
    """Score each query's shortlist exactly and expand it to moments, best first.

    Args:
        queries, texts: float32 (q, d), (t, d).
        offsets, members: text t describes the moments members[offsets[t]:offsets[t + 1]], as places in sorted ids.
        moments: how many different moments there are.
        keys, shortlists, sizes: what `collect` left.
        entries, units: (q, k), filled: places in `members`, and similarities in millionths.
        filled: int64 (q,): how many there are; stays 0 where the size is -1.
    """
    k = entries.shape[1]
    seen = np.full(moments, -1, dtype=np.int64)
    for row in range(queries.shape[0]):
        size = sizes[row]
        if size < 0:
            continue
        if size > wanted:
            size, _ = _compact(keys[row], shortlists[row], size, wanted, errors[row], rounding)
        total = 0
        for place in range(size):
            text = shortlists[row, place]
            total += offsets[text + 1] - offsets[text]
        order_keys = np.empty(total, dtype=np.int64)
        places = np.empty(total, dtype=np.int64)
        at = 0
        for place in range(size):
            text = shortlists[row, place]
            similarity = similarity_units(queries[row], texts[text])
            for entry in range(offsets[text], offsets[text + 1]):
                # Most similar first, equal ones by moment id, those by text (the sort is stable, texts ascend).
                order_keys[at] = ((1_000_000 - similarity) << 40) | members[entry]
                places[at] = entry
                at += 1
        count = 0
        for place in np.argsort(order_keys, kind="mergesort"):
            entry = places[place]
            if seen[members[entry]] == row:
                continue
            seen[members[entry]] = row
            entries[row, count] = entry
            units[row, count] = 1_000_000 - (order_keys[place] >> 40)
            count += 1
            if count == k:
                break
        filled[row] = count


@compiled
def merge(
    best_moments: np.ndarray,
    best_texts: np.ndarray,
    best_captions: np.ndarray,
    best_units: np.ndarray,
    moments: np.ndarray,
    texts: np.ndarray,
    captions: np.ndarray,
    units: np.ndarray,
) -> None:
    """Merge each query's two lists of moments into the first, best first: equal ones by moment id, then by text.

    All are (q, k) and (q, n), with -1 for the moments of unused places, which are the last. A moment that is in both
    counts once, with the better place.
    """
    k = best_moments.shape[1]
    merged = np.empty((4, k), dtype=np.int64)
    for row in range(best_moments.shape[0]):
        left = right = count = 0
        while count < k:
            more_left = left < k and best_moments[row, left] >= 0
            more_right = right < moments.shape[1] and moments[row, right] >= 0
            if not (more_left or more_right):
                break
            take_left = more_left
            if more_left and more_right:
                ours, theirs = best_units[row, left], units[row, right]
                if ours != theirs:
                    take_left = ours > theirs
                elif best_moments[row, left] != moments[row, right]:
                    take_left = best_moments[row, left] < moments[row, right]
                else:
                    take_left = best_texts[row, left] <= texts[row, right]
            if take_left:
                moment, text = best_moments[row, left], best_texts[row, left]
                caption, unit = best_captions[row, left], best_units[row, left]
                left += 1
            else:
                moment, text = moments[row, right], texts[row, right]
                caption, unit = captions[row, right], units[row, right]
                right += 1
            known = False
            for place in range(count):
                if merged[0, place] == moment:
                    known = True
                    break
            if known:
                continue
            merged[0, count], merged[1, count], merged[2, count], merged[3, count] = moment, text, caption, unit
            count += 1
        best_moments[row, :count] = merged[0, :count]
        best_texts[row, :count] = merged[1, :count]
        best_captions[row, :count] = merged[2, :count]
        best_units[row, :count] = merged[3, :count]
