"""Calibrate the checks on a collection's own captions: error rates by threshold, and thresholds to adopt."""
