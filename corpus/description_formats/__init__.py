"""Readers of description files, by the name of their format."""

from corpus.description_formats.charsets import CHARSETS
from corpus.description_formats.csv_dialects import SEPARATORS
from corpus.description_formats.formats import FORMATS, DescriptionFormat
from corpus.description_formats.guessing import guess_format
from corpus.description_formats.rows import BadFile, BadRow, DescriptionRow, FilePiece, Problem, Unreadable
from corpus.description_formats.understanding import DETECTED, FileChoices, Understood, understand

__all__ = [
    "CHARSETS",
    "DETECTED",
    "FORMATS",
    "SEPARATORS",
    "BadFile",
    "BadRow",
    "DescriptionFormat",
    "DescriptionRow",
    "FileChoices",
    "FilePiece",
    "Problem",
    "Understood",
    "Unreadable",
    "guess_format",
    "understand",
]
