"""The losses' names, known without torch."""

PAPER, QUADLINEAR = "paper", "quadlinear"
LOSSES = (PAPER, QUADLINEAR)
"""Those of `baselines.training.objectives`; the first is the default."""
