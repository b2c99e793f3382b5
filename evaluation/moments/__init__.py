"""Judged moments and ranked ones, and which of them overlap."""
