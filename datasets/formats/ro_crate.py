"""RO-Crate 1.1: `ro-crate-metadata.json` at the top, which describes every file of the release, and `datacite.json`.

Written last, since it lists the others. Source: the RO-Crate Metadata Specification 1.1.
"""

import json
import mimetypes
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from datasets.formats.about import authors_of
from datasets.formats.datacite import SUBJECTS, datacite_of
from datasets.formats.material import Material, create

CRATE, DATACITE = "ro-crate-metadata.json", "datacite.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
TYPES = {".jsonl": "application/jsonl", ".md": "text/markdown", ".parquet": "application/vnd.apache.parquet"}
"""Media types that Python's tables don't know everywhere."""
_MANIFEST = "manifest.json"


def write_ro_crate(material: Material) -> None:
    """Write both files; what they describe is there already, but for the manifest."""
    _write(material, DATACITE, datacite_of(material.facts))
    folder = material.folder
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    _write(material, CRATE, crate_of(material.facts, sizes))


def _write(material: Material, name: str, document: Mapping[str, Any]) -> None:
    with create(material.folder / name) as file:
        file.write(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n")


def crate_of(facts: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, Any]:
    """The crate. Args: facts: the manifest but for its files. sizes: path -> bytes, of every file but the manifest."""
    about, said = facts["about"], datacite_of(facts)
    people = [
        {"@id": one.orcid_address if one.orcid else f"#author-{number}"}
        | (
            {"@type": "Person", "name": f"{one.given} {one.family}", "familyName": one.family, "givenName": one.given}
            if one.given
            else {"@type": "Organization", "name": one.family}
        )
        for number, one in enumerate(authors_of(about), start=1)
    ]
    files = [_file(path, size) for path, size in sorted(sizes.items())]
    files.append({"@id": _MANIFEST, "@type": "File", "name": _MANIFEST, "encodingFormat": "application/json"})
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": facts["title"],
        "description": said["descriptions"][0]["description"],
        "keywords": ", ".join(SUBJECTS),
        "version": facts["release"] or "draft",
        "hasPart": [{"@id": file["@id"]} for file in files],
    }
    if facts["created_at"]:
        root["datePublished"] = facts["created_at"][:10]
    if people:
        root["author"] = [{"@id": person["@id"]} for person in people]
    if about["citation"]:
        root["creditText"] = about["citation"]
    licence = []
    if "rightsList" in said:
        (rights,) = said["rightsList"]
        licence = [{"@id": rights.get("rightsUri", "#licence"), "@type": "CreativeWork", "name": rights["rights"]}]
        root["license"] = {"@id": licence[0]["@id"]}
    descriptor = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": SPECIFICATION},
        "about": {"@id": "./"},
    }
    return {"@context": f"{SPECIFICATION}/context", "@graph": [descriptor, root, *people, *licence, *files]}


def _file(path: str, size: int) -> dict[str, Any]:
    kind = TYPES.get(path[path.rfind(".") :]) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    return {"@id": quote(path), "@type": "File", "name": path, "contentSize": str(size), "encodingFormat": kind}
