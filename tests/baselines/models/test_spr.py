"""SPR: segments and their scores, windows, what the losses weigh, and that it learns."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from baselines.errors import BaselineError
from baselines.models.interface import Encoded, Videos
from baselines.models.spr.model import SPR, SPRConfig
from baselines.models.spr.segments import filled, segment_contrast
from baselines.training.optimizer import BertAdam
from tests.baselines.tiny import tiny_batch, tiny_model, tiny_queries, tiny_videos

STREAMS = pytest.mark.parametrize("subtitles", [True, False], ids=["with subtitles", "video alone"])


def spr(*, subtitles: bool = True, **settings: float) -> SPR:
    """A tiny one; `settings` in place of its own."""
    model = tiny_model("spr", subtitles=subtitles)
    assert isinstance(model, SPR)
    model.config = replace(model.config, **settings)  # type: ignore[arg-type]
    return model


def in_windows(model: SPR, videos: Encoded, *windows: tuple[int, int, int]) -> Encoded:
    """Windows of a video, from a clip to another."""
    return model.windows(videos, *torch.tensor(windows).T)


@STREAMS
def test_every_query_has_a_score_of_every_segment_and_of_none_that_is_not_there(subtitles: bool) -> None:
    model = spr(subtitles=subtitles)
    queries = model.encode_queries(tiny_queries([3, 5]))
    videos = model.encode_videos(tiny_videos([4, 7, 3], subtitles=subtitles))
    scores = model.segment_scores(queries, videos)
    assert scores.shape == (2, 3, 3)
    assert (scores > -torch.inf)[0].tolist() == [[True, True, False], [True] * 3, [True, False, False]]
    assert scores[scores > -torch.inf].abs().max() <= 1.0001
    assert torch.equal(model.video_scores(queries, videos), scores.amax(2))


@STREAMS
def test_padding_of_videos_and_queries_changes_nothing(subtitles: bool) -> None:
    model = spr(subtitles=subtitles)
    found = []
    for words, clips in ((0, 0), (9, 11)):
        queries = model.encode_queries(tiny_queries([3, 5], width=words))
        videos = model.encode_videos(tiny_videos([4, 6], subtitles=subtitles, width=clips))
        windows = in_windows(model, videos, (0, 0, 4), (1, 2, 6))
        spans = [logits.softmax(1) for logits in model.spans(queries, windows)]
        found.append((model.segment_scores(queries, videos)[..., :2], model.pair_scores(queries, windows), *spans))
    for narrow, wide in zip(*found, strict=True):
        torch.testing.assert_close(narrow, wide, rtol=1e-4, atol=1e-6)


@STREAMS
def test_a_window_is_a_video_of_its_own(subtitles: bool) -> None:
    model = spr(subtitles=subtitles)
    given = tiny_videos([9, 5], subtitles=subtitles)
    queries = model.encode_queries(tiny_queries([4]))
    window = in_windows(model, model.encode_videos(given), (0, 3, 8))
    alone = Videos(
        given.visual[:1, 3:8], None if given.subtitles is None else given.subtitles[:1, 3:8], torch.ones(1, 5)
    )
    torch.testing.assert_close(window.parts, model.refiner.encode_videos(alone).parts)
    own = Encoded(queries.parts[1:], queries.mask)
    torch.testing.assert_close(model.pair_scores(queries, window), model.refiner.video_scores(own, window)[0])


def test_windows_have_context_and_end_with_their_video_and_at_the_longest() -> None:
    model = spr(segment=3, context=2, window=10)
    first, last, clips = torch.tensor([[0, 0, 10], [2, 3, 30], [2, 9, 30]]).T
    begin, end = model.around(first, last, clips)
    assert list(zip(begin.tolist(), end.tolist(), strict=True)) == [(0, 5), (4, 14), (4, 14)]


def test_a_moment_fills_the_segments_that_it_covers_to_a_share_and_one_at_least() -> None:
    # From clip 2 to before 7; from 5 to before 6; a moment that begins in the last clip.
    spans = torch.tensor([[2, 7], [5, 6], [8, 8]])
    assert filled(spans, 3, 3, 0.3).tolist() == [[True] * 3, [False, True, False], [False, False, True]]
    assert filled(spans, 3, 3, 0.5).tolist() == [[False, True, False]] * 2 + [[False, False, True]]


def test_the_contrast_of_segments_counts_by_similarity_and_leaves_out_what_may_be_right() -> None:
    scores = torch.tensor([[0.9, 0.8, -0.2], [0.1, 0.3, 0.7]])
    grade, counted = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 0.5]]), torch.ones(2, 3, dtype=torch.bool)
    whole = segment_contrast(scores, grade, counted, 0.1)
    torch.testing.assert_close(segment_contrast(scores, grade / 2, counted, 0.1), whole / 2)
    counted[0, 1] = False
    assert segment_contrast(scores, grade, counted, 0.1) < whole
    assert segment_contrast(scores, torch.zeros(2, 3), counted, 0.1) == 0


def test_a_related_video_is_no_negative_but_where_the_batch_has_its_pair() -> None:
    model, batch = spr(), tiny_batch()
    before = model.losses(batch, hard_negatives=True).parts["segment"]
    other = replace(batch, related=torch.ones(4, 4, dtype=torch.bool))
    assert model.losses(other, hard_negatives=True).parts["segment"] < before
    half = model.losses(replace(batch, weight=batch.weight / 2), hard_negatives=True).parts
    torch.testing.assert_close(half["segment"], before / 2)


def test_a_videos_score_is_that_of_the_best_of_its_windows() -> None:
    model, batch = spr(), tiny_batch()
    two = replace(batch, video=torch.tensor([0, 1, 2, 2]), videos=tiny_videos([6, 7, 8]), related=batch.related[:, :3])
    two = replace(two, relevance=batch.relevance[:, :3])
    losses = model.losses(two, hard_negatives=True)
    assert losses.video_scores.shape == (4, 3)
    losses.video_scores[3, 2].backward()  # type: ignore[no-untyped-call]
    assert losses.ranking == {"video", "negative_video", "negative_query"}
    assert set(losses.parts) == {"segment", "span", "frame", *losses.ranking}


@STREAMS
def test_it_learns_ten_pairs_by_heart(subtitles: bool) -> None:
    model = spr(subtitles=subtitles)
    model.refiner.config = replace(model.refiner.config, weight_span=0.3)
    batch = tiny_batch(10, subtitles=subtitles)
    optimizer = BertAdam(model)
    for _ in range(80):
        optimizer.zero_grad()
        model.losses(batch, hard_negatives=True).total().backward()  # type: ignore[no-untyped-call]
        optimizer.step(0.003)
    queries, videos = model.encode_queries(batch.queries), model.encode_videos(batch.videos)
    own = torch.arange(10)
    assert model.video_scores(queries, videos).argmax(1).tolist() == own.tolist()
    windows = model.windows(videos, own, torch.zeros(10, dtype=torch.int64), batch.videos.mask.sum(1).long())
    found = torch.stack([logits.argmax(1) for logits in model.spans(queries, windows)], 1)
    assert (found == batch.span).float().mean() > 0.9


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"segment": 0}, "segment=0, expected 1 or more"),
        ({"segments": 0}, "segments=0, expected 1 or more"),
        ({"context": -1}, "context=-1, expected 0 or more"),
        ({"window": 14}, r"window=14 is shorter than a segment with its context, 3 \+ 2 \* 6"),
        ({"share": 1.5}, "share=1.5, expected a number above 0, at most 1"),
        ({"filled": 0.0}, "filled=0.0, expected a number above 0, at most 1"),
        ({"temperature": 0.0}, "temperature=0.0, expected a number above 0"),
        ({"heads": 5}, "hidden=384 is no multiple of heads=5"),
    ],
)
def test_settings_that_make_no_sense_are_named(settings: dict[str, int], said: str) -> None:
    with pytest.raises(BaselineError, match=said):
        replace(SPRConfig(), **settings)  # type: ignore[arg-type]
