"""Files of factors, read whole: CSV or JSON Lines of key, name, question, answers, language, may_skip."""

from typing import BinaryIO

from annotation.factors.texts import FACTORS, DeclaredFactor, conflicts, declared
from corpus.description_import.jobs import refuse_larger
from corpus.description_import.row_files import RowChoices, read_whole

LARGEST = 1 << 18
"""Bytes of a file: eight factors in every language are a few thousand."""


def read_factors(file: BinaryIO, name: str) -> list[DeclaredFactor]:
    """The factors of a file that is seekable, in its order.

    Args: name: the file's, for messages.
    Raises: Refused (BadFile) with every problem by line; FileRefused for one that is too large.
    """
    size = file.seek(0, 2)
    file.seek(0)
    refuse_larger(size, LARGEST)
    read = read_whole(file, name, RowChoices(), FACTORS, conflicts=conflicts)
    read.refuse()
    return declared(read.rows)
