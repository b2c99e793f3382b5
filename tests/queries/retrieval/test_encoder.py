from __future__ import annotations

import numpy as np
import pytest

from foundation.infra.devices import device_of
from queries.retrieval.encoder import _batches, load_encoder

PEOPLE = ("woman", "tall man", "child", "waiter", "doctor in a white coat")
ACTIONS = ("opens", "looks at", "throws away", "hides", "asks for")
THINGS = ("door", "old letter", "kitchen knife", "coffee that somebody has left there", "car")

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


def test_bfloat16_is_a_precision_of_its_own_that_ranks_as_float32_does(encoder):
    halved = load_encoder({"ENCODER_PRECISION": "bfloat16"})
    texts = [f"A {who} {action} the {thing}." for who in PEOPLE for action in ACTIONS for thing in THINGS] + [""]
    exact, rough = encoder.encode(texts), halved.encode(texts)
    assert (rough.dtype, rough.shape) == (np.float32, exact.shape)
    np.testing.assert_allclose(np.linalg.norm(rough, axis=1), 1, atol=1e-6)
    assert np.array_equal(halved.encode([texts[3], texts[3]])[0], halved.encode([texts[3]])[0])
    best = [set(np.argsort(-row, kind="stable")[:40]) for row in exact @ exact.T]
    same = [
        len(set(np.argsort(-row, kind="stable")[:40]) & ours) for row, ours in zip(rough @ rough.T, best, strict=True)
    ]
    assert np.mean(same) / 40 > 0.97
    assert halved.identity.startswith("all-MiniLM-L6-v2@") and halved.identity.endswith("+bfloat16")
    assert load_encoder({"ENCODER_PRECISION": "float32", "ENCODER_DEVICE": "cpu"}).identity == encoder.identity


def test_batches_stay_within_their_tokens_and_lose_no_text():
    sizes = np.array([600, 3, 600, 5000, 600, 2, 4])
    batches = list(_batches(np.argsort(sizes, kind="stable").tolist(), sizes))
    assert batches == [[5, 1, 6, 0, 2, 4], [3]]
    assert sorted(row for batch in _batches(range(4000), np.full(4000, 7)) for row in batch) == list(range(4000))


def test_a_precision_or_card_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="ENCODER_PRECISION: found 'half', expected float32 or bfloat16 or auto"):
        load_encoder({"ENCODER_PRECISION": "half"})
    with pytest.raises(ValueError, match="NER_DEVICE: found 'gpu', expected auto or cpu or cuda or mps"):
        device_of("gpu", variable="NER_DEVICE")
    assert device_of("", variable="NER_DEVICE") == "cpu"
    assert device_of("auto", variable="NER_DEVICE") in ("cuda", "mps", "cpu")
