"""Boards whose scores are estimated with a machine judge's help: intervals, never ground truth."""
