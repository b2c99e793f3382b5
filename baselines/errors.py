"""Errors for files and requests that a baseline cannot use."""

from __future__ import annotations


class BaselineError(ValueError):
    """A request cannot be fulfilled. The message names the file and the row or video, what was found and expected."""
