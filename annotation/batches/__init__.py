"""Batches of candidates: opened for judging, and their states (states.md)."""
