"""Options of commands that read a file of rows: the file, and what it is where that isn't detected."""

from argparse import ArgumentParser
from collections.abc import Iterable
from pathlib import Path

from corpus.description_formats.charsets import CHARSETS
from corpus.description_formats.csv_dialects import SEPARATORS


def add_file(parser: ArgumentParser, formats: Iterable[str]) -> None:
    """Add FILE, --format (one of these), --charset and --separator."""
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument(
        "--format", choices=sorted(formats), help="the file's format; by default detected from its beginning"
    )
    parser.add_argument(
        "--charset", choices=list(CHARSETS), help="the file's charset; by default detected from its bytes"
    )
    parser.add_argument(
        "--separator", choices=list(SEPARATORS), help="of CSV: what stands between cells; by default detected"
    )
