"""Becoming an annotator: invitations, guideline, training, exam."""
