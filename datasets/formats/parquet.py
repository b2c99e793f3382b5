"""Parquet in the layout of the Hugging Face Hub, in `parquet/`: flat tables and a dataset card that lists them.

Rows are in the order of the files of `tvr_ranking`; those of train go down to the deepest training file, with `rank`
from 1. They are written by the hundred thousand, so that memory doesn't grow with the release. The same rows give the
same bytes with the same version of pyarrow, which is imported when it is used. The card (`card.py`) lies here and at
the top of the release.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from datasets.content.moment_locations import MomentLocation
from datasets.content.splits import SPLITS, Splits
from datasets.formats.card import CARD, Part, Written, dataset_card
from datasets.formats.material import Material, create, moment_id
from datasets.formats.sample_run import scoring_section

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_A_GROUP = 1 << 17

PLACE = {"moment_id": "string", "video_name": "string", "start": "float64", "end": "float64", "duration": "float64"}
QUERY = {"query_id": "string", "query": "string"}
TABLES: dict[str, dict[str, str]] = {
    "grades": QUERY
    | {"pair_id": "int64"}
    | PLACE
    | {"caption": "string", "similarity": "float64", "relevance": "int8"},
    "train": QUERY | {"rank": "int32"} | PLACE | {"caption": "string", "similarity": "float64"},
    "raw_annotations": QUERY
    | {"pair_id": "int64"}
    | PLACE
    | {"caption": "string", "similarity": "float64", "worker": "string", "relevance": "int8"},
    "moments": PLACE,
    "videos": {"video_name": "string", "duration": "float64"},
}
"""Every table's columns and their types, as pyarrow calls them."""

FILES: dict[str, tuple[str, ...]] = {
    "grades": SPLITS,
    "train": ("train",),
    "raw_annotations": SPLITS,
    "moments": ("all",),
    "videos": ("all",),
}
"""Every table's splits: each is one file, `TABLE/SPLIT.parquet`."""

Row = tuple[Any, ...]


def write_parquet(material: Material) -> None:
    """Write all files."""
    folder = material.subfolder("parquet")
    splits = material.splits
    written = {table: Written(columns, {}) for table, columns in TABLES.items()}

    def write(table: str, split: str, content: Iterable[Row]) -> None:
        (folder / table).mkdir(exist_ok=True)
        written[table].splits[split] = _write_table(folder / table / f"{split}.parquet", table, content)

    for split in SPLITS:
        write("grades", split, _grades(material, split))
        write("raw_annotations", split, _raw(splits, split))
    written["train"].splits["train"] = _write_training(material, folder / "train")
    write("moments", "all", (_place(place) for place in splits.places.in_order()))
    write("videos", "all", sorted(splits.durations.items()))
    for place, below in ((folder, ""), (material.folder, "parquet/")):
        with create(place / CARD) as file:
            scoring = scoring_section(material) if below else ""
            file.write(dataset_card(material.facts, written, below=below, scoring=scoring))


def schema_of(table: str) -> pa.Schema:
    """A table's columns."""
    import pyarrow as pa

    types = {"string": pa.string, "float64": pa.float64, "int64": pa.int64, "int32": pa.int32, "int8": pa.int8}
    return pa.schema([pa.field(name, types[kind]()) for name, kind in TABLES[table].items()])


def _write_table(path: Path, table: str, content: Iterable[Row]) -> Part:
    import pyarrow as pa

    schema = schema_of(table)

    def groups() -> Iterator[pa.Table]:
        for group in _groups(iter(content)):
            columns = [
                pa.array(column, field.type) for column, field in zip(zip(*group, strict=True), schema, strict=True)
            ]
            yield pa.Table.from_arrays(columns, schema=schema)

    return _write(path, schema, groups())


def _write(path: Path, schema: pa.Schema, groups: Iterable[pa.Table]) -> Part:
    """Write a file as the Hub asks for it.

    By a page index its viewer finds rows; as pages are cut by content, what a later release has again is stored once.
    """
    from pyarrow.parquet import ParquetWriter

    rows = size = 0
    with ParquetWriter(
        path,
        schema,
        compression="zstd",
        version="2.6",
        store_schema=False,
        write_page_index=True,
        use_content_defined_chunking=True,
    ) as writer:
        for group in groups:
            writer.write_table(group, row_group_size=ROWS_A_GROUP)
            rows, size = rows + len(group), size + group.nbytes
    return Part(rows, size, path.stat().st_size)


def _groups(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while group := list(islice(rows, ROWS_A_GROUP)):
        yield group


def _place(place: MomentLocation) -> Row:
    return (moment_id(place), place.video_name, *place.timestamp, place.duration)


def _grades(material: Material, split: str) -> Iterator[Row]:
    for query in material.splits.judged_queries(split):
        head = (str(query.query_id), query.text)
        for pair in query.pairs:
            yield (*head, pair.pair_id, *_place(pair.place), pair.caption, pair.similarity, pair.grade)
        material.progress(1)


def _raw(splits: Splits, split: str) -> Iterator[Row]:
    for row in splits.raw_judgments(split):
        yield (
            *(str(row.query_id), row.query, row.pair_id, *_place(row.place)),
            *(row.caption, row.similarity, row.worker, row.grade),
        )


def _write_training(material: Material, folder: Path) -> Part:
    """The moments' columns are looked up by caption, column by column: 2.8 million rows at the paper's scale."""
    import pyarrow as pa

    folder.mkdir(exist_ok=True)
    schema = schema_of("train")
    looked_up = _captions(material, schema)
    depth = material.depths[-1]

    def groups() -> Iterator[pa.Table]:
        queries = iter(material.training)
        while block := list(islice(queries, max(1, ROWS_A_GROUP // depth))):
            lengths = [min(depth, len(query.captions)) for query in block]
            taken = pa.array(np.concatenate([query.captions[:depth] for query in block]), pa.int64())
            of_query = pa.array([row for row, length in enumerate(lengths) for _ in range(length)], pa.int64())
            columns = [
                pa.array([str(query.query_id) for query in block], pa.string()).take(of_query),
                pa.array([query.text for query in block], pa.string()).take(of_query),
                pa.array([rank for length in lengths for rank in range(1, length + 1)], pa.int32()),
                *(column.take(taken) for column in looked_up),
                pa.array(np.concatenate([query.similarities[:depth] for query in block]), pa.float64()),
            ]
            yield pa.Table.from_arrays(columns, schema=schema)
            material.progress(len(block))

    return _write(folder / "train.parquet", schema, groups())


def _captions(material: Material, schema: pa.Schema) -> list[pa.Array]:
    """The columns of `PLACE` and the captions' texts, by the caption's place."""
    import pyarrow as pa

    types = [schema.field(name).type for name in PLACE] + [pa.string()]
    chunks: list[list[pa.Array]] = [[] for _ in types]
    rows = ((*_place(place), text) for text, place in material.training.captions())
    for group in _groups(rows):
        for chunk, column, kind in zip(chunks, zip(*group, strict=True), types, strict=True):
            chunk.append(pa.array(column, kind))
    return [pa.chunked_array(chunk, kind).combine_chunks() for chunk, kind in zip(chunks, types, strict=True)]
