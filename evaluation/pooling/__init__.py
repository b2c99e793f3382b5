"""Pools: which of the moments that systems return are judged, in which order, and what other orders would find."""
