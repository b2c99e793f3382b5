"""TopK-Chamfer, the network over frames, and the frames' pseudo labels."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from baselines.copy_retrieval.pseudo_labels import frame_labels
from baselines.copy_retrieval.similarity import CopyNetwork, frame_similarities, topk_chamfer


def unit(*shape: int, seed: int = 0) -> torch.Tensor:
    return F.normalize(torch.randn(*shape, generator=torch.Generator().manual_seed(seed)), dim=-1)


def test_topk_chamfer_averages_the_best_of_each_row_and_takes_at_least_one() -> None:
    matrix = torch.tensor([[0.9, 0.5, 0.1, 0.1], [0.2, 0.4, 0.6, 0.0]])
    assert topk_chamfer(matrix, 0.03).item() == torch.tensor([0.9, 0.6]).mean()
    assert topk_chamfer(matrix, 0.5).item() == torch.tensor([0.7, 0.5]).mean()
    assert topk_chamfer(matrix, 1.0).item() == matrix.mean()


def test_frames_are_compared_region_by_region_and_a_frame_is_like_itself() -> None:
    clips = unit(2, 4, 3, 5)
    found = frame_similarities(clips, clips[:1], 0.10)
    assert found.shape == (2, 1, 4, 4)
    by_hand = (clips[1, 2] @ clips[0, 3].T).amax(dim=1).mean()
    torch.testing.assert_close(found[1, 0, 2, 3], by_hand)
    torch.testing.assert_close(found[0, 0].diagonal(), torch.ones(4))


def test_the_network_gives_similarities_from_0_to_1_with_gradients_to_all_its_weights() -> None:
    torch.manual_seed(0)
    network = CopyNetwork(5, 2, spatial_rate=0.1, temporal_rate=0.03)
    found = network(unit(3, 8, 4, 5), unit(2, 8, 4, 5, seed=1))
    assert found.videos.shape == (3, 2)
    assert found.frames.shape == (3, 2, 8, 8)
    assert ((found.videos >= 0) & (found.videos <= 1)).all()
    found.videos.sum().backward()
    assert all(weight.grad is not None for weight in network.parameters())


def test_the_most_similar_frames_are_positive_the_least_negative_and_the_middle_does_not_count() -> None:
    queries, copies = unit(2, 10, 4), unit(2, 10, 4, seed=1)
    positives, counted = frame_labels(queries, copies, top_rate=0.35, bottom_rate=0.35)
    similarity = queries @ copies.transpose(1, 2)
    assert positives.sum(-1).eq(4).all()
    assert counted.sum(-1).eq(8).all()
    assert not (positives & ~counted).any()
    least_positive = similarity.masked_fill(~positives, 2).amin(-1)
    assert (least_positive >= similarity.masked_fill(positives, -2).amax(-1)).all()


def test_frames_that_all_look_alike_are_still_divided() -> None:
    same = torch.ones(1, 4, 1)
    positives, counted = frame_labels(same, same, top_rate=0.5, bottom_rate=0.5)
    assert positives.sum(-1).eq(2).all()
    assert counted.all()
