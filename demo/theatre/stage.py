"""The stage: sets at their size and light, proscenium, curtain, the cards and bubbles with words."""

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from .cast import PLACES
from .foreground import paint_front
from .furniture import DOOR
from .paper import HEIGHT, SCALE, SIZE, WIDTH, PaperPiece, PaperSheet, box, curve, darker, lighter, oval, smooth
from .props import prop_piece
from .scenery import paint_back, paint_door

CREAM, TEAL, DEEP, GOLD = "#f6ecd8", "#12665e", "#0b3f3c", "#d9a441"
Colour = tuple[int, int, int]
LEFT, RIGHT, TOP, BOTTOM = 26.0, 614.0, 22.0, 332.0  # the opening of the proscenium


class Layers:
    """What a frame is drawn of, from the back to the front; equal to another's where nothing has moved between them."""

    def __init__(self, ground: Image.Image) -> None:
        """Args: ground: RGB, of the frame's size."""
        self._ground = ground
        self._laid: list[tuple[Image.Image | Colour, tuple[int, ...], Image.Image | None]] = []

    def paste(self, paint: Image.Image | Colour, where: tuple[int, ...], mask: Image.Image | None = None) -> None:
        """As Pillow's paste. The image stays as it is from now on."""
        self._laid.append((paint, where, mask))

    def __eq__(self, other: object) -> bool:
        # Pieces come from caches: most are compared by being the same object, not by their pixels.
        return isinstance(other, Layers) and (self._ground, self._laid) == (other._ground, other._laid)

    __hash__ = None  # type: ignore[assignment]  # as Python says that something can't be hashed

    def drawn(self) -> Image.Image:
        """The frame, RGB."""
        frame = self._ground.copy()
        for paint, where, mask in self._laid:
            frame.paste(paint, where, mask)  # type: ignore[arg-type]  # `where` has two or four numbers
        return frame


@dataclass(frozen=True)
class Placed:
    """A finished piece of paper and where its top left corner goes, in pixels."""

    image: Image.Image
    x: int
    y: int

    def onto(self, frame: Layers) -> None:
        frame.paste(self.image, (self.x, self.y), self.image)


@cache
def darkness() -> Image.Image:
    """What is behind a closed curtain."""
    return Image.new("RGB", SIZE)


@lru_cache(maxsize=24)
def set_back(place: str, light: str, mirrored: bool) -> Image.Image:
    """The set behind the actors, RGB, at its full size; lit from the middle."""
    if mirrored:
        return set_back(place, light, False).transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    sheet = PaperSheet(WIDTH, HEIGHT, fine=2, ground="#000000")
    paint_back(sheet, PLACES[place], light)
    pixels = np.asarray(sheet.done(edge=False).convert("RGB"), dtype=np.float32)
    tint = {"day": (1.0, 1.0, 1.0), "dusk": (1.0, 0.93, 0.85), "night": (0.80, 0.84, 0.93)}[light]
    y, x = np.mgrid[0 : SIZE[1], 0 : SIZE[0]].astype(np.float32)
    away = ((x / SIZE[0] - 0.5) / 0.62) ** 2 + ((y / SIZE[1] - 0.52) / 0.72) ** 2
    depth = 0.30 if light == "night" else 0.22
    lit = (1.03 - depth * np.clip(away, 0, 1))[..., None] * np.array(tint, dtype=np.float32)
    return Image.fromarray(np.clip(pixels * lit, 0, 255).astype(np.uint8), "RGB")


@lru_cache(maxsize=24)
def set_front(place: str, mirrored: bool) -> Placed:
    """The table and what else stands before the actors."""
    sheet = PaperSheet(WIDTH, HEIGHT, fine=3)
    paint_front(sheet, PLACES[place])
    image = sheet.done(offset=40)
    if mirrored:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    bounds = image.getbbox() or (0, 0, 1, 1)
    return Placed(image.crop(bounds), bounds[0], bounds[1])


@cache
def _leaf(outdoors: bool) -> PaperPiece:
    sheet = PaperSheet(DOOR[2] - DOOR[0] + 8, DOOR[3] - DOOR[1] + 8, 4, DOOR[3] - DOOR[1] + 4, fine=3)
    paint_door(sheet, outdoors)
    return PaperPiece.of(sheet, halo=1.5)


@lru_cache(maxsize=128)
def door_leaf(outdoors: bool, opened: float, mirrored: bool) -> Placed:
    """The door, opened 0-1 (as wide as one still sees of it)."""
    wide = max(0.16, math.cos(opened * math.pi / 2 * 0.9))
    layer = Image.new("RGBA", (round(90 * SCALE), round(190 * SCALE)), (0, 0, 0, 0))
    _leaf(outdoors).lay(layer, 8 * SCALE, 180 * SCALE, 0.0, (wide, 1.0 + 0.03 * opened))
    x = DOOR[0] - 8
    if mirrored:
        layer = layer.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        x = WIDTH - x - 90
    return Placed(layer, round(x * SCALE), round((DOOR[3] - 180) * SCALE))


@lru_cache(maxsize=128)
def turned_prop(noun: str, colour: str, turned: float, mirrored: bool) -> Image.Image:
    """An object that nobody holds, in the middle of its image; turned by so many degrees."""
    layer = Image.new("RGBA", (round(130 * SCALE), round(130 * SCALE)), (0, 0, 0, 0))
    middle = 65 * SCALE
    prop_piece(noun, colour, 0.0).lay(layer, middle, middle, turned)
    return layer.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if mirrored else layer


@cache
def proscenium() -> tuple[Placed, ...]:
    """The frame of the theatre, in four strips, so that the middle need not be drawn."""
    s = PaperSheet(WIDTH, HEIGHT, fine=3)
    for edge, sign in ((LEFT - 8, 1), (RIGHT + 8, -1)):  # side curtains, gathered
        for i, (w, colour) in enumerate(((31, darker(TEAL, 0.22)), (22, TEAL), (13, lighter(TEAL, 0.1)))):
            folds = ((-10, 0), (w + 6, 0), (w + 3, 120), (w - 7, 214), (w - 3 - i, 340), (-10, 340))
            shape = smooth([(edge + sign * x, y) for x, y in folds])
            s.cut(shape, colour, shadow=2.2, drop=(2.0 * sign, 2.0))
        left, right = sorted((edge - sign * 4, edge + sign * 17))
        s.cut(box(left, 209, right, 216, 2), GOLD, shadow=1.2)
    for row, (colour, drop, n) in enumerate(((darker(TEAL, 0.2), 27, 11), (TEAL, 17, 12))):
        width = WIDTH / n
        valance = [(-4.0, -4.0), (WIDTH + 4.0, -4.0)]
        for i in range(n, 0, -1):
            valance += oval(i * width - width / 2, TOP - 8, width / 2, drop, 0, 180)
        s.cut(valance, colour, shadow=3.0)
        for i in range(n):
            rim = oval((i + 0.5) * width, TOP - 8, width / 2 - 2.4, drop - 2.4, 12, 168)
            s.line(rim, 1.3, GOLD if row else darker(GOLD, 0.2))
    for strip in (box(-4, -4, 13, HEIGHT + 4), box(WIDTH - 13, -4, WIDTH + 4, HEIGHT + 4), box(-4, -4, WIDTH + 4, 11)):
        s.cut(strip, DEEP, shadow=2.5)
    for x in (13.0, WIDTH - 13):
        s.line([(x, 10), (x, HEIGHT)], 1.6, GOLD)
    s.line([(13, 11), (WIDTH - 13, 11)], 1.6, GOLD)
    for i in range(9):
        for x in (6.2, WIDTH - 6.2):
            s.cut(curve("0,28 3,34 0,40 -3,34", x, i * 36), darker(GOLD, 0.15))
    s.shade(box(0, BOTTOM - 1, WIDTH, BOTTOM + 3), 3, drop=(0, -2.0), strength=0.5)
    s.cut(box(-4, BOTTOM, WIDTH + 4, HEIGHT + 4), "#7a4f35")
    s.cut(box(-4, BOTTOM, WIDTH + 4, BOTTOM + 4), "#a8754a")
    for i in range(14):
        s.line([(22 + i * 46, BOTTOM + 4), (22 + i * 46, HEIGHT)], 0.8, "#5f3c29")
    for i in range(9):  # footlights, each a shell
        x = 64 + i * 64
        s.cut(curve("-11,12 -10,3 0,-2 10,3 11,12", x, BOTTOM), GOLD, shadow=1.2)
        for k in (-6, 0, 6):
            s.line([(x, BOTTOM + 11), (x + k, BOTTOM + 1.5)], 0.8, darker(GOLD, 0.28))
    s.line([(0, HEIGHT - 8), (WIDTH, HEIGHT - 8)], 1.4, GOLD)
    image = s.done(offset=20)
    w, h = SIZE
    top, side, bottom = round(44 * SCALE), round(56 * SCALE), round((BOTTOM - 16) * SCALE)
    cuts = ((0, 0, w, top), (0, top, side, bottom), (w - side, top, w, bottom), (0, bottom, w, h))
    return tuple(Placed(image.crop(c), c[0], c[1]) for c in cuts)


@cache
def _half_curtain() -> Image.Image:
    s = PaperSheet(WIDTH / 2 + 10, HEIGHT, 0, 0, fine=2, ground=darker(TEAL, 0.1))
    width = (WIDTH / 2 + 10) / 11
    for i in range(11):  # folds
        x = i * width
        for k in range(8):
            share = 0.5 - 0.5 * math.cos(2 * math.pi * (k + 0.5) / 8)
            colour = lighter(TEAL, 0.16 * share) if share > 0.5 else darker(TEAL, 0.42 * (0.5 - share) + 0.05)
            s.cut(box(x + width * k / 8, 0, x + width * (k + 1) / 8 + 0.5, HEIGHT), colour)
    s.cut(box(0, 308, WIDTH, 313), GOLD)
    s.cut(box(0, 316, WIDTH, 318), GOLD)
    for i in range(66):
        s.line([(3 + i * 5, 322), (3 + i * 5, 331)], 1.8, darker(GOLD, 0.1 if i % 2 else 0.25))
    return s.done(edge=False).convert("RGB")


def draw_curtain(frame: Layers, closed: float) -> None:
    """Draws both halves of the curtain over a frame; closed 0-1."""
    if closed <= 0.01:
        return
    half = _half_curtain()
    width = max(2, round(SIZE[0] / 2 * closed + 5))
    thin = half.resize((width, half.height), Image.Resampling.BILINEAR)
    shade = _edge_shade()
    if closed < 0.98:
        frame.paste((30, 16, 10), (width, 0), shade)
        frame.paste((30, 16, 10), (SIZE[0] - width - shade.width, 0), shade.transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    frame.paste(thin, (0, 0))
    frame.paste(thin.transpose(Image.Transpose.FLIP_LEFT_RIGHT), (SIZE[0] - width, 0))


@cache
def _edge_shade() -> Image.Image:
    width = 16
    mask = Image.new("L", (width, SIZE[1]))
    pen = ImageDraw.Draw(mask)
    for x in range(width):
        pen.line((x, 0, x, SIZE[1]), fill=round(110 * (1 - x / width) ** 1.6))
    return mask


def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size * SCALE)


@lru_cache(maxsize=64)
def title_card(line: str, small: str) -> Placed:
    """The card that hangs on the closed curtain."""
    w, h = 250, 88
    s = PaperSheet(w + 20, h + 150, 10, 130, fine=3)
    for x in (40, w - 40):
        s.line([(x, -130), (x, 4)], 1.2, "#e9d8b0")
    s.cut(box(0, 0, w, h, 4), CREAM, shadow=3)
    s.line(box(5, 5, w - 5, h - 5, 3), 1.2, GOLD)
    image = s.done(halo=3.0)
    pen = ImageDraw.Draw(image)
    middle = (10 + w / 2) * SCALE
    pen.text((middle, (130 + 26) * SCALE), small.upper(), font=_font(10.5), fill="#8a6a3c", anchor="mm")
    pen.text((middle, (130 + 52) * SCALE), line, font=_font(25), fill="#0d5f57", anchor="mm")
    return Placed(image, round((SIZE[0] - image.width) / 2), 0)


@lru_cache(maxsize=64)
def bubble(text: str, points_left: bool) -> Placed:
    """A speech bubble; its x and y are where the tip of its tail is in it. "" is chatter, "!" anger."""
    font = _font(17)
    if text in ("", "!"):
        w, h = 54.0, 34.0
    else:
        lines = text.split("\n")
        lengths = [font.getlength(line) / SCALE for line in lines]
        w, h = max(lengths) + 30, 16 + 20.0 * len(lines)
    s = PaperSheet(w + 12, h + 30, 6, 6, fine=3)
    tip = (12.0 if points_left else w - 12, h + 17)
    if text.endswith("!") and len(text) < 10:  # jagged
        turns = [(2 * math.pi * i / 26, 1.0 if i % 2 else 0.86) for i in range(26)]
        shape = [(w / 2 + w / 2 * 1.04 * k * math.cos(a), h / 2 + h / 2 * 1.12 * k * math.sin(a)) for a, k in turns]
    else:
        shape = box(0, 0, w, h, min(h / 2 - 0.1, 15))
    root = tip[0] + (10 if points_left else -10)
    s.cut([(root - 7, h - 6), (root + 7, h - 6), tip], "#fffaf0")
    s.cut(shape, "#fffaf0")
    if text == "":
        s.discs("15,17,3.2 27,17,3.2 39,17,3.2", "#0d5f57")
    elif text == "!":
        s.line([(14, 22), (20, 11), (26, 23), (32, 11), (38, 22)], 2.8, "#b8432f")
    image = s.done(halo=2.0)
    if text not in ("", "!"):
        middle = ((6 + w / 2) * SCALE, (6 + h / 2) * SCALE)
        pen = ImageDraw.Draw(image)
        pen.text(middle, text, "#2c211e", font, anchor="mm", align="center", spacing=3)
    return Placed(image, round((6 + tip[0]) * SCALE), round((6 + tip[1]) * SCALE))


@lru_cache(maxsize=32)
def note(kind: int, alpha: float) -> Image.Image:
    """A note of music cut from paper, fading."""
    s = PaperSheet(26, 30, 4, 4, fine=3)
    colour = ("#0d5f57", "#b4553a", "#d9a441")[kind % 3]
    s.line([(8, 19), (8, 2)], 2.0, colour)
    if kind % 2:
        s.line([(18, 17), (18, 0)], 2.0, colour)
        s.line([(8, 2.5), (18, 0.5)], 3.4, colour)
        s.cut(oval(15, 18, 4, 3), colour)
    else:
        s.line([(8, 2), (14, 8), (13, 12)], 2.2, colour)
    s.cut(oval(5, 20, 4, 3), colour)
    image = s.done(halo=1.2)
    image.putalpha(image.getchannel("A").point([round(v * alpha) for v in range(256)]))
    return image


@lru_cache(maxsize=32)
def steam(alpha: float) -> Image.Image:
    image = Image.new("L", (12, 12), 0)
    ImageDraw.Draw(image).ellipse((2, 2, 9, 9), fill=round(150 * alpha))
    return image.filter(ImageFilter.GaussianBlur(1.6))
