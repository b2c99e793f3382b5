"""Readers of description files, by the name of their format."""

from corpus.importers.formats import FORMATS, Format
from corpus.importers.guessing import guess_format
from corpus.importers.rows import BadFile, BadRow, DescriptionRow, Piece, Problem, Unreadable

__all__ = [
    "FORMATS",
    "BadFile",
    "BadRow",
    "DescriptionRow",
    "Format",
    "Piece",
    "Problem",
    "Unreadable",
    "guess_format",
]
