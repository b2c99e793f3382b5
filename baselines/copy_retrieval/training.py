"""One training of a network with one setting of losses, and its scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from baselines.copy_retrieval.pseudo_labels import frame_labels
from baselines.copy_retrieval.settings import TrainingSettings
from baselines.copy_retrieval.similarity import CopyNetwork, Similarities, frame_similarities, topk_chamfer
from baselines.copy_retrieval.whitening import ClipFeatures
from baselines.errors import BaselineError
from baselines.losses import HAPLoss, HAPSettings, hap_loss
from evaluation import GroundTruth, JudgedMoment, Prediction, Run, evaluate

MEASURES = {"mAP": "mAP(video)", "uAP": "uAP(video)"}
OUTSIDE = 1.0
"""The weight of what psi gives outside [-1, 1]; the published code has the term, as a sum, the supplement doesn't."""


@dataclass(frozen=True)
class Scores:
    """mAP and uAP in [0, 1], as `evaluation` computes them over videos."""

    mAP: float
    uAP: float


def train(
    features: ClipFeatures,
    losses: HAPSettings,
    training: TrainingSettings,
    *,
    seed: int,
    progress: Callable[[int, dict[str, float]], None] | None = None,
) -> CopyNetwork:
    """A network trained on the training clips. The same seed gives the same network on the same machine.

    Args: progress: called after each step with its number and the parts of its loss.
    Raises: BaselineError if there are fewer training clips than a batch has, or the loss is not finite.
    """
    if training.learning_rate is None:
        raise BaselineError("found no learning rate, expected one (`compare_learning_rates` finds it)")
    if len(features.train) < training.batch:
        raise BaselineError(
            f"found {len(features.train)} clips to train on, expected at least a batch of {training.batch}: "
            "add videos, or set --batch lower"
        )
    torch.manual_seed(seed)
    draws = torch.Generator().manual_seed(seed)
    network = new_network(features, training).to(features.regions.device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=training.learning_rate, weight_decay=training.weight_decay)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: learning_rate_factor(step, training))
    for step in range(training.steps):
        clip, copy = _batch(features, training.batch, draws)
        similarities = network(features.regions[clip, copy], features.regions[clip, copy])
        loss = _loss(similarities, features.frames[clip, copy], clip, losses)
        total = loss.total + OUTSIDE * similarities.outside
        if not bool(torch.isfinite(total)):
            raise BaselineError(f"the loss is {total.item()} at step {step}: set --learning-rate lower")
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        schedule.step()
        if progress:
            progress(step + 1, {name: getattr(loss, name).item() for name in ("total", "base", "video", "frame")})
    return network.eval()


def new_network(features: ClipFeatures, training: TrainingSettings) -> CopyNetwork:
    """A network for these features; its weights are drawn from torch's generator."""
    return CopyNetwork(
        features.regions.shape[-1],
        training.channels,
        spatial_rate=training.spatial_rate,
        temporal_rate=training.temporal_rate,
    )


def learning_rate_factor(step: int, training: TrainingSettings) -> float:
    """What the learning rate is multiplied by: a linear warm-up, then half a cosine down to a tenth."""
    if step < training.warm_up:
        return (step + 1) / training.warm_up
    part = (step - training.warm_up) / max(1, training.steps - training.warm_up)
    return 0.1 + 0.9 * (1 + math.cos(math.pi * part)) / 2


def score(features: ClipFeatures, network: CopyNetwork | None, training: TrainingSettings) -> Scores:
    """Every test clip searches the strong copies of all test clips; its own are relevant.

    Args: network: None scores the features alone, TopK-Chamfer over frames without a network.
    """
    regions = features.regions[features.test]
    stored = regions[:, 1:].flatten(0, 1)
    own = regions.shape[1] - 1
    names = [features.names[clip] for clip in features.test.tolist()]
    copies = [f"{name}/{copy}" for name in names for copy in range(1, own + 1)]
    truth = GroundTruth.of(
        [
            (name, [JudgedMoment(copy, 0, 1, 1) for copy in copies[place * own : (place + 1) * own]])
            for place, name in enumerate(names)
        ]
    )
    answers = []
    with torch.inference_mode():
        for place, name in enumerate(names):
            query = regions[place : place + 1, 0]
            if network is None:
                frames = frame_similarities(query, stored, training.spatial_rate)
                values = topk_chamfer(frames, training.temporal_rate)[0]
            else:
                values = network(query, stored).videos[0]
            answers.append((name, [Prediction(c, 0, 1, v) for c, v in zip(copies, values.tolist(), strict=True)]))
    records = evaluate(truth, [Run.of("copies", answers)], list(MEASURES.values()))
    return Scores(*(float(record.value) for record in records))


def _batch(features: ClipFeatures, size: int, draws: torch.Generator) -> tuple[Tensor, Tensor]:
    """Rows and copies of a batch, (2 * size,): each clip's weak copy, then a strong one of each."""
    chosen = features.train[torch.randperm(len(features.train), generator=draws)[:size]]
    strong = torch.randint(1, features.regions.shape[1], (size,), generator=draws)
    return torch.cat([chosen, chosen]), torch.cat([torch.zeros_like(strong), strong])


def _loss(similarities: Similarities, frames: Tensor, clip: Tensor, settings: HAPSettings) -> HAPLoss:
    """The whole loss of a batch; frames are ranked within each pair of copies of one clip, a copy with itself too."""
    positives = clip[:, None] == clip[None, :]
    pairs = positives if settings.own else positives & ~torch.eye(len(clip), dtype=torch.bool)
    query, other = pairs.nonzero(as_tuple=True)
    marks, counted = frame_labels(
        frames[query], frames[other], top_rate=settings.top_rate, bottom_rate=settings.bottom_rate
    )
    ranked = similarities.frames[query, other]
    return hap_loss(
        similarities.videos,
        positives.to(ranked.device),
        ranked.flatten(0, 1),
        marks.flatten(0, 1),
        counted.flatten(0, 1),
        settings,
    )
