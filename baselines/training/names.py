"""The losses' names, known without torch."""

PAPER = "paper"
LOSSES = (PAPER,)
"""Those of `baselines.training.objectives`; the first is the default."""
