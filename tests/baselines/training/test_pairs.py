"""Pseudo pairs and their batches: labels, weights, the positive-pair mask, the schedule."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from baselines.collation.clips import padded, pooled, stretch_bounds, unit_rows
from baselines.collation.collator import Collator
from baselines.errors import BaselineError
from baselines.training.optimizer import BertAdam
from baselines.training.pairs import PseudoPairs
from baselines.training.schedule import Schedule, of_the_paper
from tests.baselines.scenes import Collection
from tests.baselines.tiny import tiny_config
from tests.baselines.worlds import CLIP


def pairs_of(scenes: Collection, top: int, **config: int) -> PseudoPairs:
    training = scenes.release().training_of(top)
    collator = Collator(scenes.feature_file(), replace(tiny_config("xml"), **config), with_subtitles=True)
    return PseudoPairs(training, collator)


def test_a_pair_has_the_clips_of_its_moment_and_its_similarity_as_weight(scenes: Collection) -> None:
    pairs = pairs_of(scenes, 4)
    training = scenes.release().training_of(4)
    every = np.arange(len(pairs))
    batch = pairs.batch(every)
    assert len(pairs) == len(training.start)
    for row in (0, 1, 5):
        start, end = training.start[row] / CLIP, training.end[row] / CLIP
        clips = int(batch.videos.mask[batch.video[row]].sum())
        assert batch.span[row].tolist() == [int(start), min(int(end), clips - 1)]
        assert float(batch.weight[row]) == pytest.approx(training.similarity[row])
    assert len(batch.queries) == 12
    assert len(batch.videos) < len(batch)


def test_the_mask_knows_every_video_that_training_pairs_with_the_query(scenes: Collection) -> None:
    training = scenes.release().training_of(4)
    related = {(int(query), int(video)) for query, video in zip(training.query, training.video, strict=True)}
    rows = np.array([0, 3, 4, 9, 17])
    batch = pairs_of(scenes, 4).batch(rows)
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert bool(batch.positive[i, j]) == ((training.query[one], training.video[other]) in related)
    assert batch.positive.diagonal().all()
    # The first of several moments of a video is the most similar.
    best: dict[tuple[int, int], float] = {}
    for query, video, similarity in zip(training.query, training.video, training.similarity, strict=True):
        best.setdefault((int(query), int(video)), float(similarity))
    queries, videos = np.unique(training.query[rows]), np.unique(training.video[rows])
    expected = [[best.get((int(query), int(video)), 0.0) for video in videos] for query in queries]
    torch.testing.assert_close(batch.relevance, torch.tensor(expected))


def test_a_negative_similarity_weighs_nothing_and_is_related_all_the_same(own_scenes: Collection) -> None:
    path = own_scenes.folder / "train_top01.json"
    records = json.loads(path.read_text())
    records[0]["relevant_moment"][0]["similarity"] = -0.4
    path.write_text(json.dumps(records))
    batch = pairs_of(own_scenes, 1).batch(np.arange(3))
    assert float(batch.weight[0]) == 0.0
    assert bool(batch.positive[0, 0])


def test_an_epochs_order_is_the_seeds_and_another_in_each_epoch(scenes: Collection) -> None:
    pairs = pairs_of(scenes, 4)
    assert pairs.order(3, 0).tolist() == pairs.order(3, 0).tolist()
    assert sorted(pairs.order(3, 1).tolist()) == list(range(len(pairs)))
    assert len({tuple(pairs.order(seed, epoch)) for seed in (3, 4) for epoch in (0, 1)}) == 4


def test_features_of_a_training_video_are_missed_before_training(own_scenes: Collection) -> None:
    for name in ("train_top01.json", "video_corpus.json"):
        path = own_scenes.folder / name
        path.write_text(path.read_text().replace('"v0"', '"elsewhere"'))
    with pytest.raises(
        BaselineError, match=r"no features of 1 of . videos of the training file, 'elsewhere' the first"
    ):
        pairs_of(own_scenes, 1)


def test_a_long_video_is_pooled_and_its_moments_stay_where_they_are(scenes: Collection) -> None:
    whole, short = pairs_of(scenes, 4), pairs_of(scenes, 4, max_clips=4)
    rows = np.arange(len(whole))
    long_spans, short_spans = whole.batch(rows).span, short.batch(rows).span
    assert short_spans.max() == 3
    clips = whole.batch(rows).videos.mask.sum(1)[whole.batch(rows).video]
    for (start, _), (pooled_start, _), count in zip(long_spans, short_spans, clips, strict=True):
        assert int(pooled_start) == int(start * 4 / count)


def test_pooling_takes_means_of_stretches_of_equal_length() -> None:
    rows = np.arange(10, dtype=np.float32)[:, None]
    assert pooled(rows, 12) is rows
    assert pooled(rows, 5)[:, 0].tolist() == [0.5, 2.5, 4.5, 6.5, 8.5]
    for count in (7, 11, 200):
        bounds = stretch_bounds(count, 6)
        assert bounds[0] == 0
        assert bounds[-1] == count
        assert (np.diff(bounds) > 0).all()


def test_rows_get_length_one_and_zeros_stay() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    assert rows[0].tolist() == pytest.approx([0.6, 0.8], abs=1e-5)
    assert rows[1].tolist() == [0.0, 0.0]
    values, mask = padded([rows, rows[:1]], least=3)
    assert values.shape == (2, 3, 2)
    assert mask.tolist() == [[1, 1, 0], [1, 0, 0]]


def test_the_schedule_is_the_papers_by_n() -> None:
    assert [of_the_paper(top) for top in (1, 20, 40)] == [(4000, 20.0), (200, 1.0), (100, 0.5)]
    schedule = Schedule(epochs=200, evaluate_every=0.5, batch_size=10)
    assert schedule.steps_of_epoch(101) == 11
    assert schedule.steps_between(101) == 6
    assert Schedule(epochs=9, evaluate_every=0.001).steps_between(101) == 1


def test_the_rate_rises_for_a_hundredth_of_the_steps_and_falls_to_nothing() -> None:
    schedule = Schedule(epochs=10, evaluate_every=1, batch_size=1, learning_rate=1.0)
    rates = [schedule.rate(step, 100) for step in range(1001)]
    assert rates[0] == 0.0
    assert rates[5] == pytest.approx(0.5)
    assert max(rates) == rates[10] == pytest.approx(1.0)
    assert rates[505] == pytest.approx(0.5)
    assert rates[1000] == 0.0


@pytest.mark.parametrize("field", ["epochs", "evaluate_every", "batch_size", "learning_rate", "patience"])
def test_a_schedule_of_nothing_is_refused(field: str) -> None:
    values = {"epochs": 1, "evaluate_every": 1.0, "batch_size": 1, "learning_rate": 1.0, "patience": 1}
    with pytest.raises(BaselineError, match=f"{field.replace('_', ' ')}: found 0, expected a number above 0"):
        Schedule(**values | {field: 0})  # type: ignore[arg-type]


def test_the_optimizer_is_berts_adam() -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.LayerNorm(1))
    optimizer = BertAdam(layer)
    before = [one.detach().clone() for one in layer.parameters()]
    gradients = [torch.tensor([[0.3, -0.4]]), torch.tensor([30.0]), torch.tensor([0.5]), torch.tensor([-0.5])]
    for one, gradient in zip(layer.parameters(), gradients, strict=True):
        one.grad = gradient.clone()
    optimizer.step(0.1)
    for place, (one, old, gradient) in enumerate(zip(layer.parameters(), before, gradients, strict=True)):
        clipped = gradient / max(1.0, float(gradient.norm()))
        step = 0.1 * clipped / ((0.001 * clipped**2).sqrt() + 1e-6) + (0.01 * old if place == 0 else 0)
        torch.testing.assert_close(one.detach(), old - 0.1 * step, rtol=1e-4, atol=1e-6)
