"""The wheel of qreels_eval, built from `evaluation/` without a network: the same code gives the same bytes.

Source: the binary distribution format and the core metadata of packaging.python.org. Nothing in it is compressed, since
compressors differ; the release's archive is.
"""

from __future__ import annotations

import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

import evaluation

SOURCE = Path(evaluation.__file__).parent
PACKAGE = "qreels_eval"


def write_wheel(folder: Path) -> None:
    """Write the wheel, whose name says its version."""
    described = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))
    project, included = described["project"], described["tool"]["hatch"]["build"]["targets"]["wheel"]["include"]
    name = f"{PACKAGE}-{project['version']}"
    info = f"{name}.dist-info"
    files = {f"{PACKAGE}/{path.relative_to(SOURCE).as_posix()}": path.read_bytes() for path in _sources(included)}
    files |= {
        f"{info}/METADATA": "".join(_metadata(project)).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: qreels\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": _scripts(project["scripts"]).encode(),
        f"{info}/licenses/LICENSE": (SOURCE / "LICENSE").read_bytes(),
    }
    record = "".join(f"{path},sha256={_digest(content)},{len(content)}\n" for path, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with ZipFile(folder / f"{name}-py3-none-any.whl", "w") as wheel:
        for path, content in files.items():
            entry = ZipInfo(path)  # of 1980, as no time tells anything
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            wheel.writestr(entry, content)


def _sources(included: list[str]) -> list[Path]:
    return sorted({path for pattern in included for path in SOURCE.glob(pattern)})


def _metadata(project: Mapping[str, Any]) -> Iterator[str]:
    yield f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project['version']}\n"
    yield f"Summary: {project['description']}\nLicense-Expression: {project['license']}\nLicense-File: LICENSE\n"
    yield f"Author: {', '.join(author['name'] for author in project['authors'])}\n"
    yield f"Keywords: {','.join(project['keywords'])}\nRequires-Python: {project['requires-python']}\n"
    yield from (f"Classifier: {classifier}\n" for classifier in project["classifiers"])
    yield from (f"Requires-Dist: {needed}\n" for needed in project["dependencies"])
    for extra, packages in project["optional-dependencies"].items():
        yield f"Provides-Extra: {extra}\n"
        yield from (f"Requires-Dist: {needed}; extra == '{extra}'\n" for needed in packages)
    yield f"Description-Content-Type: text/markdown\n\n{(SOURCE / 'README.md').read_text(encoding='utf-8')}"


def _scripts(scripts: Mapping[str, str]) -> str:
    return "[console_scripts]\n" + "".join(f"{name} = {function}\n" for name, function in scripts.items())


def _digest(content: bytes) -> str:
    return urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
