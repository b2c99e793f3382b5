"""A table of numbers in a file of this machine, of which only the rows in hand are in memory."""

from pathlib import Path
from typing import Any

import numpy as np

AT_ONCE = 4096


class RowsOnDisk:
    """Rows of equal width in a file: read and written by their places or by slices, as those of an array.

    The file is mapped for as long as some rows are taken. A map that stays would keep in memory what was ever touched.
    """

    def __init__(self, path: Path, *, dtype: Any, shape: tuple[int, int]) -> None:
        self._path, self.shape, self.dtype = path, shape, np.dtype(dtype)
        np.lib.format.open_memmap(path, "w+", dtype=self.dtype, shape=shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | np.ndarray) -> np.ndarray:
        """Those rows. rows: a slice, or places as int64 (n,); returns (n, width)."""
        return np.array(self._mapped("r")[rows])

    def __setitem__(self, rows: slice | np.ndarray, values: np.ndarray) -> None:
        places = np.arange(len(self))[rows]
        for first in range(0, len(places), AT_ONCE):
            part = slice(first, first + AT_ONCE)
            self._mapped("r+")[places[part]] = values[part]

    def _mapped(self, mode: Any) -> np.ndarray:
        return np.lib.format.open_memmap(self._path, mode)
