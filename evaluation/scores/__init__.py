"""Runs scored: records, conventions, means over seeds, the paper's tables."""
