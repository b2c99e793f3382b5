"""The manuals of `docs/` as pages: Markdown to HTML, with an anchor at each heading and links from page to page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.urls import reverse

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

FOLDER = settings.BASE_DIR / "docs"
INDEX = "index"
_FILE = re.compile(r"([a-z-]+)\.md(#.*)?")


@dataclass(frozen=True, slots=True)
class Manual:
    """A manual as its page shows it."""

    name: str
    """Its file's, without the ending."""
    title: str
    html: str
    sections: list[tuple[str, str]]
    """Anchor and words of each second-level heading, in order."""
    anchors: frozenset[str]


def names() -> list[str]:
    """The manuals' names, the list of all among them."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


@cache
def manual(name: str) -> Manual | None:
    """A manual by its name, None if there is none. Read once a process: the files change with the version alone."""
    if name not in names():
        return None
    tokens = _reader().parse((FOLDER / f"{name}.md").read_text(encoding="utf-8"))
    headings = _anchored(tokens)
    for token in tokens:
        if token.children:
            token.children = _led_to_pages(token.children)
    html = _scrollable(_reader().renderer.render(tokens, _reader().options, {}))
    written = re.findall(r'<a id="([^"]+)"', html)
    return Manual(
        name,
        title=next(words for level, _, words in headings if level == "h1"),
        html=html,
        sections=[(anchor, words) for level, anchor, words in headings if level == "h2"],
        anchors=frozenset([*(anchor for _, anchor, _ in headings), *written]),
    )


def anchor_of(heading: str) -> str:
    """A heading's anchor, as code hosts make it, so that the files' own links fit both.

    >>> anchor_of("What annotators see, and what they don't")
    'what-annotators-see-and-what-they-dont'
    """
    return re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")


@cache
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # HTML is let through: the files are ours, and have anchors of old headings in it.
    return MarkdownIt("commonmark", {"html": True}).enable("table")


def _anchored(tokens: Sequence[Any]) -> list[tuple[str, str, str]]:
    """Give each heading its anchor. Returns: level, anchor and words of each."""
    headings = []
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            words = "".join(child.content for child in inline.children if child.type in ("text", "code_inline"))
            opening.attrSet("id", anchor_of(words))
            headings.append((opening.tag, anchor_of(words), words))
    return headings


def _scrollable(html: str) -> str:
    """Each table in a box of its own, which scrolls sideways, also by keyboard."""
    number = count(1)
    box = '<div class="scroll" tabindex="0" role="group" aria-label="Table {}"><table>'
    return re.sub("<table>", lambda _: box.format(next(number)), html).replace("</table>", "</table></div>")


def _led_to_pages(children: Sequence[Any]) -> list[Any]:
    """Turn links to manuals into links to their pages, and links to other files of the repository into plain text."""
    shown, dropped = [], False
    for child in children:
        if child.type == "link_open":
            address = _page_of(str(child.attrGet("href")))
            dropped = not address
            if address:
                child.attrSet("href", address)
        if not (dropped and child.type in ("link_open", "link_close")):
            shown.append(child)
        dropped = dropped and child.type != "link_close"
    return shown


def _page_of(link: str) -> str:
    """The address that a link of a manual leads to, "" where the site has none."""
    if link.startswith(("#", "https://", "http://")):
        return link
    match = _FILE.fullmatch(link)
    return address_of(match[1]) + (match[2] or "") if match and match[1] in names() else ""


def address_of(name: str, anchor: str = "") -> str:
    """The address of a manual's page, and of a heading in it."""
    page = reverse("help") if name == INDEX else reverse("help-page", args=[name])
    return f"{page}#{anchor}" if anchor else page
