"""Search a release for mail addresses and members' names before it is published."""

import csv
from collections.abc import Iterator
from pathlib import Path

from foundation.models import Account, Collection

CHUNK = 1 << 20
PARQUET = ".parquet"
ROWS = 65_536
"""Rows of a Parquet file that are read at a time."""


def find_identities(folder: Path, collection: Collection) -> list[str]:
    """Sentences, one a finding, that name the file and never the person.

    Searched for: the mail addresses of the collection's people in every file, letter for letter in any case, in
    Parquet files in what they hold; and their usernames as workers of raw annotations, in both forms. A username
    elsewhere may be a plain word of a query.
    """
    people = Account.objects.filter(memberships__collection=collection)
    mails = [mail.lower().encode() for mail in people.exclude(email="").values_list("email", flat=True)]
    usernames = {name.lower() for name in people.values_list("username", flat=True)}
    findings = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if any(mail in piece for piece in _pieces(path, overlap=max(map(len, mails), default=1)) for mail in mails):
            findings.append(f"{name} holds the mail address of a person of the collection")
        if "raw_annotations" in name and not usernames.isdisjoint(_workers(path)):
            findings.append(f"{name} has a person's username as a worker")
    return findings


def _pieces(path: Path, *, overlap: int) -> Iterator[bytes]:
    """A file's content in lower case, in pieces that overlap, so that each word of `overlap` bytes is whole in one."""
    if path.suffix == PARQUET:
        yield from _texts(path)
        return
    before = b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            text = before + chunk.lower()
            yield text
            before = text[-overlap:]


def _texts(path: Path) -> Iterator[bytes]:
    """The texts of a Parquet file: metadata, then each column in pieces of some rows."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        yield repr((file.schema_arrow, file.schema_arrow.metadata)).lower().encode()
        texts = [
            field.name
            for field in file.schema_arrow
            if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        for batch in file.iter_batches(batch_size=ROWS, columns=texts):
            for column in batch.columns:
                # Arrow keeps a column's texts in one buffer, end to end.
                letters = pc.utf8_lower(column).buffers()[-1]
                yield letters.to_pybytes() if letters is not None else b""


def _workers(path: Path) -> Iterator[str]:
    """The workers in a table of raw annotations, in lower case; none for files without such a column."""
    if path.suffix == PARQUET:
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            if "worker" in file.schema_arrow.names:
                for batch in file.iter_batches(columns=["worker"]):
                    yield from (str(worker).lower() for worker in batch.column(0).to_pylist())
    elif path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield (row.get("worker") or "").lower()
