"""Cut paper: shapes drawn large, reduced to smooth edges, with grain, a lit edge and soft shadows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

Point = tuple[float, float]

WIDTH, HEIGHT = 640, 360  # the stage in stage units
SCALE = 1.2  # pixels a unit
SIZE = (round(WIDTH * SCALE), round(HEIGHT * SCALE))
"""Of a picture; `draw_small` makes both half as large."""
SHADE = (58, 34, 22)  # the colour of shadows: warm, never black


def draw_small() -> None:
    """Half the pixels each way, in this process. Before what draws is imported: it takes both from here by name."""
    global SCALE, SIZE
    SCALE, SIZE = SCALE / 2, (SIZE[0] // 2, SIZE[1] // 2)


def rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(colour: str, other: str, share: float) -> str:
    """The colour between two, `share` of the way from the first to the second."""
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(rgb(colour), rgb(other), strict=True))


def darker(colour: str, share: float = 0.2) -> str:
    return mixed(colour, "#2a1a14", share)


def lighter(colour: str, share: float = 0.2) -> str:
    return mixed(colour, "#fff6e4", share)


def smooth(shape: Sequence[Point], closed: bool = True) -> list[Point]:
    """A Catmull-Rom curve through the points, in six steps between two of them."""
    around = [shape[-1], *shape, *shape[:2]] if closed else [shape[0], *shape, shape[-1]]
    line: list[Point] = []
    for corners in zip(around, around[1:], around[2:], around[3:], strict=False):
        for t in (step / 6 for step in range(6)):
            x, y = (
                0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - u) * t * t + (3 * q - p - 3 * r + u) * t**3)
                for p, q, r, u in zip(*corners, strict=True)
            )
            line.append((x, y))
    return line if closed else [*line, shape[-1]]


def points(text: str, x: float = 0, y: float = 0, wide: float = 1, high: float | None = None) -> list[Point]:
    """Points written as in SVG ("0,0 4,-2"), made `wide` and `high` times as large and moved to (x, y)."""
    pairs = (pair.split(",") for pair in text.split())
    return [(x + wide * float(px), y + (wide if high is None else high) * float(py)) for px, py in pairs]


def curve(text: str, x: float = 0, y: float = 0, wide: float = 1, high: float | None = None) -> list[Point]:
    """The closed curve through such points."""
    return smooth(points(text, x, y, wide, high))


def oval(cx: float, cy: float, rx: float, ry: float | None = None, start: float = 0, end: float = 360) -> list[Point]:
    """Points of an ellipse, or of its part from one angle to another (degrees, clockwise from the right)."""
    ry = rx if ry is None else ry
    n = max(12, int((rx + ry) * 1.5))
    angles = (math.radians(start + (end - start) * i / n) for i in range(n + 1))
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


def box(x0: float, y0: float, x1: float, y1: float, r: float = 0.0) -> list[Point]:
    """Points of a rectangle with corners of radius r."""
    if r <= 0:
        return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    points: list[Point] = []
    for cx, cy, start in (
        (x1 - r, y0 + r, -90),
        (x1 - r, y1 - r, 0),
        (x0 + r, y1 - r, 90),
        (x0 + r, y0 + r, 180),
    ):
        points += oval(cx, cy, r, r, start, start + 90)
    return points


@cache
def _grain() -> np.ndarray:
    """Paper texture: soft blotches and fine fibres, values around 0."""
    lots = np.random.RandomState(12)
    size = (SIZE[1] + 260, SIZE[0] + 260)
    fine = Image.fromarray(lots.randint(0, 256, size, dtype=np.uint8)).filter(ImageFilter.GaussianBlur(0.8))
    wide = Image.fromarray(lots.randint(0, 256, size, dtype=np.uint8)).filter(ImageFilter.GaussianBlur(5))
    fine_part = (np.asarray(fine, dtype=np.float32) - 127.5) / 127.5
    wide_part = (np.asarray(wide, dtype=np.float32) - 127.5) / 127.5
    return (0.028 * fine_part + 0.36 * wide_part).astype(np.float32)


class PaperSheet:
    """A sheet of paper work, `width` x `height` units, with the origin at (`ox`, `oy`)."""

    def __init__(self, width: float, height: float, ox: float = 0, oy: float = 0, *, fine: int = 4,
                 zoom: float = 1.0, ground: str | None = None) -> None:  # fmt: skip
        self.unit = SCALE * fine * zoom
        self.fine = fine
        self.ox, self.oy = ox, oy
        self.pixels = (math.ceil(width * SCALE * zoom), math.ceil(height * SCALE * zoom))
        colour = (*rgb(ground), 255) if ground else (0, 0, 0, 0)
        self.image = Image.new("RGBA", (self.pixels[0] * fine, self.pixels[1] * fine), colour)

    def _at(self, points: Sequence[Point]) -> list[Point]:
        return [((x + self.ox) * self.unit, (y + self.oy) * self.unit) for x, y in points]

    def cut(self, points: Sequence[Point], colour: str, *, shadow: float = 0.0, alpha: float = 1.0,
            within: Sequence[Point] | None = None, drop: Point = (2.0, 2.5)) -> None:  # fmt: skip
        """Lays a piece of paper of that shape; `shadow` is the softness of what it casts, in units."""
        spots = self._at(points)
        if shadow:
            self.shade(points, shadow, drop=drop)
        if alpha >= 1 and within is None:
            ImageDraw.Draw(self.image).polygon(spots, fill=(*rgb(colour), 255))
            return
        x0, y0, x1, y1 = self._bounds(spots, 2)
        if x1 <= x0 or y1 <= y0:
            return
        mask = Image.new("L", (x1 - x0, y1 - y0), 0)
        ImageDraw.Draw(mask).polygon([(x - x0, y - y0) for x, y in spots], fill=round(255 * alpha))
        if within is not None:
            limit = Image.new("L", mask.size, 0)
            ImageDraw.Draw(limit).polygon([(x - x0, y - y0) for x, y in self._at(within)], fill=255)
            mask = ImageChops.multiply(mask, limit)
        paint = Image.new("RGBA", mask.size, (*rgb(colour), 255))
        paint.putalpha(mask)
        self.image.alpha_composite(paint, (x0, y0))

    def discs(self, places: str, colour: str) -> None:
        """Round pieces, each "x,y,radius"."""
        for place in places.split():
            self.cut(oval(*map(float, place.split(","))), colour)

    def shade(self, points: Sequence[Point], soft: float, *, drop: Point = (2.0, 2.5), strength: float = 0.34) -> None:
        """The soft shadow that a shape casts on what lies beneath."""
        spots = self._at([(x + drop[0], y + drop[1]) for x, y in points])
        x0, y0, x1, y1 = self._bounds(spots, soft * self.unit * 2.5)
        if x1 <= x0 or y1 <= y0:
            return
        small = self.fine
        size = (math.ceil((x1 - x0) / small), math.ceil((y1 - y0) / small))
        mask = Image.new("L", size, 0)
        ImageDraw.Draw(mask).polygon([((x - x0) / small, (y - y0) / small) for x, y in spots],
                                     fill=round(255 * strength))  # fmt: skip
        mask = mask.filter(ImageFilter.GaussianBlur(soft * self.unit / small))
        mask = mask.resize((x1 - x0, y1 - y0), Image.Resampling.BILINEAR)
        paint = Image.new("RGBA", mask.size, (*SHADE, 255))
        paint.putalpha(mask)
        self.image.alpha_composite(paint, (x0, y0))

    def line(self, points: Sequence[Point], width: float, colour: str, *, shadow: float = 0.0) -> None:
        """A strip of paper along a path, with round ends."""
        if shadow:
            for i in range(len(points) - 1):
                (ax, ay), (bx, by) = points[i], points[i + 1]
                length = math.hypot(bx - ax, by - ay) or 1
                nx, ny = -(by - ay) / length * width / 2, (bx - ax) / length * width / 2
                self.shade([(ax + nx, ay + ny), (bx + nx, by + ny), (bx - nx, by - ny), (ax - nx, ay - ny)], shadow)
        spots = self._at(points)
        pen = ImageDraw.Draw(self.image)
        pen.line(spots, fill=(*rgb(colour), 255), width=max(1, round(width * self.unit)), joint="curve")
        r = width * self.unit / 2
        for x, y in (spots[0], spots[-1]):
            pen.ellipse((x - r, y - r, x + r, y + r), fill=(*rgb(colour), 255))

    def _bounds(self, spots: Sequence[Point], margin: float) -> tuple[int, int, int, int]:
        xs, ys = [x for x, _ in spots], [y for _, y in spots]
        return (
            max(0, math.floor(min(xs) - margin)),
            max(0, math.floor(min(ys) - margin)),
            min(self.image.width, math.ceil(max(xs) + margin)),
            min(self.image.height, math.ceil(max(ys) + margin)),
        )

    def done(self, *, halo: float = 0.0, edge: bool = True, offset: int = 0) -> Image.Image:
        """The finished piece at its true size: grain, a lit edge, and a halo of shade around it."""
        small = self.image.reduce(self.fine)
        pixels = np.array(small, dtype=np.float32)
        tone = _grain()[offset : offset + small.height, offset : offset + small.width, None]
        pixels[..., :3] *= 1.0 + tone
        if edge:
            alpha = pixels[..., 3]
            lit = np.clip(alpha[1:, 1:] - alpha[:-1, :-1], 0, 255) / 255
            dark = np.clip(alpha[:-1, :-1] - alpha[1:, 1:], 0, 255) / 255
            pixels[1:, 1:, :3] += (255 - pixels[1:, 1:, :3]) * (0.38 * lit[..., None])
            pixels[:-1, :-1, :3] *= 1 - 0.28 * dark[..., None]
        image = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8), "RGBA")
        if halo:
            mask = image.getchannel("A").filter(ImageFilter.GaussianBlur(halo))
            ground = Image.new("RGBA", image.size, (*SHADE, 255))
            ground.putalpha(mask.point(lambda v: round(v * 0.42)))
            ground.alpha_composite(image)
            return ground
        return image


@dataclass(frozen=True, eq=False)
class PaperPiece:
    """A finished piece that can be turned about its pivot (in pixels of the image); equal to itself alone."""

    image: Image.Image
    soft: Image.Image  # with premultiplied alpha, for turning
    pivot: Point

    @classmethod
    def of(cls, sheet: PaperSheet, *, halo: float = 1.6, offset: int = 0) -> "PaperPiece":
        """A piece whose pivot is the sheet's (0, 0)."""
        image = sheet.done(halo=halo, offset=offset)
        unit = sheet.unit / sheet.fine
        return cls(image, image.convert("RGBa"), (sheet.ox * unit, sheet.oy * unit))

    def lay(self, ground: Image.Image, x: float, y: float, degrees: float = 0.0, stretch: Point = (1.0, 1.0)) -> None:
        """Lays the piece on an RGBA image with its pivot at (x, y), turned clockwise, stretched."""
        laid = self._turned(ground.size, x, y, degrees, stretch)
        if laid is not None:
            ground.alpha_composite(*laid)

    @lru_cache(maxsize=1000)  # noqa: B019 - pieces are kept as long as the process draws
    def _turned(self, size: tuple[int, int], x: float, y: float, degrees: float,
                stretch: Point) -> tuple[Image.Image, tuple[int, int]] | None:  # fmt: skip
        """What of it lies within an image of that size, and where; None: nothing. Two of three are asked for again."""
        a = math.radians(degrees)
        cos, sin = math.cos(a), math.sin(a)
        sx, sy = stretch
        px, py = self.pivot
        w, h = self.image.size
        corners = [((cx - px) * sx, (cy - py) * sy) for cx in (0, w) for cy in (0, h)]
        xs = [x + cos * cx - sin * cy for cx, cy in corners]
        ys = [y + sin * cx + cos * cy for cx, cy in corners]
        x0, y0 = max(0, math.floor(min(xs))), max(0, math.floor(min(ys)))
        x1, y1 = min(size[0], math.ceil(max(xs))), min(size[1], math.ceil(max(ys)))
        if x1 <= x0 or y1 <= y0:
            return None
        dx, dy = x0 - x, y0 - y
        matrix = (cos / sx, sin / sx, (cos * dx + sin * dy) / sx + px, -sin / sy, cos / sy,
                  (-sin * dx + cos * dy) / sy + py)  # fmt: skip
        turned = self.soft.transform((x1 - x0, y1 - y0), Image.Transform.AFFINE, matrix, Image.Resampling.BILINEAR)
        return turned.convert("RGBA"), (x0, y0)
