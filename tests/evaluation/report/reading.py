"""A report as a parser reads it."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "input", "br", "img", "link", "base"}


class Report(HTMLParser):
    """Elements and tables of a page.

    Attributes: tags: each with its attributes. tables: rows of cells' texts, by the id of the details or the measure of
    the section that they are in, or "". paragraphs: texts of p, li, h3 and summary. scripts: what they have in them.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.tables: dict[str, list[list[list[str]]]] = {}
        self.paragraphs: list[str] = []
        self.scripts: list[str] = []
        self._open: list[str] = []
        self._within, self._measured = "", False
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attrs}
        self.tags.append((tag, own))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "details":
            self._within = own["id"]
        elif own.get("class") == "measure":
            self._measured = True
        elif tag == "table":
            self.tables.setdefault(self._within, []).append([])
        elif tag == "tr":
            self.tables[self._within][-1].append([])
        elif tag in ("td", "th"):
            self.tables[self._within][-1][-1].append("")
        elif tag in ("p", "li", "h3", "summary"):
            self.paragraphs.append("")
        elif tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "details" or (tag == "section" and self._measured):
            self._within, self._measured = "", False
        elif tag == "h3" and self._measured:
            self._within = self.paragraphs[-1]

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & {*self._open}:
            self.tables[self._within][-1][-1][-1] += data
        elif {"p", "li", "h3", "summary"} & {*self._open}:
            self.paragraphs[-1] += data
        elif "script" in self._open:
            self.scripts[-1] += data

    def table_of(self, *heads: str, within: str = "") -> list[list[str]]:
        """The rows of the one table with these first heads."""
        (found,) = [table for table in self.tables[within] if tuple(table[0][: len(heads)]) == heads]
        return found[1:]
