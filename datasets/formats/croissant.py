"""Croissant 1.1 (MLCommons): one JSON-LD file that describes the Parquet files, `croissant/croissant.json`.

Each Parquet file is a file object with its SHA-256, under its path relative to this file, and a record set of the same
columns. `responsible.py` has what it says for responsible use. Written by hand, so that it needs no library and follows
from the facts alone.
"""

import hashlib
import json
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from datasets.formats.about import authors_of, licence_address, version_of
from datasets.formats.card import TABLES_IN_WORDS, TAGS
from datasets.formats.further_files import FurtherTable, further_tables
from datasets.formats.material import Material, create
from datasets.formats.parquet import FILES, TABLES
from datasets.formats.responsible import RAI, provenance, responsible
from datasets.formats.scale_in_words import grades_in_brackets

CROISSANT = "http://mlcommons.org/croissant/1.1"
TYPES = {
    "string": "sc:Text",
    "float64": "sc:Float",
    "int64": "sc:Integer",
    "int32": "sc:Integer",
    "int8": "sc:Integer",
}
_OWN = (
    *("annotation", "arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "excludes", "extract"),
    *("field", "fileProperty", "fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath"),
    *("key", "md5", "parentField", "path", "readLines", "recordSet", "references", "regex", "repeated", "replace"),
    *("samplingRate", "sdVersion", "separator", "source", "subField", "transform", "unArchive", "value"),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{name: f"cr:{name}" for name in _OWN},
}


def write_croissant(material: Material) -> None:
    """Write the file; what it describes is there already."""
    document = croissant_of(material.facts, material.folder)
    with create(material.subfolder("croissant") / "croissant.json") as file:
        file.write(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def croissant_of(facts: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The document for the Parquet files of a release's folder, and for the CSV files beside the ground truth."""
    names = [(table, split) for table, splits in FILES.items() for split in splits]
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [CROISSANT, RAI],
        "name": facts["collection"],
        "alternateName": facts["title"],
        "description": _description(facts),
        "keywords": list(TAGS),
        "inLanguage": facts["languages"],
        "version": version_of(facts["release"] or "") or facts["release"] or "draft",
        "isLiveDataset": False,
    }
    about = facts["about"]
    if about["licence"]:
        document["license"] = licence_address(about["licence"])
    if about.get("address"):
        document["url"] = about["address"]
    if about["citation"]:
        document["citeAs"] = about["citation"]
    if authors_of(about):
        document["creator"] = [
            (
                {"@type": "sc:Person", "name": f"{one.given} {one.family}"}
                | {"familyName": one.family, "givenName": one.given}
                if one.given
                else {"@type": "sc:Organization", "name": one.family}
            )
            | ({"identifier": one.orcid_address} if one.orcid else {})
            for one in authors_of(about)
        ]
    if facts["created_at"]:
        document["datePublished"] = facts["created_at"][:10]
    document |= responsible(facts) | provenance(facts)
    further = further_tables(facts).values()
    document["distribution"] = [
        *(
            _file_object(folder, f"{table}/{split}.parquet", "application/x-parquet", below="parquet/")
            for table, split in names
        ),
        *(_file_object(folder, table.file, "text/csv") for table in further),
        *(_file_object(folder, *medium) for medium in _media(facts, folder)),
        *(
            _file_object(folder, text["file"], "text/markdown")
            for text in facts.get("consent", {"versions": ()})["versions"]
        ),
    ]
    document["recordSet"] = [*(_record_set(table, split) for table, split in names), *map(_further_set, further)]
    return document


def _description(facts: Mapping[str, Any]) -> str:
    training = facts["counts"]["training"]["queries"]
    return (
        f"{facts['title']}: graded relevance ({grades_in_brackets(facts)}) of video moments for queries"
        + (", and pseudo-training queries with their most similar moments" if training else "")
        + ". Captions are never an input of a retrieval system."
    )


def _media(facts: Mapping[str, Any], folder: Path) -> list[tuple[str, str]]:
    """Paths and media types of the pictures, clips and sounds that were queries."""
    if "query_media" not in facts:
        return []
    names = sorted(path.name for path in (folder / "query_media").iterdir())
    return [(f"query_media/{name}", mimetypes.guess_type(name)[0] or "application/octet-stream") for name in names]


def _file_object(folder: Path, name: str, kind: str, *, below: str = "") -> dict[str, Any]:
    path = folder / below / name
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": quote(f"../{below}{name}"),
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": kind,
        "sha256": sha256,
    }


def _record_set(table: str, split: str) -> dict[str, Any]:
    described = f"{TABLES_IN_WORDS[table]} ({split})"
    return _records(f"{table}_{split}", f"{table}/{split}.parquet", described, TABLES[table])


def _further_set(table: FurtherTable) -> dict[str, Any]:
    return _records(table.file.removesuffix(".csv"), table.file, f"a row {table.row}", table.columns)


def _records(name: str, file: str, described: str, columns: Mapping[str, str]) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": described,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "dataType": TYPES[kind],
                "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
            }
            for column, kind in columns.items()
        ],
    }
