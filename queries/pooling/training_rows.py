"""The pseudo-training queries' candidates, read a block at a time: beyond the paper's size they don't fit in memory.

`fetch_candidates` leaves them as arrays in a file; at ten times the paper's size these are 550 MB.
"""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
from django.core.files.storage import default_storage

from foundation.models import Collection
from foundation.refused import Refused
from queries.pooling.candidates import training_file

ROWS = 2000
"""Queries a block."""


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """What `candidates` stores, of which only the description ids are in memory.

    descriptions (n,): ids, in the order of the rows; depth: moments a query, unused places included; encoder and
    search: as there.
    """

    file: str
    descriptions: np.ndarray
    depth: int
    encoder: str
    search: int

    def blocks(self, *names: str) -> Iterator[tuple[np.ndarray, ...]]:
        """So many rows at a time of the descriptions and of these arrays: "moments", "captions", "similarities"."""
        if not len(self.descriptions):
            return
        with default_storage.open(self.file) as file, zipfile.ZipFile(file) as archive:
            readers = [_read(archive.open(f"{name}.npy")) for name in names]
            for first in range(0, len(self.descriptions), ROWS):
                yield self.descriptions[first : first + ROWS], *(next(reader) for reader in readers)


def open_training(collection: Collection) -> TrainingRows:
    """What `fetch_candidates` left. Raises: Refused if it hasn't run."""
    name = training_file(collection)
    try:
        file = default_storage.open(name)
    except FileNotFoundError as error:
        raise Refused("no candidates are fetched yet: fetch candidates first") from error
    with file, zipfile.ZipFile(file) as archive:
        return TrainingRows(
            file=name,
            descriptions=_whole(archive, "descriptions"),
            depth=_shape(archive.open("captions.npy"))[0][1],
            encoder=str(_whole(archive, "encoder")),
            search=int(_whole(archive, "search")),
        )


def no_training(collection: Collection) -> TrainingRows:
    """That of a collection without any pseudo-training query."""
    return TrainingRows("", np.empty(0, dtype=np.int64), collection.depth, "", 0)


def among(rising: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Which of the numbers asked for are in an ascending array."""
    if not len(rising):
        return np.zeros(asked.shape, dtype=bool)
    rows = np.searchsorted(rising, asked)
    rows[rows == len(rising)] = 0
    return np.asarray(rising[rows] == asked)


def _whole(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    return np.asarray(np.load(io.BytesIO(archive.read(f"{name}.npy"))))


def _shape(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    """The header of an array's file: shape, whether it lies by columns, type."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    header: tuple[tuple[int, ...], bool, np.dtype] = read(file)
    return header


def _read(file: IO[bytes]) -> Iterator[np.ndarray]:
    """The blocks of one array."""
    with file:
        (rows, width), by_columns, kind = _shape(file)
        if by_columns:
            whole = np.frombuffer(file.read(), kind).reshape(width, rows).T
            yield from (whole[first : first + ROWS] for first in range(0, rows, ROWS))
            return
        for first in range(0, rows, ROWS):
            size = min(ROWS, rows - first)
            yield np.frombuffer(file.read(size * width * kind.itemsize), kind).reshape(size, width)
