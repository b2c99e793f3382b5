"""Which Qreels this is: version, licence, how to cite it, and the packages that it runs on."""

import platform
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import metadata

from django.conf import settings

_PIN = re.compile(r"([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==")
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Package:
    """A package that is installed here."""

    name: str
    version: str
    licence: str
    """In its own words, "" where it says none."""


@dataclass(frozen=True, slots=True)
class Version:
    """What the page About says."""

    version: str
    python: str
    licence: str
    citation: str
    """The file CITATION.cff."""
    packages: list[Package]
    """Those that `requirements.txt` names and that are installed, by name."""


@cache
def this_version() -> Version:
    """Read once a process, from the checkout and what is installed beside it."""
    root = settings.BASE_DIR
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = (_PIN.match(line) for line in (root / "requirements.txt").read_text(encoding="utf-8").splitlines())
    packages = {pin[1].lower(): package for pin in pins if pin and (package := _installed(pin[1]))}
    return Version(
        version=project["version"],
        python=platform.python_version(),
        licence=(root / "LICENSE").read_text(encoding="utf-8"),
        citation=(root / "CITATION.cff").read_text(encoding="utf-8"),
        packages=[packages[name] for name in sorted(packages)],
    )


def _installed(name: str) -> Package | None:
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    names = [
        *about.get_all("License-Expression", []),
        *(line.rpartition(" :: ")[2] for line in about.get_all("Classifier", []) if line.startswith("License")),
        *(text.partition("\n")[0] for text in about.get_all("License", [])),
    ]
    licence = next((name for name in names if name and name != "OSI Approved" and len(name) <= _LONGEST), "")
    return Package(about["Name"], about["Version"], licence)
