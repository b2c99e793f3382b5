"""Accepted runs scored against a released split."""
