"""The comparison of queries with training captions is exact, in whatever blocks they come."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.retrieval.nearest_captions import Comparison
from queries.retrieval.sentence_pooling import pooling_named


def unit(chance: np.random.Generator, count: int) -> np.ndarray:
    vectors = chance.normal(size=(count, 5)).astype(np.float32)
    vectors[: count // 4] = vectors[count // 2 : count // 2 + count // 4]  # some are equal
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 40), st.sampled_from([None, 0.5, 0.8]))
def test_it_is_what_all_products_say_whatever_the_blocks(
    seed: int, asked: int, captions: int, below: float | None
) -> None:
    chance = np.random.default_rng(seed)
    queries, vectors = unit(chance, asked), unit(chance, captions)
    products = np.round(queries.astype(np.float64) @ vectors.astype(np.float64).T, 6)
    ids = np.arange(10, 10 + captions)
    comparison = Comparison(queries, below=below)
    edges = sorted({0, captions, *chance.integers(0, captions + 1, 3).tolist()})
    near = np.concatenate([comparison.take(ids[first:last], vectors[first:last]) for first, last in pairwise(edges)])
    assert near == pytest.approx(products.max(axis=0), abs=2e-6)
    stay = near < (np.inf if below is None else below)
    if not stay.any():
        assert set(comparison.nearest) == {-1} and np.isnan(comparison.cosines).all()
        return
    left = np.where(stay, products, -2)
    assert comparison.cosines == pytest.approx(left.max(axis=1), abs=2e-6)
    for row, found in enumerate(comparison.nearest.tolist()):
        assert left[row, found - 10] == pytest.approx(left[row].max(), abs=2e-6)


def test_of_equally_near_captions_it_is_the_lowest_id_in_any_order_of_blocks() -> None:
    query = np.array([[1, 0]], dtype=np.float32)
    for order in ([3, 7, 9], [9, 7, 3]):
        comparison = Comparison(query)
        for each in order:
            comparison.take(np.array([each]), query)
        assert comparison.nearest.tolist() == [3] and comparison.cosines.tolist() == [1.0]


@pytest.mark.parametrize(
    ("identity", "pooling"),
    [("a@0f", "own"), ("a@0f+cls", "cls"), ("org/a+mean@0f+pooler+bfloat16", "pooler"), ("a@0f+bfloat16", "own")],
)
def test_an_identity_names_its_pooling(identity: str, pooling: str) -> None:
    assert pooling_named(identity) == pooling


def test_the_nearest_of_tvr_s_descriptions_says_nearly_the_same_in_other_words() -> None:
    """How many there are, over all of them and as captions, `benchmarks/leakage.py` measures."""
    from benchmarks.worlds.captions import tvr_rows
    from queries.retrieval.encoder import load_encoder

    rows = [row["desc"] for row in tvr_rows() if row["type"] == "v"]
    if not rows:
        pytest.skip("the development data are not here: ../shared/data or QREELS_DATA")
    texts = sorted(set(rows))
    drawn = random.Random(1).sample(range(len(texts)), 600)
    vectors = load_encoder().encode([texts[place] for place in drawn])
    comparison = Comparison(vectors[:150])
    near = comparison.take(np.array(drawn[150:]), vectors[150:])
    assert near.max() == comparison.cosines.max() > 0.8
    best = int(np.argmax(comparison.cosines))
    assert texts[comparison.nearest[best]] != texts[drawn[best]]
