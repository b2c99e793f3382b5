from __future__ import annotations

import numpy as np
import pytest

from queries.retrieval.encoder import load_encoder

TEXTS = [
    "A woman opens a door.",
    "A man sits.",
    "A woman opens a door.",
    "",
    "A man with a very long coat sits down.",
]


@pytest.fixture(scope="module")
def encoder():
    return load_encoder({})


def test_vectors_are_float32_of_unit_length_in_the_order_of_the_texts(encoder):
    vectors = encoder.encode(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (5, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_equal_texts_have_equal_vectors_to_the_last_bit(encoder):
    vectors = encoder.encode(TEXTS)
    assert np.array_equal(vectors[0], vectors[2])


def test_a_vector_hardly_depends_on_its_company(encoder):
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_nothing_encodes_to_no_rows(encoder):
    assert encoder.encode([]).shape == (0, 384)


def test_likeness_is_told(encoder):
    one, like, other = encoder.encode(["A woman is running.", "A woman runs.", "The soup is cold."])
    assert one @ like > 0.8 > one @ other


def test_the_encoder_is_made_once_a_process_and_by_name(encoder):
    assert load_encoder({}) is encoder
    assert encoder.model_name == "all-MiniLM-L6-v2"
    assert load_encoder({"ENCODER_MODEL": "some/model"}).model_name == "some/model"
