"""What Gaussian noise on the overlap does to R@1 and AxIoU@1, in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray


@dataclass(frozen=True, eq=False)
class NoiseEffect:
    """Attributes, each of the shape of the overlaps: bias: expected minus true value. variance: of
    the observed value. error: expected squared error, bias^2 + variance."""

    bias: FloatArray
    variance: FloatArray
    error: FloatArray

    @property
    def squared_bias(self) -> FloatArray:
        """The bias's share of the error."""
        squared: FloatArray = self.bias**2
        return squared


def effect_on_recall(iou: FloatArray, threshold: float, deviation: float) -> NoiseEffect:
    """R@1,IoU>threshold of one query whose observed IoU is its true IoU + N(0, deviation^2).

    The observed value is 1 with probability p = Phi((iou - threshold) / deviation), so its bias
    is p - [iou >= threshold] and its variance p (1 - p): large near the threshold, however good
    or bad the system. A true IoU exactly on the threshold counts as a hit, as the supplement has it
    here (elsewhere the paper's boundary is >): the bias there is -1/2.
    Source: AxIoU (CVPR 2022), supplement C.

    >>> effect = effect_on_recall(np.array([0.5]), 0.5, 0.1)
    >>> effect.bias.tolist(), effect.variance.tolist(), effect.error.tolist()
    ([-0.5], [0.25], [0.5])
    """
    from scipy.special import ndtr

    p = np.asarray(ndtr((iou - threshold) / deviation), dtype=np.float64)
    bias = p - (iou >= threshold)
    variance = p * (1 - p)
    return NoiseEffect(bias, variance, bias**2 + variance)


def effect_on_axiou(iou: FloatArray, deviation: float) -> NoiseEffect:
    """AxIoU@1 of one query under the same noise: no bias, and the noise's own variance everywhere.

    The observed IoU is not cut to [0, 1], as in the model.
    Source: AxIoU (CVPR 2022), supplement C.
    """
    variance = np.full(np.shape(iou), deviation**2)
    return NoiseEffect(np.zeros(np.shape(iou)), variance, variance)


def effect_on_scores(iou: FloatArray, threshold: float, deviation: float) -> dict[str, tuple[float, float]]:
    """What the noise does to the means over queries: measure -> (bias, standard deviation).

    Args: iou: each query's true IoU at rank 1, shape (Q,). Noise is independent between queries.
    """
    recall, axiou = effect_on_recall(iou, threshold, deviation), effect_on_axiou(iou, deviation)
    return {
        name: (float(effect.bias.mean()), float(np.sqrt(effect.variance.sum()) / len(iou)))
        for name, effect in ((f"R@1,IoU>{threshold:g}", recall), ("AxIoU@1", axiou))
    }
