"""Pipelines of ir_measures that ask for measures of moments."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import pandas as pd
import pytest
from hypothesis import given, settings

from evaluation import EvaluationError, InputError, evaluate
from evaluation.formats.trec_ids import moment_id
from evaluation.ir_measures_provider import moments
from tests.evaluation.worlds import World, worlds

NAMES = ["NDCG@20,IoU>=0.5", "NDCG(gain=exp)@3,IoU>0.5", "AxIoU@5", "mAP,IoU>=0.5", "R@2,IoU>0.3", "infAP,IoU>=0.5"]


def tables(world: World) -> tuple[list[Any], list[Any]]:
    """The world in TREC's ids: qrels and run; of a moment that is there twice the first."""
    qrels = {
        (query_id, moment_id(*moment[:3])): ir_measures.Qrel(query_id, moment_id(*moment[:3]), int(moment[3]))
        for query_id, judged in world.judged.items()
        for moment in reversed(judged)
    }
    run = {
        (query_id, moment_id(*span)): ir_measures.ScoredDoc(query_id, moment_id(*span), score)
        for query_id, answers in world.answers.items()
        for span, score in reversed([*zip(answers, world.scores[query_id], strict=True)])
    }
    return list(reversed(qrels.values())), list(reversed(run.values()))


def without_repeats(world: World) -> World:
    """The same with each moment once, and without queries of which qrels can't say that nothing was judged."""
    judged = {
        query_id: [*{moment[:3]: moment for moment in reversed(moments)}.values()][::-1]
        for query_id, moments in world.judged.items()
        if moments
    }
    answers = {query_id: list(dict.fromkeys(spans)) for query_id, spans in world.answers.items()}
    scores = {
        query_id: [world.scores[query_id][world.answers[query_id].index(span)] for span in spans]
        for query_id, spans in answers.items()
    }
    return World(judged, answers, scores)


@settings(max_examples=60, deadline=None)
@given(world=worlds())
def test_a_pipeline_calculates_what_this_library_does(world: World) -> None:
    world = without_repeats(world)
    if not world.judged or not world.answers.keys() & world.judged.keys():
        return
    qrels, run = tables(world)
    ours = evaluate(world.ground_truth(), [world.run()], NAMES)
    asked = [moments(name) for name in NAMES]
    for given_qrels, given_run in (
        (qrels, run),
        (pd.DataFrame(qrels), pd.DataFrame(run, columns=run and run[0]._fields)),
    ):
        if not run:
            continue
        found, per_query = ir_measures.calc([*asked, ir_measures.P @ 5], given_qrels, given_run)
        assert isinstance(found, dict)
        values = {(str(one.measure), one.query_id): one.value for one in per_query}
        for record, measure in zip(ours, asked, strict=True):
            assert found[measure] == pytest.approx(record.value, nan_ok=True)
            assert record.per_query is not None
            own = [values[record.measure, query_id] for query_id in world.judged]
            assert own == pytest.approx(record.per_query.tolist(), nan_ok=True)


def test_its_name_in_text_is_the_same_measure_and_a_query_without_predictions_counts() -> None:
    (measure,) = {ir_measures.parse_measure('Moments(measure="R@1,IoU>=0.5")'), moments("R@1,IoU>=0.5")}
    assert ir_measures.parse_measure(repr(measure)) == measure
    qrels = {"q:1": {"castle%20s01@0.0-10.0": 2}, "2": {"b:0-10": 1}}
    assert ir_measures.calc_aggregate([measure], qrels, {"q:1": {"castle%20s01@0.0-9.0": 1.0}}) == {measure: 0.5}
    assert math.isnan(
        ir_measures.calc_aggregate([moments("mAP,IoU>=0.5")], {"1": {"a@0-1": 0}}, {})[moments("mAP,IoU>=0.5")]
    )


def test_what_it_cant_calculate_is_told() -> None:
    qrels, run = {"1": {"a@0-10": 2}}, {"1": {"a@0-10": 2.0}}
    with pytest.raises(EvaluationError, match="'NDGC@5' is not a known measure"):
        moments("NDGC@5")
    with pytest.raises(EvaluationError, match="no value per query"):
        ir_measures.calc_aggregate([moments("uAP,IoU>=0.5")], qrels, run)
    with pytest.raises(InputError, match=r"run: found 'D12', expected a moment id like video@12\.5-20"):
        ir_measures.calc_aggregate([moments("AxIoU@5")], qrels, {"1": {"D12": 2.0}})
    with pytest.raises(InputError, match=r"qrels: found 'D12', expected"):
        ir_measures.calc_aggregate([moments("AxIoU@5")], {"1": {"D12": 2}}, run)
