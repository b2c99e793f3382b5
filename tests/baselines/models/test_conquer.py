"""CONQUER: shapes, padding, shared normalisation, what its losses weigh, and that it learns."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F

from baselines.errors import BaselineError
from baselines.models.conquer.fusion import BidirectionalAttention, QueryWeights
from baselines.models.conquer.model import CONQUER, ConquerConfig
from baselines.models.interface import Batch, Dimensions
from tests.baselines.tiny import SUBTITLES, VISUAL, WORDS, tiny_batch, tiny_queries, tiny_videos

STREAMS = pytest.mark.parametrize("subtitles", [True, False], ids=["with subtitles", "video alone"])
TINY = ConquerConfig(
    hidden=16, heads=2, intermediate=24, clusters=3, channels=8, max_clips=12, initial_deviation=0.3, dropout=0.0
)


def conquer(*, subtitles: bool = True, exclusive: bool = False) -> CONQUER:
    torch.manual_seed(0)
    config = replace(TINY, exclusive=exclusive)
    return CONQUER(config, Dimensions(VISUAL, SUBTITLES if subtitles else None, WORDS)).eval()


def batch_with_negatives(pairs: int = 4, *, subtitles: bool = True) -> Batch:
    """Each pair's negatives are the next two pairs' videos."""
    own = torch.arange(pairs)
    negatives = torch.stack([(own + 1) % pairs, (own + 2) % pairs], dim=1)
    return replace(tiny_batch(pairs, subtitles=subtitles), negatives=negatives)


@STREAMS
def test_each_pair_of_query_and_video_has_a_row(subtitles: bool) -> None:
    model = conquer(subtitles=subtitles, exclusive=True)
    queries = model.encode_queries(tiny_queries([3, 5]))
    videos = model.encode_videos(tiny_videos([4, 7], subtitles=subtitles))
    begin, end = model.spans(queries, videos)
    assert begin.shape == end.shape == (2, 7)
    assert (begin.softmax(-1)[0, 4:] == 0).all()
    assert (end.softmax(-1)[0, 4:] == 0).all()
    scores = model.pair_scores(queries, videos)
    assert scores is not None
    assert scores.shape == (2,)


@STREAMS
def test_padding_of_videos_and_queries_changes_nothing(subtitles: bool) -> None:
    model = conquer(subtitles=subtitles, exclusive=True)
    narrow, wide = (
        (
            model.encode_queries(tiny_queries([3, 5], width=words)),
            model.encode_videos(tiny_videos([4, 6], subtitles=subtitles, width=clips)),
        )
        for words, clips in ((0, 0), (9, 11))
    )
    for exact, padded in zip(model.spans(*narrow), model.spans(*wide), strict=True):
        torch.testing.assert_close(exact.softmax(-1), padded.softmax(-1)[:, :6], rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(model.pair_scores(*narrow), model.pair_scores(*wide), rtol=1e-4, atol=1e-6)


def test_the_weights_of_modalities_follow_the_query_and_sum_to_1() -> None:
    torch.manual_seed(0)
    weights = QueryWeights(6, 3, 2, 0.0)
    torch.nn.init.normal_(weights.weigh.weight)
    found = weights(torch.randn(4, 5, 6), torch.ones(4, 5))
    torch.testing.assert_close(found.sum(1), torch.ones(4))
    assert found[:, 0].std() > 0


def test_attention_both_ways_is_the_formula_over_every_clip_and_word() -> None:
    torch.manual_seed(0)
    attention = BidirectionalAttention(4)
    clips, words = torch.randn(1, 3, 4), torch.randn(1, 2, 4)
    found = attention(clips, words, torch.ones(1, 3), torch.ones(1, 2))
    v, q = clips[0], words[0]
    similarity = torch.stack([torch.stack([attention.similarity(torch.cat([c, w, c * w]))[0] for w in q]) for c in v])
    from_words = similarity.softmax(1) @ q
    from_clips = similarity.amax(1).softmax(0) @ v
    torch.testing.assert_close(found[0], torch.cat([v, from_words, v * from_words, v * from_clips], dim=1))


def test_begin_and_end_are_normalised_over_a_pairs_video_and_its_negatives() -> None:
    model = conquer()
    batch = batch_with_negatives()
    assert batch.negatives is not None
    queries, videos = model.encode_queries(batch.queries), model.encode_videos(batch.videos)
    by_hand = []
    for pair in range(len(batch)):
        given = torch.tensor([pair, *batch.negatives[pair].tolist()])
        begin, end = model.spans(queries.rows(torch.full((3,), pair)), videos.rows(given))
        span = batch.span[pair]
        by_hand.append(F.cross_entropy(begin.flatten(), span[0]) + F.cross_entropy(end.flatten(), span[1]))
    losses = model.losses(batch, hard_negatives=False)
    torch.testing.assert_close(losses.total(), 0.01 * torch.stack(by_hand).mean())
    alone = model.losses(replace(batch, negatives=None), hard_negatives=False)
    assert alone.total() < losses.total()


def test_the_similarity_of_a_pair_weighs_its_whole_loss() -> None:
    model = conquer(exclusive=True)
    batch = batch_with_negatives()
    each = [
        model.losses(replace(batch, weight=F.one_hot(torch.tensor(pair), 4).float()), hard_negatives=False).total()
        for pair in range(4)
    ]
    weight = torch.tensor([1.0, 0.5, 0.25, 0.0])
    weighed = model.losses(replace(batch, weight=weight), hard_negatives=False)
    torch.testing.assert_close(weighed.total(), (torch.stack(each) * weight).sum())
    assert set(weighed.parts) == {"span", "video"}
    assert weighed.ranking == {"video"}


def test_videos_are_scored_where_a_pair_was_given_them() -> None:
    losses = conquer().losses(batch_with_negatives(), hard_negatives=False)
    assert losses.scored is not None
    assert losses.scored.sum(1).tolist() == [3, 3, 3, 3]
    assert losses.scored.diagonal().all()
    given = losses.video_scores[losses.scored]
    assert ((given > 0) & (given < 1)).all()
    assert given.requires_grad


@pytest.mark.parametrize(("subtitles", "exclusive"), [(True, True), (False, False)])
def test_it_learns_eight_pairs_by_heart(subtitles: bool, exclusive: bool) -> None:
    model = conquer(subtitles=subtitles, exclusive=exclusive)
    batch = batch_with_negatives(8, subtitles=subtitles)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    first = 0.0
    for step in range(30):
        optimizer.zero_grad()
        loss = model.losses(batch, hard_negatives=False).total()
        (100 * loss).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        first = first or loss.item()
        assert math.isfinite(loss.item()), step
    queries, videos = model.encode_queries(batch.queries), model.encode_videos(batch.videos)
    begin, end = model.spans(queries, videos)
    assert loss.item() < first / 3
    assert begin.argmax(1).tolist() == batch.span[:, 0].tolist()
    assert end.argmax(1).tolist() == batch.span[:, 1].tolist()


def test_a_hidden_size_that_heads_cannot_share_is_refused() -> None:
    with pytest.raises(BaselineError, match="hidden=16 is no multiple of heads=3"):
        CONQUER(replace(TINY, heads=3), Dimensions(VISUAL, None, WORDS))
