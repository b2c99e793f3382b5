"""Releases: made, archived, compared, shared."""
