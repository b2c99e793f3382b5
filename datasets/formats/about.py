"""What the authors say of a release: who they are, licence, citation, limitations. Pure."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy

from datasets.formats.card import quoted
from foundation.refused import Refused
from foundation.text import UNSTORABLE

FIELDS = {
    "authors": gettext_lazy(
        "Authors, separated by semicolons, each as Family, Given, with an ORCID iD in brackets if there is one"
    ),
    "licence": gettext_lazy("Licence, best as an SPDX identifier such as CC-BY-4.0"),
    "citation": gettext_lazy("How to cite it, as BibTeX or in one line"),
    "limitations": gettext_lazy("Known limitations"),
}
"""The fields with what is to be written there; all may stay empty."""
LONGEST = 10_000
CITATION_FILE = "CITATION.cff"
SPDX = {
    name.lower(): name
    for name in (
        *("MIT", "Apache-2.0", "BSD-3-Clause", "CC0-1.0", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0"),
        *("CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-NC-ND-4.0", "ODbL-1.0", "ODC-By-1.0", "GPL-3.0"),
    )
}
"""Licences of data sets that a citation file can state: it takes SPDX's identifiers alone."""
_ORCID = re.compile(r"\s*\((?:https?://orcid\.org/)?([\d-]{12,}[\dXx]?)\)\Z", re.ASCII)
VERSION = re.compile(r"v?((?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*))", re.ASCII)


class Author(NamedTuple):
    """A person, or a body without given names. `orcid` is the iD alone, "" where none is stated."""

    family: str
    given: str
    orcid: str = ""

    @property
    def orcid_address(self) -> str:
        """The iD as an address, as ORCID asks for it."""
        return f"https://orcid.org/{self.orcid}"


def about_of(typed: Mapping[str, str]) -> dict[str, str]:
    """All fields, trimmed, empty where nothing was typed.

    Raises: Refused for an unknown field, too long a text, one that can't be stored, or an ORCID iD that is none.
    """
    for name, text in typed.items():
        if name not in FIELDS:
            raise Refused(f"Found the field {name!r}, expected one of {', '.join(FIELDS)}.")
        if len(text) > LONGEST:
            raise Refused(f"{name.capitalize()}: found {len(text):,} characters, expected at most {LONGEST:,}.")
        if UNSTORABLE.search(text):
            raise Refused(f"{name.capitalize()}: found bytes that are no text, expected UTF-8.")
    for author in authors_of(typed):
        if author.orcid and not is_orcid(author.orcid):
            raise Refused(f"Authors: found the ORCID iD {author.orcid}, expected 16 digits whose last one checks.")
    return {name: "\n".join(typed.get(name, "").strip().splitlines()) for name in FIELDS}


def authors_of(about: Mapping[str, str]) -> list[Author]:
    """Each author; given names are empty where there is no comma.

    >>> [tuple(author) for author in authors_of({"authors": "Curie, Marie (0000-0002-1825-0097); , Plato; ,"})]
    [('Curie', 'Marie', '0000-0002-1825-0097'), ('Plato', '', '')]
    """
    authors = []
    for part in about.get("authors", "").split(";"):
        text = " ".join(part.split())
        found = _ORCID.search(text)
        family, _, given = (text[: found.start()] if found else text).partition(",")
        names = [name for name in (family.strip(), given.strip()) if name]
        if names:
            authors.append(Author(names[0], "".join(names[1:]), found[1].upper() if found else ""))
    return authors


def is_orcid(text: str) -> bool:
    """Whether it is an ORCID iD: its last digit checks the others (ISO 7064, MOD 11-2).

    >>> is_orcid("0000-0002-1825-0097"), is_orcid("0000-0002-1694-233X"), is_orcid("0000-0002-1825-0098")
    (True, True, False)
    """
    if not re.fullmatch(r"(\d{4}-){3}\d{3}[\dX]", text, re.ASCII):
        return False
    digits = text.replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == digits[-1]


def version_of(name: str) -> str | None:
    """A release's name as MAJOR.MINOR.PATCH, without a leading v; None where it is no such version.

    >>> version_of("v1.0.2"), version_of("2.0"), version_of("v01.0.0")
    ('1.0.2', None, None)
    """
    version = VERSION.fullmatch(name)
    return version[1] if version else None


def citation_file(facts: Mapping[str, Any]) -> str | None:
    """`CITATION.cff` (Citation File Format 1.2.0), which needs authors; None without any. Strings are YAML's quoted."""

    about = facts["about"]
    authors = authors_of(about)
    if not authors:
        return None
    lines = ["cff-version: 1.2.0", f"title: {quoted(facts['title'])}", "type: dataset"]
    lines.append(f"message: {quoted(about['citation'] or 'Please cite this data set by these metadata.')}")
    if about["licence"].lower() in SPDX:
        lines.append(f"license: {SPDX[about['licence'].lower()]}")
    lines.append("authors:")
    for author in authors:
        if author.given:
            lines += [f"- family-names: {quoted(author.family)}", f"  given-names: {quoted(author.given)}"]
        else:
            lines.append(f"- name: {quoted(author.family)}")
        if author.orcid:
            lines.append(f"  orcid: {quoted(author.orcid_address)}")
    if facts.get("release"):
        lines.append(f"version: {quoted(facts['release'])}")
    if facts.get("created_at"):
        lines.append(f"date-released: {quoted(facts['created_at'][:10])}")
    if about["limitations"]:
        lines.append(f"abstract: {quoted('Limitations: ' + about['limitations'])}")
    return "\n".join([*lines, ""])
