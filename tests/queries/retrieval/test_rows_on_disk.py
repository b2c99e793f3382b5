"""Rows in a file: what is written is read, by slices and by places, and what was read doesn't stay in memory."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from queries.retrieval.rows_on_disk import AT_ONCE, RowsOnDisk

HELD = """
import re
import sys
from pathlib import Path

import numpy as np

from queries.retrieval.rows_on_disk import RowsOnDisk

ROWS, WIDTH = 65_536, 512
table = RowsOnDisk(Path(sys.argv[1]), dtype="<f4", shape=(ROWS, WIDTH))
places = np.random.default_rng(1).permutation(ROWS)
for part in np.split(places, 8):
    table[part] = np.repeat(part[:, None], WIDTH, axis=1).astype("<f4")
for part in np.split(places, 8):
    assert (table[part] == part[:, None]).all()
print(re.search(r"RssFile:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@given(st.lists(st.integers(0, 2 * AT_ONCE + 4), unique=True), st.integers(0, 2 * AT_ONCE + 4))
@pytest.mark.parametrize("kind", [np.int64, np.float32])
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, kind: type, places: list[int], at: int
) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.npy"
    expected = np.zeros((2 * AT_ONCE + 5, 3), dtype=kind)
    table = RowsOnDisk(path, dtype=kind, shape=(len(expected), 3))
    rows = np.arange(3 * len(expected), dtype=kind).reshape(-1, 3)
    for chosen in (np.array(places, dtype=np.int64), slice(at, None)):
        table[chosen] = rows[chosen]
        expected[chosen] = rows[chosen]
        assert np.array_equal(table[:], expected)
        assert np.array_equal(table[chosen], rows[chosen])
    assert np.array_equal(np.load(path), expected)


def test_what_was_read_does_not_stay_in_memory(tmp_path: Path) -> None:
    """128 MiB are written and read in an order by lot, by a process of its own; far less is mapped at its end."""
    done = subprocess.run(
        [sys.executable, "-c", HELD, tmp_path / "rows.npy"], capture_output=True, text=True, check=True
    )
    assert int(re.findall(r"\d+", done.stdout)[-1]) < 64 << 10, "KiB of files that are mapped"
