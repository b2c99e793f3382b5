"""Readers of description files, by the name of their format."""

from collections.abc import Callable, Iterator

from corpus.importers.rows import BadFile, DescriptionRow, Problem
from corpus.importers.tvr import read_tvr

__all__ = ["FORMATS", "BadFile", "DescriptionRow", "Problem"]

FORMATS: dict[str, Callable[..., Iterator[DescriptionRow]]] = {"tvr": read_tvr}
