"""What people read or hear of a page."""

from html.parser import HTMLParser
from typing import Any


class Visible(HTMLParser):
    """The text that a page shows or has read out, but for code, keys and what says that it is another language."""

    SILENT = {"script", "style", "code", "kbd", "datalist"}
    VOID = {"meta", "link", "input", "br", "img", "hr", "source"}
    SPOKEN = ("aria-label", "title", "placeholder", "alt")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self._open: list[bool] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        given = dict(attributes)
        silent = tag in self.SILENT or (tag != "html" and "lang" in given) or any(self._open)
        if tag not in self.VOID:
            self._open.append(silent)
        if not silent:
            self.said += [given[name] or "" for name in self.SPOKEN if name in given]

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._open):
            self.said.append(data)
