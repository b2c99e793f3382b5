"""HAP-VR's losses: QuadLinear-AP, which trains a ranker on average precision, and what it is added to.

Equations and readings stand in each module; docs/baselines.md says where they are used.
"""

from baselines.losses.ap_risk import (
    exact_ap_risk,
    heaviside,
    mean_quadlinear_ap,
    quadlinear_ap,
    quadlinear_ap_of_rows,
    r_minus,
    r_minus_derivative,
    smooth_ap,
)
from baselines.losses.base_loss import base_loss, info_nce, sshn
from baselines.losses.checks import LossError
from baselines.losses.graded import graded_quadlinear_ap, similarity_thresholds
from baselines.losses.hap import HAPLoss, HAPSettings, hap_loss
from baselines.losses.rivals import RIVALS

__all__ = [
    "RIVALS",
    "HAPLoss",
    "HAPSettings",
    "LossError",
    "base_loss",
    "exact_ap_risk",
    "graded_quadlinear_ap",
    "hap_loss",
    "heaviside",
    "info_nce",
    "mean_quadlinear_ap",
    "quadlinear_ap",
    "quadlinear_ap_of_rows",
    "r_minus",
    "r_minus_derivative",
    "similarity_thresholds",
    "smooth_ap",
    "sshn",
]
