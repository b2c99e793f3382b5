"""Measures of moments for pipelines of ir_measures: importing this module registers them there.

>>> import ir_measures
>>> qrels = [ir_measures.Qrel("q1", "castle_s01@9.0-12.25", 3), ir_measures.Qrel("q1", "ship_s01@0.0-4.0", 1)]
>>> run = [ir_measures.ScoredDoc("q1", "castle_s01@9.0-12.0", 0.9), ir_measures.ScoredDoc("q1", "ship_s01@9-12", 0.4)]
>>> measure = moments("NDCG@20,IoU>=0.5")
>>> {str(each): round(value, 4) for each, value in ir_measures.calc_aggregate([measure], qrels, run).items()}
{'NDCG@20,IoU>=0.5': 0.8262}

Where a pipeline reads measures from text, ``Moments(measure="NDCG@20,IoU>=0.5")`` is the same measure.
"""

# mypy: allow-untyped-calls
# ir_measures says of itself that it has types, and most of its functions have none.
from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import ir_measures
import numpy as np
from ir_measures import Measure as TheirMeasure
from ir_measures import providers
from ir_measures.measures import register as register_measure
from ir_measures.measures import registry as known_measures
from ir_measures.util import QrelsConverter, RunConverter

from .errors import EvaluationError, InputError, shown
from .formats.trec_ids import read_ids, split_moment_id
from .measures import Measure, parse_measure
from .measures.measure import RunMeasure
from .moments.ground_truth import GroundTruth, JudgedMoment, PooledMoment
from .moments.run import RunBuilder
from .scores.scoring import mean_of_defined, score_alignments


class Mean(ir_measures.measures.MeanAgg):
    """The mean over the queries that have a value, as `evaluate` takes it."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[float] = []

    def add(self, value: float) -> None:
        """Take a query's value; NaN where it has none."""
        self.values.append(value)

    def result(self) -> float:
        """NaN if no query has a value."""
        return mean_of_defined(np.array(self.values, dtype=np.float64))


class Moments(ir_measures.measures.Measure):
    """A measure of this library as one of ir_measures', by its written name; `moments` makes one.

    Documents are moments, ``video@start-end`` as releases' qrels and runs have them.
    """

    __name__ = NAME = "Moments"
    PRETTY_NAME = "Measures of video moments"
    SHORT_DESC = "A measure of qreels-eval by its written name, such as NDCG@20,IoU>=0.5."
    SUPPORTED_PARAMS = {
        "measure": ir_measures.measures.ParamInfo(dtype=str, required=True, desc="the measure as qreels-eval writes it")
    }

    def __str__(self) -> str:
        return str(self.params.get("measure", self.NAME))

    def aggregator(self) -> Mean:
        """How its values become one."""
        return Mean()


class MomentsProvider(providers.Provider):
    """Calculates `Moments`."""

    NAME = "qreels_eval"
    SUPPORTED_MEASURES = [Moments(measure=providers.base.Any(required=True))]

    def _evaluator(self, measures: Iterable[TheirMeasure], qrels: ir_measures.util.TYPE_QREL) -> MomentsEvaluator:
        return MomentsEvaluator(list(measures), QrelsConverter(qrels).as_dict_of_dict())


class MomentsEvaluator(providers.Evaluator):
    """Scores runs against one set of qrels, all measures in one alignment."""

    def __init__(self, measures: list[TheirMeasure], qrels: Mapping[str, Mapping[str, float]]) -> None:
        super().__init__(measures, set(qrels))
        self._ours: list[Measure] = [parse_measure(str(measure)) for measure in measures]
        for measure in self._ours:
            if isinstance(measure, RunMeasure):
                raise EvaluationError(f"{measure} has no value per query, which ir_measures asks for")
        self._query_ids = list(qrels)
        moments = _moments("qrels", (each for documents in qrels.values() for each in documents), ())
        self._truth = GroundTruth.of(
            [
                (
                    query_id,
                    [
                        PooledMoment(*moments[each]) if grade == -1 else JudgedMoment(*moments[each], float(grade))
                        for each, grade in documents.items()
                    ],
                )
                for query_id, documents in qrels.items()
            ],
            name="qrels",
        )

    def _iter_calc(self, run: ir_measures.util.TYPE_RUN) -> Iterator[ir_measures.Metric]:
        answers: Mapping[str, Mapping[str, float]] = RunConverter(run).as_dict_of_dict()
        builder = RunBuilder("run")
        videos = self._truth.video_index
        moments = _moments("run", (each for documents in answers.values() for each in documents), videos)
        for query_id, documents in answers.items():
            rows = [moments[each] for each in documents]
            times = np.array([row[1:] for row in rows], dtype=np.float64).reshape(-1, 2)
            builder.add(query_id, [row[0] for row in rows], times, [float(score) for score in documents.values()])
        values = score_alignments(self._truth, builder.finished(), self._ours, answered_only=False)
        for measure, (_, per_query) in zip(self.measures, values, strict=True):
            assert per_query is not None  # of a RunMeasure alone
            for query_id, value in zip(self._query_ids, per_query.tolist(), strict=True):
                yield ir_measures.Metric(query_id=query_id, measure=measure, value=value)


def moments(name: str) -> Moments:
    """The measure of a written name for ir_measures. Raises: EvaluationError, as `parse_measure`."""
    parse_measure(name)
    return Moments(measure=name)


def _moments(where: str, documents: Iterable[str], known: Collection[str]) -> dict[str, tuple[str, float, float]]:
    """The moments of documents' ids. Raises: InputError for one that is none."""
    parts = {}
    for document in documents:
        try:
            parts[document] = split_moment_id(document)
        except ValueError as error:
            expected = "a moment id like video@12.5-20"
            raise InputError(where, "", found=shown(document), expected=expected, field="doc_id") from error
    try:
        names = read_ids((video for video, _, _ in parts.values()), known)
    except ValueError as error:
        raise EvaluationError(f"{where}: found the video name {error}") from error
    return {document: (names[video], start, end) for document, (video, start, end) in parts.items()}


if Moments.NAME not in known_measures:
    register_measure(Moments())
    ir_measures.DefaultPipeline.providers.append(providers.register(MomentsProvider()))
