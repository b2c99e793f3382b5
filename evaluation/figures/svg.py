"""A sheet of SVG on which figures are drawn."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape

RAMP = ("#d9d4cc", "#b9cfc6", "#7fb3a3", "#3f8f80", "#0d5f57")
"""The five grades' colours, light to dark; also the order in which anything ordered is coloured."""
INK = "#2b2a28"
QUIET = "#6f6b66"
HAIR = "#d6d2cc"
LOSS = "#b3412e"
ON_PAGE = {INK: "var(--ink)", QUIET: "var(--soft)", HAIR: "var(--hair)"} | {
    colour: f"var(--grade-{step})" for step, colour in enumerate(RAMP)
}
"""The colours of a figure's file -> a page's own, light or dark."""
LEAST_CONTRAST = 4.5
"""Of words to their ground."""
SVG_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
"""A file needs it, HTML doesn't."""
_FONT = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif"


class SvgCanvas:
    """Collects shapes; `text` is the finished SVG. Lengths are in pixels, y grows downwards."""

    def __init__(self, width: float, height: float, *, title: str) -> None:
        self.width = width
        self.height = height
        self._title = title
        self._shapes: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, *, colour: str = HAIR, width: float = 1) -> None:
        """A straight line."""
        self._shapes.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width:g}"/>'
        )

    def path(self, points: list[tuple[float, float]], *, colour: str, width: float = 2, dash: str = "") -> None:
        """A line through points."""
        if len(points) < 2:
            return
        steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._shapes.append(
            f'<polyline points="{steps}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
            f'stroke-linejoin="round"{dashed}/>'
        )

    def dot(self, x: float, y: float, *, colour: str, radius: float = 3) -> None:
        """A filled circle."""
        self._shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{colour}"/>')

    def box(self, x: float, y: float, width: float, height: float, *, colour: str) -> None:
        """A filled rectangle."""
        self._shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}"/>'
        )

    def picture(self, x: float, y: float, width: float, height: float, *, jpeg: bytes, faded: bool = False) -> None:
        """A JPEG, within the sheet's own file, as large as it goes into the rectangle; faded as what is masked."""
        within = b64encode(jpeg).decode()
        masked = ' opacity="0.25"' if faded else ""
        self._shapes.append(
            f'<image x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"{masked} '
            f'href="data:image/jpeg;base64,{within}"/>'
        )

    def words(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 12,
        colour: str = INK,
        anchor: str = "start",
        turned: float = 0,
        bold: bool = False,
    ) -> None:
        """Text; ``anchor`` is start, middle or end; ``turned`` in degrees around its own place."""
        turn = f' transform="rotate({turned:g} {x:.1f} {y:.1f})"' if turned else ""
        weight = ' font-weight="600"' if bold else ""
        self._shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" fill="{colour}" '
            f'text-anchor="{anchor}"{weight}{turn}>{escape(text)}</text>'
        )

    def text(self) -> str:
        """The whole SVG."""
        shapes = "\n".join(self._shapes)
        return (
            f'<svg{SVG_NAMESPACE} viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{self.width:g}" height="{self.height:g}" role="img">\n'
            f"<title>{escape(self._title)}</title>\n"
            f'<g style="{_FONT}; font-variant-numeric: tabular-nums">\n{shapes}\n</g>\n</svg>\n'
        )


def on_page(svg: str) -> str:
    """A figure that was drawn on a sheet, within a page of HTML and in its colours.

    >>> sheet = SvgCanvas(9, 9, title="")
    >>> sheet.dot(1, 2, colour=INK)
    >>> on_page(sheet.text()).splitlines()[3]
    '<circle cx="1.0" cy="2.0" r="3" fill="var(--ink)"/>'
    """
    for colour, own in ON_PAGE.items():
        svg = svg.replace(f'"{colour}"', f'"{own}"')
    return svg.replace(SVG_NAMESPACE, "", 1)


def text_width(text: str, size: float = 12) -> float:
    """About how wide text is at most, in pixels: enough to leave room for labels in any system font."""
    return 0.66 * size * len(text)


def shade(share: float, ramp: Sequence[str] = RAMP) -> str:
    """A colour of a ramp for a share in [0, 1], mixed between its steps.

    >>> shade(0), shade(1)
    ('#d9d4cc', '#0d5f57')
    """
    place = min(max(share, 0.0), 1.0) * (len(ramp) - 1)
    low = min(int(place), len(ramp) - 2)
    below, above = _parts(ramp[low]), _parts(ramp[low + 1])
    mixed = [round(a + (b - a) * (place - low)) for a, b in zip(below, above, strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def ink_on(colour: str) -> str:
    """Ink or white, where neither is read well black: the first with a contrast of `LEAST_CONTRAST` to a colour.

    >>> ink_on("#0d5f57"), ink_on("#d9d4cc"), ink_on("#5f998a")
    ('#ffffff', '#2b2a28', '#000000')
    """
    return next(ink for ink in (INK, "#ffffff", "#000000") if contrast(ink, colour) >= LEAST_CONTRAST)


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21. Source: WCAG 2.2, contrast ratio.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    low, high = sorted(map(_luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = (part / 255 for part in _parts(colour))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parts(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0-255, of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
