"""Consent texts that are confirmed before anything is stored, and the survey of annotators with its sums."""
