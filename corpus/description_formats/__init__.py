"""Readers of description files, by the name of their format."""

from corpus.description_formats.charsets import CHARSETS
from corpus.description_formats.csv_dialects import SEPARATORS
from corpus.description_formats.formats import FORMATS, Format
from corpus.description_formats.guessing import guess_format
from corpus.description_formats.rows import BadFile, BadRow, DescriptionRow, Piece, Problem, Unreadable
from corpus.description_formats.understanding import Choices, Understood, understand

__all__ = [
    "CHARSETS",
    "FORMATS",
    "SEPARATORS",
    "BadFile",
    "BadRow",
    "Choices",
    "DescriptionRow",
    "Format",
    "Piece",
    "Problem",
    "Understood",
    "Unreadable",
    "guess_format",
    "understand",
]
