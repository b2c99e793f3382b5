"""Arrays worked on by all threads, a slice each. Pure."""

import itertools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def side_by_side(work: Callable[[slice], None], count: int) -> None:
    """Run `work` on slices of range(count), one per thread: the kernels release the GIL."""
    import torch

    threads = max(1, min(torch.get_num_threads(), count // 16))
    edges = [count * place // threads for place in range(threads + 1)]
    parts = [slice(first, last) for first, last in itertools.pairwise(edges)]
    if threads == 1:
        work(parts[0])
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, parts):
            pass


def take(values: np.ndarray, places: np.ndarray) -> np.ndarray:
    """values[places], rows where there are, by all threads. Places below 0 count from the end."""
    taken = np.empty((*places.shape, *values.shape[1:]), dtype=values.dtype)

    def work(part: slice) -> None:
        np.take(values, places[part], axis=0, out=taken[part], mode="wrap")

    side_by_side(work, len(places))
    return taken
