"""Runs of systems on a released split, scored and ranked."""
