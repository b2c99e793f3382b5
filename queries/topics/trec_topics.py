"""TREC's topics: `<top>` with `<num>`, `<title>`, `<desc>` and `<narr>`, whose closing tags are often left out."""

import html
import re
from collections.abc import Iterator
from typing import BinaryIO

from corpus.description_formats import BadRow, FilePiece
from corpus.description_formats.lines import text_lines
from evaluation.formats.trec_ids import read_id

LONGEST_TOPIC = 100_000
"""Characters of one topic: more means that its end is missing."""
_TAG = re.compile(r"<(/?)(top|num|title|desc|narr)\b[^<>]*>", re.IGNORECASE)
_LABEL = re.compile(r"\s*(?:number|topic|title|description|narrative)\s*:\s*", re.IGNORECASE)
_AROUND = re.compile(r"\s*(<\?xml[^>]*\?>|</?topics\b[^>]*>)\s*", re.IGNORECASE)


def trec_pieces(file: BinaryIO) -> Iterator[FilePiece]:
    """The topics of a file, as fields by name: "id", "text" (the title, or else the description), "narrative".

    A topic's description stands before its narrative, in the same field: annotators are shown both.
    """
    topic: _Topic | None = None
    for piece in text_lines(file):
        if piece.fault is not None:
            yield piece
            continue
        if topic is None and _AROUND.fullmatch(piece.value):
            continue
        at = 0
        for tag in _TAG.finditer(piece.value):
            between, at = piece.value[at : tag.start()], tag.end()
            closes, name = bool(tag[1]), tag[2].lower()
            if topic is not None:
                topic.add(piece.line, between)
            elif between.strip():
                yield _outside(piece.line, between)
            if name == "top":
                if topic is not None:
                    yield topic.piece(closed=closes)
                topic = None if closes else _Topic(piece.line)
            elif topic is not None:
                topic.section = "" if closes else name
        rest = piece.value[at:]
        if topic is None:
            if rest.strip():
                yield _outside(piece.line, rest)
            continue
        topic.add(piece.line, rest)
        if topic.size > LONGEST_TOPIC:
            yield topic.piece(closed=False)
            topic = None
    if topic is not None:
        yield topic.piece(closed=False)


class _Topic:
    """A topic that is being read: its sections' lines."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.size = 0
        self.section = ""
        self._read: dict[str, list[tuple[int, str]]] = {}

    def add(self, line: int, text: str) -> None:
        self.size += len(text)
        if self.section and text.strip():
            self._read.setdefault(self.section, []).append((line, text.strip()))

    def piece(self, *, closed: bool) -> FilePiece:
        title, described, narrative = self._text("title"), self._text("desc"), self._text("narr")
        notes = [part for part in (described if title else "", narrative) if part]
        values = {
            "id": read_id(" ".join(self._text("num").split())),
            "text": " ".join((title or described).split()),
            "narrative": "\n\n".join(notes),
        }
        fault = None
        if not closed:
            fault = BadRow.saying("topic", "a <top> without its end", "</top> before the next one")
        elif not values["id"]:
            fault = BadRow("num", None, "the topic's number in <num>")
        return FilePiece(self.line, "", values, fault)

    def _text(self, section: str) -> str:
        """A section's lines; a gap in the file stays an empty line."""
        section_text, last = "", 0
        for line, text in self._read.get(section, []):
            if section_text:
                section_text += "\n\n" if line > last + 1 else "\n" if line > last else " "
            section_text += text
            last = line
        label = _LABEL.match(section_text)
        return html.unescape(section_text[label.end() :] if label else section_text).strip()


def _outside(line: int, text: str) -> FilePiece:
    return FilePiece(line, "", text, BadRow("topic", text.strip(), "<top>"))
