"""XML and ReLoCLNet: shapes, padding, what their losses weigh, and that they learn."""

import math
from dataclasses import replace

import pytest
import torch

from baselines.models.hinge import hinge
from baselines.models.interface import Encoded, RetrievalModel
from baselines.models.layers import pair_products
from baselines.models.reloclnet.contrastive import frame_contrast, video_contrast
from baselines.training.optimizer import BertAdam
from tests.baselines.tiny import tiny_batch, tiny_model, tiny_queries, tiny_videos

BOTH = pytest.mark.parametrize("name", ["xml", "reloclnet"])
STREAMS = pytest.mark.parametrize("subtitles", [True, False], ids=["with subtitles", "video alone"])


def every_pair(model: RetrievalModel, queries: Encoded, videos: Encoded) -> tuple[torch.Tensor, torch.Tensor]:
    """Start and end of every query in every video: (Q, V, L)."""
    row, column = torch.meshgrid(torch.arange(len(queries)), torch.arange(len(videos)), indexing="ij")
    starts, ends = model.spans(queries.rows(row.flatten()), videos.rows(column.flatten()))
    return starts.view(len(queries), len(videos), -1), ends.view(len(queries), len(videos), -1)


@BOTH
@STREAMS
def test_scores_and_spans_have_a_row_a_query_and_a_column_a_video(name: str, subtitles: bool) -> None:
    model = tiny_model(name, subtitles=subtitles)
    queries = model.encode_queries(tiny_queries([3, 5]))
    videos = model.encode_videos(tiny_videos([4, 7, 6], subtitles=subtitles))
    scores = model.video_scores(queries, videos)
    starts, ends = every_pair(model, queries, videos)
    assert scores.shape == (2, 3)
    assert scores.abs().max() <= 1.0001
    assert starts.shape == ends.shape == (2, 3, 7)
    assert (starts.softmax(-1)[:, 0, 4:] == 0).all()
    assert (ends.softmax(-1)[:, 2, 6:] == 0).all()


@BOTH
@STREAMS
def test_padding_of_videos_and_queries_changes_nothing(name: str, subtitles: bool) -> None:
    model = tiny_model(name, subtitles=subtitles)
    exact, wide = (
        (
            model.encode_queries(tiny_queries([3, 5], width=words)),
            model.encode_videos(tiny_videos([4, 6], subtitles=subtitles, width=clips)),
        )
        for words, clips in ((0, 0), (9, 11))
    )
    torch.testing.assert_close(model.video_scores(*exact), model.video_scores(*wide), rtol=1e-5, atol=1e-6)
    for narrow, padded in zip(every_pair(model, *exact), every_pair(model, *wide), strict=True):
        torch.testing.assert_close(narrow.softmax(-1), padded.softmax(-1)[..., :6], rtol=1e-4, atol=1e-6)


@BOTH
def test_a_video_scores_the_same_alone_and_in_company(name: str) -> None:
    model = tiny_model(name)
    queries = model.encode_queries(tiny_queries([4]))
    videos = tiny_videos([5, 8])
    together = model.video_scores(queries, model.encode_videos(videos))
    alone = tiny_videos([5])
    assert torch.equal(alone.visual[0], videos.visual[0, :5])
    torch.testing.assert_close(model.video_scores(queries, model.encode_videos(alone))[:, 0], together[:, 0])


@pytest.mark.parametrize(("name", "subtitles"), [("xml", False), ("reloclnet", True)])
def test_a_model_learns_ten_pairs_by_heart(name: str, subtitles: bool) -> None:
    model = tiny_model(name, subtitles=subtitles)
    model.config = replace(model.config, weight_span=0.3)
    batch = tiny_batch(10, subtitles=subtitles)
    optimizer = BertAdam(model)
    for _ in range(80):
        optimizer.zero_grad()
        losses = model.losses(batch, hard_negatives=True)
        losses.total().backward()  # type: ignore[no-untyped-call]
        optimizer.step(0.003)
    queries, videos = model.encode_queries(batch.queries), model.encode_videos(batch.videos)
    assert model.video_scores(queries, videos).argmax(1).tolist() == list(range(10))
    starts, ends = model.spans(queries, videos)
    found = torch.stack([starts.argmax(1), ends.argmax(1)], 1)
    assert (found == batch.span).float().mean() > 0.9


@BOTH
def test_a_pair_counts_as_much_as_its_similarity(name: str) -> None:
    model = tiny_model(name)
    batch = tiny_batch()
    whole = model.losses(batch, hard_negatives=True).parts
    half = model.losses(replace(batch, weight=batch.weight / 2), hard_negatives=True).parts
    torch.testing.assert_close(half["span"], whole["span"] / 2)
    if name == "reloclnet":
        torch.testing.assert_close(half["frame"], whole["frame"] / 2)
        torch.testing.assert_close(half["video"], whole["video"] / 2)


def test_similarity_weighs_the_hinge_losses_of_xml_alone() -> None:
    for name, factor in (("xml", 0.0), ("reloclnet", 1.0)):
        model, batch = tiny_model(name), tiny_batch()
        model.config = replace(model.config, hard_pool=1)  # type: ignore[call-arg]  # leaves nothing to the draw
        whole = model.losses(batch, hard_negatives=True).parts
        nothing = model.losses(replace(batch, weight=torch.zeros(4)), hard_negatives=True).parts
        torch.testing.assert_close(nothing["negative_video"], factor * whole["negative_video"])


@pytest.mark.parametrize("pool", [None, 1, 20])
def test_the_hinge_never_takes_a_related_video_for_a_negative(pool: int | None) -> None:
    scores = torch.tensor([[0.5, 0.9, 0.1], [0.2, 0.6, 0.0], [0.3, 0.1, 0.7]])
    related = torch.eye(3, dtype=torch.bool)
    related[0, 1] = True
    by_video, _ = hinge(scores, related, margin=0.1, pool=pool)
    assert by_video[0] == 0.0  # 0.9 is no negative, 0.1 + 0.1 < 0.5
    unmasked, _ = hinge(scores, torch.eye(3, dtype=torch.bool), margin=0.1, pool=1)
    assert float(unmasked[0]) == pytest.approx(0.5)


def test_the_mask_is_the_papers_by_default_to_the_letter_or_not_applied_as_asked() -> None:
    scores = torch.tensor([[0.5, 0.9, 0.1], [0.2, 0.6, 0.0], [0.3, 0.1, 0.7]])
    related = torch.eye(3, dtype=torch.bool)
    related[0, 1] = True
    summed, by_query = hinge(scores, related, margin=2.0, pool=1, summed=True)
    assert float(summed[0]) == pytest.approx(2.0 + 0.1 - (0.5 + 0.9))
    assert float(by_query[1]) == pytest.approx(2.0 + 0.1 - (0.9 + 0.6))  # its column's
    assert float(hinge(scores, related, margin=2.0, pool=1)[0][0]) == pytest.approx(2.0 + 0.1 - 0.5)


@BOTH
def test_settings_say_which_videos_a_loss_takes_for_positive(name: str) -> None:
    batch = tiny_batch()
    batch = replace(batch, related=batch.related | (torch.arange(4) == 1))  # the second video fits every query
    model = tiny_model(name)
    model.config = replace(model.config, hard_pool=1, margin=3.0, weigh_hinge=False)  # type: ignore[call-arg]

    def parts(**settings: bool) -> dict[str, torch.Tensor]:
        before = model.config
        model.config = replace(before, **settings)
        try:
            return model.losses(batch, hard_negatives=True).parts
        finally:
            model.config = before

    usual, letter, published = parts(), parts(summed_positives=True), parts(positive_mask=False)
    unrelated = model.losses(replace(batch, related=torch.eye(4).bool()), hard_negatives=True).parts
    assert all(torch.equal(published[part], unrelated[part]) for part in published)
    assert usual["negative_video"] <= published["negative_video"]
    scores = model.video_scores(model.encode_queries(batch.queries), model.encode_videos(batch.videos))
    of_second = scores[[0, 2, 3], 1].sum().item() / 4  # what the sum adds to the positives of the three others
    assert float(usual["negative_video"] - letter["negative_video"]) == pytest.approx(of_second, abs=1e-5)
    if name == "reloclnet":
        assert usual["video"] < published["video"]
        assert usual["video"] == letter["video"]


def test_hard_negatives_come_from_the_hardest_and_soft_ones_from_all() -> None:
    torch.manual_seed(0)
    scores = torch.linspace(0, 0.9, 10).expand(10, 10)
    hard = torch.stack([hinge(scores, torch.eye(10).bool(), margin=5.0, pool=2)[0] for _ in range(30)])
    soft = torch.stack([hinge(scores, torch.eye(10).bool(), margin=5.0, pool=None)[0] for _ in range(30)])
    assert sorted({round(float(loss), 3) for loss in hard[:, 0]}) == [5.8, 5.9]
    assert len({round(float(loss), 3) for loss in soft[:, 0]}) > 4


def test_without_a_negative_there_is_no_hinge() -> None:
    by_video, by_query = hinge(torch.rand(2, 2), torch.ones(2, 2, dtype=torch.bool), margin=0.1, pool=20)
    assert by_video.tolist() == by_query.tolist() == [0.0, 0.0]
    one, _ = hinge(torch.rand(1, 1), torch.ones(1, 1, dtype=torch.bool), margin=0.1, pool=None)
    assert one.tolist() == [0.0]


def test_the_contrast_of_videos_sums_over_the_positives_of_the_mask() -> None:
    scores = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
    mask = torch.tensor([[True, True], [False, True]])
    loss = video_contrast(scores, mask)
    below = math.exp(2) + math.exp(1) + math.exp(2) + math.exp(0)
    assert float(loss[0]) == pytest.approx(-math.log((math.exp(2) + math.exp(1)) / below))
    assert float(video_contrast(scores, torch.eye(2).bool())[0]) == pytest.approx(-math.log(math.exp(2) / below))
    assert (video_contrast(100 * torch.randn(5, 5), torch.rand(5, 5) > 0.5 * (1 - torch.eye(5))) >= 0).all()


def test_the_contrast_of_frames_falls_as_the_moment_stands_out() -> None:
    foreground = torch.tensor([[False, True, True, False, False]])
    mask = torch.tensor([[1.0, 1.0, 1.0, 1.0, 0.0]])
    scores = torch.zeros(1, 5)
    flat = float(frame_contrast(scores, foreground, mask)[0])
    assert flat == pytest.approx(0.0, abs=1e-6)
    scores[0, 1:3] = 2.0
    assert float(frame_contrast(scores, foreground, mask)[0]) == pytest.approx(math.log1p(math.exp(-2)) - math.log(2))
    scores[0, 4] = 50.0  # padding
    assert float(frame_contrast(scores, foreground, mask)[0]) < flat


def test_products_of_pairs_are_the_same_however_many_pairs_share_a_video() -> None:
    torch.manual_seed(0)
    vectors, clips = torch.randn(7, 4), torch.randn(5, 3, 4)
    query, video = torch.randint(7, (40,)), torch.randint(5, (40,))
    by_hand = (clips[video] @ vectors[query].unsqueeze(-1)).squeeze(-1)
    torch.testing.assert_close(pair_products(vectors, clips, query, video), by_hand)
    torch.testing.assert_close(pair_products(vectors, clips, query[:2], video[:2]), by_hand[:2])
