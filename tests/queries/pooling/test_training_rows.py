"""Stored training candidates, read in blocks."""

import io
import itertools

import numpy as np
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from foundation.models import Collection
from foundation.refused import Refused
from queries.pooling.candidates import training_file
from queries.pooling.training_rows import ROWS, open_training


@pytest.mark.parametrize("order", ["C", "F"])
def test_blocks_are_the_whole(order: str) -> None:
    collection = Collection(name=f"blocks-{order.lower()}")
    rows = 2 * ROWS + 3
    moments = np.arange(rows * 4).reshape(rows, 4)
    similarities = np.linspace(1, 0, rows * 4, dtype=np.float32).reshape(rows, 4)
    file = io.BytesIO()
    arrays = {"moments": moments, "captions": moments + 1, "similarities": similarities}
    np.savez(
        file,
        descriptions=np.arange(rows) * 7,
        encoder=np.array("model@1"),
        search=np.array(3),
        **{name: np.array(values, order=order) for name, values in arrays.items()},  # type: ignore[call-overload]
    )
    default_storage.save(training_file(collection), ContentFile(file.getvalue()))
    try:
        training = open_training(collection)
        assert (training.depth, training.encoder, training.search) == (4, "model@1", 3)
        ids, captions, read = map(list, zip(*training.blocks("captions", "similarities"), strict=True))
        assert list(itertools.chain(*ids)) == training.descriptions.tolist()
        assert (np.concatenate(captions) == moments + 1).all()
        assert (np.concatenate(read) == similarities).all()
    finally:
        default_storage.delete(training_file(collection))


def test_what_was_never_fetched_is_said() -> None:
    with pytest.raises(Refused, match="fetch candidates first"):
        open_training(Collection(name="never"))
