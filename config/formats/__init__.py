"""Dates and numbers by language, where Qreels doesn't do as Django (docs/translating.md)."""
