"""Searched piece by piece in any order, on whatever device, the best moments are those of one search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from queries.retrieval.exact_search import Targets, search
from queries.retrieval.running_best import Best, TextPiece
from tests.queries.retrieval.test_exact_search import unit, worlds


def pieces_of(vectors: np.ndarray, moments: list[list[int]], edges: list[int]) -> list[TextPiece]:
    """The texts cut at these edges; a caption's id is 100 times its text's number, plus the moment."""
    pieces = []
    for first, last in zip([0, *edges], [*edges, len(vectors)], strict=True):
        if first < last:
            texts = np.arange(first, last)
            whole = Targets.of(vectors[first:last], moments[first:last])
            owners = np.repeat(texts, np.diff(whole.offsets))
            pieces.append(TextPiece(whole.vectors, texts, whole.offsets, whole.moments, 100 * owners + whole.moments))
    return pieces


@settings(max_examples=40, deadline=None)
@given(worlds(), st.data())
def test_pieces_in_any_order_are_one_search(
    world: tuple[np.ndarray, list[list[int]], int], data: st.DataObject
) -> None:
    vectors, moments, k = world
    edges = sorted(data.draw(st.lists(st.integers(0, len(vectors)), max_size=4)))
    pieces = data.draw(st.permutations(pieces_of(vectors, moments, edges)))
    device = data.draw(st.sampled_from(["cpu", "cpu:0"]), label="compiled, or by torch")
    # Some pieces are another worker's.
    ours, others = Best.none_yet(len(vectors), k), Best.none_yet(len(vectors), k)
    for piece in pieces:
        mine = data.draw(st.booleans())
        (ours if mine else others).search(vectors, piece, memory_mb=16, device=device)
    ours.merge(others)
    whole = search(vectors, Targets.of(vectors, moments), k=k)
    for name in ("moments", "texts"):
        assert np.array_equal(getattr(ours, name), getattr(whole, name)), name
    assert np.array_equal(ours.similarities(), whole.similarities)
    used = ours.moments >= 0
    assert np.array_equal(ours.captions[used], (100 * ours.texts + ours.moments)[used])


@pytest.mark.parametrize("spread", [3.0, 0.1, 1e-4], ids=["apart", "near", "nearer than float32 can tell"])
def test_torch_finds_what_the_compiled_kernels_find(spread: float) -> None:
    """On the processor: what an NVIDIA card would do, by the same calls."""
    rng = np.random.default_rng(4)
    middle = unit(rng.normal(size=(1, 48)))
    texts = unit(middle + spread * rng.normal(size=(6000, 48)) / 7)
    targets = Targets.of(texts, [[row % 4000] for row in range(6000)])
    compiled = search(texts[:40], targets, k=20, device="cpu")
    by_torch = search(texts[:40], targets, k=20, device="cpu:0", memory_mb=16)
    for name in ("moments", "entries", "texts", "similarities"):
        assert np.array_equal(getattr(compiled, name), getattr(by_torch, name)), name
