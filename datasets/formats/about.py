"""What the authors say of a release: who they are, licence, citation, limitations, and what else the site can't know.

Pure. The texts are in the manifest, the card, the data sheet and croissant.json.
"""

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
    "address": gettext_lazy("Address of its page, best a DOI's, such as https://doi.org/10.5281/zenodo.1"),
    "sources": gettext_lazy("Where videos, moments and descriptions come from, a line each, with its address"),
    "uses": gettext_lazy("What it is to be used for, and what not"),
    "biases": gettext_lazy("Known biases"),
    "sensitive": gettext_lazy("Personal or sensitive information: who is seen or told of, and what"),
    "impact": gettext_lazy("Good or harm that it may do to people, and what is done about it"),
    "recruitment": gettext_lazy("Who annotators were, how they were found, under which contract"),
    "maintenance": gettext_lazy("Who looks after it and can be asked, how errors are told, when it is updated"),
}
"""The fields with what is to be written there; all may stay empty."""
ALWAYS = ("authors", "licence", "citation", "limitations")
"""Those that a manifest has also where nothing was typed; the others it has where something was."""
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
ADDRESS = re.compile(r"https?://[^\s<>\"]+")
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
    """The fields, trimmed: those of `ALWAYS`, and the others where something was typed.

    Raises: Refused for an unknown field, too long a text, one that can't be stored, an ORCID iD or an address that is
        none.
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
    about = {name: "\n".join(typed.get(name, "").strip().splitlines()) for name in FIELDS}
    if about["address"] and not ADDRESS.fullmatch(about["address"]):
        raise Refused(f"Address: found {about['address'][:80]!r}, expected one that begins with https:// or http://.")
    return {name: text for name, text in about.items() if text or name in ALWAYS}


def sources_of(about: Mapping[str, str]) -> list[tuple[str, str]]:
    """(what it is, its address or "") of each source.

    >>> sources_of({"sources": "TVR (https://tvr.cs.unc.edu), CC BY\\n\\nour own films"})
    [('TVR (https://tvr.cs.unc.edu), CC BY', 'https://tvr.cs.unc.edu'), ('our own films', '')]
    """
    lines = filter(None, map(str.strip, about.get("sources", "").splitlines()))
    found = [(line, ADDRESS.search(line)) for line in lines]
    return [(line, address[0].rstrip(".,;:)") if address else "") for line, address in found]


def licence_address(licence: str) -> str:
    """SPDX's address of a licence that it knows, any other text as it is.

    >>> licence_address("cc-by-4.0"), licence_address("ours")
    ('https://spdx.org/licenses/CC-BY-4.0', 'ours')
    """
    known = SPDX.get(licence.lower())
    return f"https://spdx.org/licenses/{known}" if known else licence


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
    if about.get("address"):
        lines.append(f"url: {quoted(about['address'])}")
    if about["limitations"]:
        lines.append(f"abstract: {quoted('Limitations: ' + about['limitations'])}")
    return "\n".join([*lines, ""])
