"""The pseudo-training queries' candidates whole, as tests read them."""

from dataclasses import dataclass

import numpy as np

from foundation.models import Collection
from queries.pooling.candidates import training_file
from queries.retrieval.search_plan import load_arrays


@dataclass(frozen=True, slots=True)
class TrainingCandidates:
    """The pseudo-training queries' top moments as arrays, all of n rows; unused places hold moment -1.

    What they are: `queries.pooling.candidates`.
    """

    descriptions: np.ndarray
    moments: np.ndarray
    captions: np.ndarray
    similarities: np.ndarray
    encoder: str = ""
    search: int = 0


def load_training(collection: Collection) -> TrainingCandidates:
    """The arrays that `fetch_candidates` left."""
    arrays = load_arrays(training_file(collection))
    return TrainingCandidates(
        arrays["descriptions"],
        arrays["moments"],
        arrays["captions"],
        arrays["similarities"],
        str(arrays.get("encoder", "")),
        int(arrays.get("search", 0)),
    )
