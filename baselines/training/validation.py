"""A model's figures on the validation split, computed by `evaluation`."""

from __future__ import annotations

from baselines.collation.collator import Collator
from baselines.models.interface import RetrievalModel, retriever_config
from baselines.reading.release import Release
from baselines.retrieval.candidates import Candidates
from baselines.retrieval.search import SearchSettings, search
from evaluation.reading import read_ground_truth
from evaluation.scores.scoring import evaluate

MEASURE = "NDCG@20,IoU>=0.5"
"""What decides which model is kept, and when the training ends (the paper's choice)."""
MEASURES = ("NDCG@20,IoU>=0.3", MEASURE, "NDCG@20,IoU>=0.7")


class Validation:
    """The validation split's queries, and what is relevant to them in the whole corpus."""

    def __init__(
        self, release: Release, collator: Collator, settings: SearchSettings, candidates: Candidates | None = None
    ) -> None:
        """Raises: BaselineError if the release has no validation split, or a video has no features.

        Args: candidates: the videos to look in, for a model that `needs_retriever`.
        """
        collator.require(list(release.durations), "of the release")
        self._truth = read_ground_truth(release.ground_truth_path("val"))
        self._queries = release.queries("val")
        self._durations = release.durations
        self._collator = collator
        self._settings = settings
        self._candidates = candidates

    def figures(self, model: RetrievalModel) -> dict[str, float]:
        """`MEASURES` -> value, from 0 to 1."""
        ranking = None
        if self._candidates is not None:
            ranking = self._candidates.ranking(self._queries, retriever_config(model.config).candidates)
        run = search(
            model,
            self._collator,
            self._durations,
            self._queries,
            name="val",
            settings=self._settings,
            ranking=ranking,
        )
        return {record.measure: record.value for record in evaluate(self._truth, [run], MEASURES)}
