"""Colours of grades: between two of them, as CSS, and whether words on them can be read. Pure."""

import re
from collections.abc import Sequence

from evaluation.figures.svg import LEAST_CONTRAST, contrast, ink_on, shade

Colour = tuple[str, str]
"""#rrggbb on light pages, and on dark ones."""
HEX = re.compile(r"#[0-9a-f]{6}\Z")
_PAGES = (("#faf8f5", "#22211f"), ("#191817", "#ece8e1"))
"""Paper and ink, light and dark, as static/css/qreels.css has them."""
_CHOSEN = 0.42
"""How much of a grade's colour its button has at most, while a clip isn't seen enough: its words are in ink then."""

__all__ = ["Colour", "between", "css", "hard_to_read", "ink_on"]


def between(ramp: Sequence[Colour], share: float) -> Colour:
    """A colour of a ramp of two or more, for a share in [0, 1].

    >>> between([("#000000", "#ffffff"), ("#ffffff", "#000000")], 0.2)
    ('#333333', '#cccccc')
    """
    light, dark = (shade(share, [colour[page] for colour in ramp]) for page in (0, 1))
    return light, dark


def css(colour: Colour) -> str:
    """As a value that a page's theme chooses from."""
    return f"light-dark({colour[0]},{colour[1]})"


def hard_to_read(colour: Colour) -> str:
    """On which pages words on a button of this colour would be too hard to read: "", "light" or "dark".

    >>> hard_to_read(("#0d5f57", "#8fe0cf")), hard_to_read(("#ffffff", "#ffffff"))
    ('', 'dark')
    """
    for name, ground, (paper, ink) in zip(("light", "dark"), colour, _PAGES, strict=True):
        closed = shade(_CHOSEN, [paper, ground])
        if min(contrast(ink_on(ground), ground), contrast(ink, closed)) < LEAST_CONTRAST:
            return name
    return ""
