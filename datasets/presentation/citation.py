"""How a release is cited: as BibTeX and in one line. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.formats.latex import latex_text as latex

SOFTWARE = "Qreels: graded-relevance test collections for ranked video moment retrieval"
"""Qreels' title in CITATION.cff (a test compares them)."""
DOI = re.compile(r"(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Citation:
    """What is cited: `authors` as (family names, given names), `address` a DOI, an address with http, or ""."""

    title: str
    authors: Sequence[tuple[str, str]]
    year: int
    version: str
    address: str

    @property
    def doi(self) -> str:
        """The DOI without its resolver; "" where the address is none."""
        match = DOI.fullmatch(self.address)
        return match[1] if match else ""

    @property
    def link(self) -> str:
        """An address to follow; "" without one."""
        return f"https://doi.org/{self.doi}" if self.doi else self.address


def bibtex(cited: Citation) -> str:
    r"""An entry `@misc`, whose key is made of the first author, the year and the title.

    >>> print(bibtex(Citation("R&D", [("Ångström", "Å"), ("The Team", "")], 2026, "1.0.0", "doi:10.5555/ab_c")))
    @misc{angstrom2026rd,
      title = {{R\&D}},
      author = {Ångström, Å and {The Team}},
      year = {2026},
      version = {1.0.0},
      doi = {10.5555/ab_c},
      url = {https://doi.org/10.5555/ab_c}
    }
    """
    fields = [("title", f"{{{latex(cited.title)}}}")]
    if cited.authors:
        names = [
            f"{latex(family)}, {latex(given)}" if given else f"{{{latex(family)}}}" for family, given in cited.authors
        ]
        fields.append(("author", " and ".join(names)))
    fields += [("year", str(cited.year)), ("version", latex(cited.version))]
    # Addresses are taken letter by letter; a brace alone would end the field.
    if cited.doi:
        fields.append(("doi", re.sub(r"[{}\\]", "", cited.doi)))
    if cited.link:
        fields.append(("url", re.sub(r"[{}\\]", "", cited.link)))
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields)
    return f"@misc{{{_key(cited)},\n{body}\n}}"


def one_line(cited: Citation) -> str:
    """The citation in one line.

    >>> one_line(Citation("Films", [("Curie", "Marie"), ("Plato", "")], 2026, "1.0.0", "https://example.org/films"))
    'Curie, Marie; Plato (2026). Films (version 1.0.0) [data set]. https://example.org/films'
    """
    names = "; ".join(f"{family}, {given}" if given else family for family, given in cited.authors)
    begin = f"{names} ({cited.year}). {cited.title}" if names else f"{cited.title} ({cited.year})"
    return f"{begin} (version {cited.version}) [data set]." + (f" {cited.link}" if cited.link else "")


def software_bibtex(version: str) -> str:
    """Qreels as an entry `@misc`, of the version that made the release."""
    author = "{the Qreels authors}"
    return (
        f"@misc{{qreels,\n  title = {{{{{SOFTWARE}}}}},\n  author = {{{author}}},\n  version = {{{latex(version)}}},\n"
        "  note = {Software}\n}"
    )


def _key(cited: Citation) -> str:
    first = cited.authors[0][0] if cited.authors else ""
    return (
        _plain(first) + str(cited.year) + _plain(cited.title.split()[0] if cited.title.split() else "")
    ) or "dataset"


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", letters.lower())
