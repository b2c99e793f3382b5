"""Colours of figures: fixed in files, from the page's theme on pages."""

from dataclasses import dataclass, replace

from annotation.grade_colours import Colour, between, css
from annotation.scale import scale_of
from evaluation.figures import svg
from foundation.models import Collection

LIGHT = svg.RAMP
STEPS = len(LIGHT) - 1
KINDS = (
    *("#4e79a7", "#f28e2b", "#c85a5c", "#4fa39a", "#59a14f", "#b8961f", "#a06c9a", "#e0788c", "#9c755f", "#7d8790"),
)
"""Ten colours for what has no order, such as queries; each is legible on white and on the dark page."""


@dataclass(frozen=True, slots=True)
class Inks:
    """Colours by what they are for; `on_page` takes them from the stylesheet's custom properties."""

    ink: str
    quiet: str
    hair: str
    strong: str
    on_page: bool
    own: tuple[Colour, ...] = ()
    """A collection's own colours of its grades, upwards."""

    @classmethod
    def of(cls, collection: Collection, *, on_page: bool) -> "Inks":
        """The page's or a file's, with the collection's own colours."""
        scale = scale_of(collection)
        return replace(PAGE if on_page else PAPER, own=scale.ramp if scale.colours else ())

    def grade(self, grade: int, top_grade: int = STEPS) -> str:
        """A grade's colour on the ramp; a shorter scale is spread over the whole ramp."""
        share = grade / top_grade if top_grade else 1.0
        if not self.own:
            return self.shade(share)
        colour = between(self.own, share)
        return css(colour) if self.on_page else colour[0]

    def shade(self, share: float) -> str:
        """A colour of the ramp for a share in [0, 1], mixed between its steps."""
        if not self.on_page:
            return svg.shade(share)
        place = min(max(share, 0.0), 1.0) * STEPS
        low = min(int(place), STEPS - 1)
        part = round(100 * (place - low))
        if part in (0, 100):
            return f"var(--grade-{low + (part == 100)})"
        return f"color-mix(in srgb, var(--grade-{low + 1}) {part}%, var(--grade-{low}))"

    def kind(self, place: int) -> str:
        """The colour of the `place`-th of some things that have no order; after ten they begin again."""
        return KINDS[place % len(KINDS)]

    def on(self, share: float) -> str:
        """A readable text colour on `shade(share)`."""
        if not self.on_page:
            return svg.ink_on(svg.shade(share))
        return f"var(--on-{round(min(max(share, 0.0), 1.0) * STEPS)})"


PAPER = Inks(ink=svg.INK, quiet=svg.QUIET, hair=svg.HAIR, strong=LIGHT[-1], on_page=False)
PAGE = Inks(ink="var(--ink)", quiet="var(--soft)", hair="var(--hair)", strong="var(--grade-4)", on_page=True)
