"""Vectors of moments and queries, made elsewhere by any model: NPZ, HDF5 or Parquet.

A file has rows, as columns of equal length: ``video_name``, ``start``, ``end`` (seconds) and ``vector`` (rows, size)
of moments, ``query_id`` and ``vector`` of queries; other columns are left alone. NPZ and HDF5 may instead have an array
for each video, named as it, shape (clips, size), and one for each query, named by its id, shape (size,).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np

from baselines.arrays import SingleArray
from baselines.errors import BaselineError
from evaluation.arrays import FloatArray, IntArray
from evaluation.errors import InputError, shown

OF_MOMENTS = ("video_name", "start", "end", "vector")
OF_QUERIES = ("query_id", "vector")
ENDINGS = {".npz": "NPZ", ".h5": "HDF5", ".hdf5": "HDF5", ".parquet": "Parquet"}


class MomentVectors(NamedTuple):
    """Moments with their vectors: the file that they are from; video, shape (M,), places in the list of videos; span,
    shape (M, 2), seconds; vector, shape (M, size)."""

    path: Path
    video: IntArray
    span: FloatArray
    vector: SingleArray


def read_moment_vectors(
    path: Path, durations: Mapping[str, float | None], *, clip_seconds: float | None = None
) -> MomentVectors:
    """The moments of a file. Videos of the release without any are let be.

    Args: durations: of the release's videos. clip_seconds: of the clips, for a file with an array for each video.
    Raises: BaselineError if the file is none of these; InputError naming the row and what is wrong with it.
    """
    with _opened(path) as arrays:
        if "vector" not in arrays:
            return _by_video(path, arrays, durations, clip_seconds)
        if clip_seconds is not None:
            raise BaselineError(f"{path}: found rows with times of their own, expected no --clip-seconds for these")
        names, starts, ends, vector = (_column(path, arrays, name) for name in OF_MOMENTS)
        _same_length(path, dict(zip(OF_MOMENTS, (names, starts, ends, vector), strict=True)))
        places = {normalize("NFC", name): place for place, name in enumerate(durations)}
        video = np.empty(len(names), dtype=np.int64)
        for row, name in enumerate(_texts(path, "video_name", names)):
            video[row] = places.get(name, -1)
            if video[row] < 0:
                raise InputError(
                    path, f"row {row + 1}", found=f"video_name {shown(name)}", expected="a video of the release"
                )
        span = np.stack([_numbers(path, "start", starts), _numbers(path, "end", ends)], axis=1)
        with np.errstate(invalid="ignore"):
            wrong = ~(np.isfinite(span).all(axis=1) & (span[:, 0] >= 0) & (span[:, 0] < span[:, 1]))
        for row in np.flatnonzero(wrong).tolist():
            expected = "0 <= start < end in seconds"
            raise InputError(path, f"row {row + 1}", found=shown(span[row].tolist()), expected=expected)
        return MomentVectors(path, video, span, _vectors(path, "row", vector))


def read_query_vectors(path: Path, query_ids: Sequence[str]) -> SingleArray:
    """The vectors of these queries, in their order, shape (Q, size). Further queries of the file are let be.

    Raises: as `read_moment_vectors`; BaselineError if one of these isn't there.
    """
    with _opened(path) as arrays:
        if "vector" in arrays:
            ids, vector = (_column(path, arrays, name) for name in OF_QUERIES)
            _same_length(path, {"query_id": ids, "vector": vector})
            rows: dict[str, int] = {}
            for row, query_id in enumerate(_texts(path, "query_id", ids)):
                if rows.setdefault(query_id, row) != row:
                    found, expected = f"query_id {shown(query_id)} a second time", "each query once"
                    raise InputError(path, f"row {row + 1}", found=found, expected=expected)
            _require(path, query_ids, rows)
            return _vectors(path, "row", vector)[[rows[normalize("NFC", query_id)] for query_id in query_ids]]
        keys = {normalize("NFC", key): key for key in arrays}
        _require(path, query_ids, keys)
        found_vectors = []
        for query_id in query_ids:
            values = arrays[keys[normalize("NFC", query_id)]]
            if values.ndim not in (1, 2) or values.size != values.shape[-1]:
                found = f"the shape {values.shape}"
                raise InputError(path, f"query_id {query_id}", found=found, expected="one vector, shape (size,)")
            found_vectors.append(_vectors(path, f"query_id {query_id}, row", values.reshape(1, -1)))
        _same_size(path, query_ids, found_vectors)
        return np.concatenate(found_vectors) if found_vectors else np.zeros((0, 0), dtype=np.float32)


def _by_video(
    path: Path, arrays: Mapping[str, Any], durations: Mapping[str, float | None], clip_seconds: float | None
) -> MomentVectors:
    keys = {normalize("NFC", key): key for key in arrays}
    there = [
        (place, name, keys[normalize("NFC", name)])
        for place, name in enumerate(durations)
        if normalize("NFC", name) in keys
    ]
    if not there:
        raise BaselineError(
            f"{path}: found {shown(sorted(keys)[:5])}, expected the columns {', '.join(OF_MOMENTS)}, or arrays named "
            "as the release's videos"
        )
    if clip_seconds is None:
        raise BaselineError(f"{path}: found an array for each video, expected --clip-seconds, the length of its rows")
    videos, spans, vectors = [], [], []
    for place, name, key in there:
        vectors.append(_vectors(path, f"video {shown(name)}, clip", arrays[key]))
        starts = np.arange(len(vectors[-1])) * clip_seconds
        ends = starts + clip_seconds
        seconds = durations[name] or np.inf
        spans.append(
            np.round(np.stack([starts, np.where(starts < seconds, np.minimum(ends, seconds), ends)], axis=1), 3)
        )
        videos.append(np.full(len(starts), place, dtype=np.int64))
    _same_size(path, [name for _, name, _ in there], vectors)
    return MomentVectors(path, np.concatenate(videos), np.concatenate(spans), np.concatenate(vectors))


@contextmanager
def _opened(path: Path) -> Iterator[Mapping[str, Any]]:
    """A file's arrays by name, each read when it is asked for. Raises: BaselineError for one that can't be read."""
    kind = ENDINGS.get(path.suffix.lower())
    if kind is None or not path.is_file():
        found = "no such file" if kind else f"a file's name with the ending {path.suffix!r}"
        raise BaselineError(f"{path}: found {found}, expected vectors as {', '.join(ENDINGS)}")
    try:
        if kind == "NPZ":
            with np.load(path, allow_pickle=False) as file:
                yield file
        elif kind == "HDF5":
            import h5py

            with h5py.File(path) as file:
                yield _Hdf5(file)
        else:
            yield _Parquet(path)
    except (InputError, BaselineError):
        raise
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise BaselineError(f"{path}: can't be read as {kind} ({error})") from error


class _Hdf5(Mapping[str, Any]):
    """The datasets at the top of an HDF5 file."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getitem__(self, name: str) -> Any:
        return np.asarray(self._file[name][()])

    def __contains__(self, name: object) -> bool:
        return name in self._file  # without reading it

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._file if hasattr(self._file[name], "shape"))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Parquet(Mapping[str, Any]):
    """The columns of a Parquet file; one of lists of one length is a table."""

    def __init__(self, path: Path) -> None:
        import pyarrow.parquet

        self._path, self._pyarrow = path, pyarrow
        self._names = pyarrow.parquet.read_schema(path).names

    def __getitem__(self, name: str) -> Any:
        column = self._pyarrow.parquet.read_table(self._path, columns=[name]).column(name).combine_chunks()
        if column.null_count:
            row = next(row for row, value in enumerate(column, start=1) if not value.is_valid)
            raise InputError(self._path, f"row {row}", found=f"no {name}", expected="a value in each row")
        types = self._pyarrow.types
        if not (
            types.is_list(column.type) or types.is_large_list(column.type) or types.is_fixed_size_list(column.type)
        ):
            return np.asarray(column.to_numpy(zero_copy_only=False))
        lengths = column.value_lengths().to_numpy(zero_copy_only=False)
        for row in np.flatnonzero(lengths != lengths[:1]).tolist():
            found, expected = f"{name} of {lengths[row]} numbers", f"{lengths[0]}, as in row 1"
            raise InputError(self._path, f"row {row + 1}", found=found, expected=expected)
        return np.asarray(column.flatten().to_numpy(zero_copy_only=False)).reshape(len(column), -1)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _column(path: Path, arrays: Mapping[str, Any], name: str) -> Any:
    if name not in arrays:
        of = OF_QUERIES if name in OF_QUERIES[:1] else OF_MOMENTS
        raise BaselineError(f"{path}: found no {name}, expected the columns {', '.join(of)}")
    return arrays[name]


def _same_length(path: Path, columns: Mapping[str, Any]) -> None:
    shapes = {name: values.shape for name, values in columns.items()}
    if (
        any(len(shape) != 1 + (name == "vector") for name, shape in shapes.items())
        or len({shape[0] for shape in shapes.values()}) != 1
    ):
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise BaselineError(f"{path}: found the shapes {found}, expected (rows,) each, and (rows, size) of the vectors")


def _same_size(path: Path, names: Sequence[str], vectors: Sequence[SingleArray]) -> None:
    for name, values in zip(names, vectors, strict=True):
        if values.shape[1] != vectors[0].shape[1]:
            found, expected = f"{values.shape[1]} numbers a vector", f"{vectors[0].shape[1]}, as of {shown(names[0])}"
            raise InputError(path, shown(name), found=found, expected=expected)


def _texts(path: Path, name: str, values: Any) -> Iterator[str]:
    """Names or ids as text in NFC; whole numbers in decimal."""
    for row, value in enumerate(values.tolist(), start=1):
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        if isinstance(text, int) and not isinstance(text, bool):
            text = str(text)
        if not isinstance(text, str) or not text:
            found = f"{name} {shown(value)}"
            raise InputError(path, f"row {row}", found=found, expected="text, or a whole number")
        yield normalize("NFC", text)


def _numbers(path: Path, name: str, values: Any) -> FloatArray:
    if values.dtype.kind not in "iuf":
        raise BaselineError(f"{path}: found {name} of the type {values.dtype}, expected numbers")
    return np.asarray(values, dtype=np.float64)


def _vectors(path: Path, place: str, values: Any) -> SingleArray:
    """Finite numbers in single precision, shape (rows, size), both 1 or more."""
    if values.ndim != 2 or not values.size or values.dtype.kind not in "iuf":
        found = f"vectors of the shape {values.shape} and type {values.dtype}"
        raise BaselineError(f"{path}: found {found}, expected numbers, shape (rows, size)")
    vectors = np.asarray(values, dtype=np.float32)
    for row in np.flatnonzero(~np.isfinite(vectors).all(axis=1)):
        raise InputError(path, f"{place} {row + 1}", found="a number that isn't finite", expected="finite numbers")
    return vectors


def _require(path: Path, query_ids: Sequence[str], there: Iterable[str]) -> None:
    known = set(there)
    missing = [query_id for query_id in query_ids if normalize("NFC", query_id) not in known]
    if missing:
        raise BaselineError(
            f"{path}: found no vector for {len(missing)} of {len(query_ids)} queries, among them the query_id "
            f"{', '.join(map(repr, missing[:3]))}; expected {', '.join(OF_QUERIES)}, or arrays named by query_id"
        )
