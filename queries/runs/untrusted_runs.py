"""A run's file measured before it is read: nobody knows what is in it."""

import gzip
import hashlib
import zlib
from typing import IO, Any

from django.utils.translation import gettext

from foundation.refused import FileRefused

MAX_BYTES = 1 << 29
"""The largest file: 512 MiB."""
MAX_UNPACKED = 1 << 29
"""The largest unpacked file: 512 MiB."""
LONGEST_LINE = 1 << 24
"""The longest line in formats with one query per line: 16 MiB, about 200,000 predictions."""
MOST_PREDICTIONS = 5_000_000
"""The most predictions of a run: 1,800 for each of the paper's 2,781 test queries."""
CHUNK = 1 << 20


def sha256_and_size(file: IO[bytes]) -> tuple[str, int]:
    """A file's SHA-256, hexadecimal, and its size in bytes. Raises: FileRefused if it is empty or too large."""
    digest, size = hashlib.sha256(), 0
    file.seek(0)
    while chunk := file.read(CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if size > MAX_BYTES:
            raise FileRefused(
                gettext("The file is larger than %(value)s MiB: compress it, or keep fewer predictions.")
                % {"value": MAX_BYTES >> 20}
            )
    if not size:
        raise FileRefused(gettext("The file is empty."))
    return digest.hexdigest(), size


def longest_line(file: IO[bytes], *, most_bytes: int = MAX_UNPACKED, most_predictions: int = MOST_PREDICTIONS) -> int:
    """Read through a file, gzipped or not, in bounded memory. Returns: the bytes of its longest line.

    Raises: FileRefused if what is in it is more than a worker may hold.
    """
    file.seek(0)
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    size = longest = line = predictions = 0
    source: Any = gzip.GzipFile(fileobj=file) if packed else file
    try:
        while chunk := source.read(CHUNK):
            size += len(chunk)
            if size > most_bytes:
                raise FileRefused(
                    gettext("The run is larger than %(value)s MiB unpacked: keep fewer predictions.")
                    % {"value": most_bytes >> 20}
                )
            predictions += chunk.count(b'"timestamp"')
            if predictions > most_predictions:
                raise FileRefused(
                    gettext("The run has more than %(value)s predictions: keep fewer.")
                    % {"value": f"{most_predictions:,}"}
                )
            for number, part in enumerate(chunk.split(b"\n")):
                line = len(part) + (line if number == 0 else 0)
                longest = max(longest, line)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileRefused(
            gettext("The file begins like gzip and can't be unpacked: %(error)s.") % {"error": error}
        ) from error
    file.seek(0)
    return longest
