"""Readers of description files, by the name of their format."""

from corpus.description_formats.formats import FORMATS, Format
from corpus.description_formats.guessing import guess_format
from corpus.description_formats.rows import BadFile, BadRow, DescriptionRow, Piece, Problem, Unreadable

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
