"""Tiny batches and models, drawn from a seed."""

from __future__ import annotations

from dataclasses import replace

import torch

from baselines.models.interface import Batch, Dimensions, ModelConfig, Queries, RetrievalModel, Videos
from baselines.models.registry import model_named

VISUAL, SUBTITLES, WORDS = 10, 8, 6


def tiny_config(model: str) -> ModelConfig:
    """A model's configuration with 16 numbers a vector; spans count a hundred times as much, to be learnt soon."""
    return replace(model_named(model).Config(), hidden=16, heads=2, max_clips=12, weight_span=1.0)


def tiny_model(model: str, *, subtitles: bool = True, seed: int = 0) -> RetrievalModel:
    """A model with weights of this seed, drawn wide enough to tell inputs apart, out of training."""
    torch.manual_seed(seed)
    config = replace(tiny_config(model), initial_deviation=0.3)
    return model_named(model)(config, Dimensions(VISUAL, SUBTITLES if subtitles else None, WORDS)).eval()


def tiny_videos(clips: list[int], *, subtitles: bool = True, seed: int = 1, width: int = 0) -> Videos:
    """Videos of so many clips, padded to ``width`` or the longest."""
    generator = torch.Generator().manual_seed(seed)
    rows = [torch.randn(count, VISUAL + SUBTITLES, generator=generator) for count in clips]
    both = torch.zeros(len(clips), max(width, *clips), VISUAL + SUBTITLES)
    for video, row in zip(both, rows, strict=True):
        video[: len(row)] = row
    mask = (torch.arange(both.shape[1]) < torch.tensor(clips)[:, None]).float()
    return Videos(both[..., :VISUAL], both[..., VISUAL:] if subtitles else None, mask)


def tiny_queries(words: list[int], *, seed: int = 2, width: int = 0) -> Queries:
    """Queries of so many words, padded to ``width`` or the longest."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.zeros(len(words), max(width, *words), WORDS)
    for row, count in zip(values, words, strict=True):
        row[:count] = torch.randn(count, WORDS, generator=generator)
    return Queries(values, (torch.arange(values.shape[1]) < torch.tensor(words)[:, None]).float())


def tiny_batch(pairs: int = 4, *, subtitles: bool = True) -> Batch:
    """As many queries and videos as pairs, each paired with its own alone, all of weight 1."""
    clips = [6 + i % 4 for i in range(pairs)]
    own = torch.arange(pairs)
    return Batch(
        queries=tiny_queries([3 + i % 3 for i in range(pairs)]),
        videos=tiny_videos(clips, subtitles=subtitles),
        query=own,
        video=own,
        span=torch.tensor([[i % 3, i % 3 + 2] for i in range(pairs)]),
        weight=torch.ones(pairs),
        relevance=torch.eye(pairs),
        related=torch.eye(pairs, dtype=torch.bool),
    )
