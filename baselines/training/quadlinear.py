"""``--loss quadlinear``: videos ranked by QuadLinear-AP, a positive set for each threshold of relevance.

A model's own parts that rank videos give way to the mean of QuadLinear-AP over thresholds; its other parts stay. A
video's relevance to a query is the similarity of the most similar of its moments among the query's N. Where judged
pairs have grades, pseudo-training pairs have these similarities, so that four thresholds stand for the grades 1 to 4:
the least similarity of the training set and its quartiles (`similarity_thresholds`). With N = 1, where all similarities
are about 1, that is one threshold or few. A pair whose similarity isn't above 0 is neither positive nor negative.
"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from baselines.errors import BaselineError
from baselines.losses import LossError, graded_quadlinear_ap, similarity_thresholds
from baselines.models.interface import Batch, Losses

DELTA, RHO, WEIGHT = 0.05, 0.10, 1.0
"""Margin and weight of positives are those of HAP-VR's videos (supplement, Table 2), where scores are similarities too.
The loss takes the place of the models' own, so it is weighed as theirs are."""
LEVELS = 4


def quadlinear(similarities: Tensor) -> Callable[[Losses, Batch], dict[str, Tensor]]:
    """The objective for training pairs of these similarities, (M,). Raises: BaselineError if none is above 0."""
    try:
        thresholds = similarity_thresholds(similarities.float(), levels=LEVELS)
    except LossError as error:
        raise BaselineError(f"the training file's similarities don't serve for --loss quadlinear: {error}") from error

    def parts(losses: Losses, batch: Batch) -> dict[str, Tensor]:
        counted = ~batch.related | (batch.relevance > 0)
        if losses.scored is not None:
            counted = counted & losses.scored
        kept = {name: part for name, part in losses.parts.items() if name not in losses.ranking}
        if not bool(((batch.relevance >= thresholds[0]) & counted).any()):
            return {**kept, "quadlinear": losses.video_scores.sum() * 0.0}
        value = graded_quadlinear_ap(
            losses.video_scores, batch.relevance, thresholds=thresholds, delta=DELTA, rho=RHO, counted=counted
        )
        return {**kept, "quadlinear": WEIGHT * value}

    return parts
