"""A figure's file, in the colours of the page that shows it."""

from django.utils.safestring import SafeString, mark_safe

from evaluation.figures.svg import HAIR, INK, QUIET, RAMP

ON_PAGE = {INK: "var(--ink)", QUIET: "var(--soft)", HAIR: "var(--hair)"} | {
    colour: f"var(--grade-{step})" for step, colour in enumerate(RAMP)
}
"""The colours of a figure's file -> a page's own, light or dark."""


def on_page(svg: str) -> SafeString:
    """A figure that `evaluation.figures` has drawn, whose sheet escapes all words, in the page's colours."""
    for colour, own in ON_PAGE.items():
        svg = svg.replace(f'"{colour}"', f'"{own}"')
    return mark_safe(svg)
