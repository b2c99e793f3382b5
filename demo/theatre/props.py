"""Paper objects. Each is drawn around the point where a hand holds it, for somebody who faces right."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

from .cast import COLOURS
from .paper import PaperPiece, PaperSheet, Point, box, curve, darker, lighter, oval, points, smooth

CREAM = "#f6ecd8"
INK = "#8d8272"


@cache
def prop_piece(noun: str, colour: str, spread: float) -> PaperPiece:
    """The paper for an object, folded (spread 0) or open (1)."""
    sheet = PaperSheet(150, 150, 75, 100 if noun == "umbrella" else 75, zoom=1.3)
    _DRAW[noun](sheet, COLOURS[colour], spread)
    piece = PaperPiece.of(sheet, halo=1.4, offset=len(noun) * 9)
    box_ = piece.image.getbbox() or (0, 0, 1, 1)
    image = piece.image.crop(box_)
    return PaperPiece(image, image.convert("RGBa"), (piece.pivot[0] - box_[0], piece.pivot[1] - box_[1]))


def _book(s: PaperSheet, c: str, spread: float) -> None:
    if spread > 0.5:
        s.cut([(-4, 8), (9, 12), (9, -20), (-4, -25)], c)
        s.cut([(9, 12), (24, 7), (24, -26), (9, -20)], darker(c, 0.12))
        s.cut([(-2, 6), (9, 9.5), (9, -20), (-2, -24)], CREAM)
        s.cut([(9, 9.5), (22, 5), (22, -25), (9, -20)], darker(CREAM, 0.07))
        for i in range(5):
            y = -18 + i * 5
            s.line([(0.5, y - 2), (7, y)], 0.8, INK)
            s.line([(11, y), (20, y - 3)], 0.8, INK)
    else:
        s.cut(box(-9, -18, 12, 10, 1.2), darker(c, 0.3))
        s.cut([(-7, -17), (11, -17), (11, 9), (-7, 9)], CREAM)
        s.cut(box(-10, -19, 10, 8, 1.2), c)
        s.line([(-7, -18), (-7, 7)], 1.2, darker(c, 0.22))
        s.cut(box(-4, -13, 7, -5, 0.8), CREAM)
        s.line([(-2, -9), (5, -9)], 1.0, INK)


def _letter(s: PaperSheet, c: str, spread: float) -> None:
    if spread > 0.5:
        s.cut([(-4, 10), (18, 8), (17, -22), (-5, -20)], c)
        for i in range(6):
            s.line([(-1, -14 + i * 3.6), (14 - (i % 3) * 3, -15 + i * 3.6)], 0.9, INK)
    else:
        s.cut(box(-12, -9, 14, 8), c)
        s.line([(-12, -9), (1, 1), (14, -9)], 0.9, darker(c, 0.28))
        s.cut(oval(1, 0.4, 2.8), "#b8432f")
        s.line([(-12, 8), (-3, -1)], 0.6, darker(c, 0.2))
        s.line([(14, 8), (5, -1)], 0.6, darker(c, 0.2))


def _newspaper(s: PaperSheet, c: str, spread: float) -> None:
    if spread > 0.5:
        s.cut([(-14, 14), (8, 17), (8, -20), (-14, -24)], c)
        s.cut([(8, 17), (30, 13), (30, -25), (8, -20)], darker(c, 0.08))
        s.line([(-11, -18), (5, -15)], 2.4, "#5b5148")
        s.line([(11, -15), (27, -19)], 2.4, "#5b5148")
        for i in range(6):
            s.line([(-11, -11 + i * 4), (-3, -10 + i * 4)], 0.9, INK)
            s.line([(-1, -9.5 + i * 4), (5, -8.5 + i * 4)], 0.9, INK)
            s.line([(11, -9 + i * 4), (27, -12 + i * 4)], 0.9, INK)
        s.cut([(-10, 2), (-3, 3), (-3, 10), (-10, 9)], "#9b9184")
    else:
        s.cut(box(-9, -20, 12, 12), darker(c, 0.15))
        s.cut(box(-10, -21, 10, 11), c)
        s.line([(-7, -17), (7, -17)], 2.6, "#5b5148")
        s.cut(box(-7, -12, 0, -4), "#9b9184")
        for i in range(6):
            s.line([(2 if i < 3 else -7, -11 + i * 3.4), (7, -11 + i * 3.4)], 0.9, INK)


def _cup(s: PaperSheet, c: str, _spread: float) -> None:
    s.line(oval(8.5, -0.5, 4, 4, -90, 90), 1.9, darker(c, 0.1))
    s.cut(curve("-8,-7 8,-7 7,2 4,6.5 -4,6.5 -7,2"), c)
    s.cut(oval(0, -7, 8, 2), darker(c, 0.18))
    s.cut(oval(0, -6.8, 6.4, 1.3), "#8c5630")
    s.cut(box(-6.8, -1.5, 6.8, 0.3), lighter(c, 0.55) if c != COLOURS["white"] else "#3f8f80")


def _teapot(s: PaperSheet, c: str, _spread: float) -> None:
    s.line(oval(-1, -3, 7.5, 8, 90, 270), 2.6, darker(c, 0.15))
    s.cut(curve("24,-2 30,-10 34,-15 37,-13 33,-5 26,6"), darker(c, 0.08))
    s.cut(oval(14, -2, 14, 11.5), c)
    s.cut(box(5, 6.5, 23, 9.5, 1.5), darker(c, 0.2))
    s.cut(oval(14, -12.4, 7.5, 2.6), lighter(c, 0.18))
    s.cut(oval(14, -16, 2.3), lighter(c, 0.3))
    s.cut(curve("8,1 14,-5 20,1 14,5"), lighter(c, 0.45))
    s.cut(oval(14, 0.3, 2), c)


def _umbrella(s: PaperSheet, c: str, spread: float) -> None:
    wood = "#6e4a35"
    s.line([(0, 8), (0, -64)], 1.9, wood)
    s.line([(0, 8), (0.5, 12), (4, 14), (7, 11)], 2.2, wood)
    if spread < 0.15:
        s.cut(curve("-4,-12 4,-12 2.2,-54 0,-60 -2.2,-54"), c)
        s.line([(-3, -26), (3, -28)], 1.2, darker(c, 0.3))
        return
    w = 10 + 44 * min(1.1, spread)
    y = -58.0
    edge = [(w * (i / 4 - 1), y + 22) for i in range(9)]
    angles = [math.radians(a) for a in range(180, 361, 6)]
    shape = [(w * math.cos(a), y + 22 + 30 * math.sin(a)) for a in angles]
    scallop = [
        point
        for (left, _), (right, low) in reversed(list(pairwise(edge)))
        for point in ((right, low), ((right + left) / 2, low - 5))
    ]
    s.cut(shape + scallop, c)
    for i in (1, 3, 5):
        left, right = edge[i][0], edge[i + 1][0]
        rim = [(left, y + 20), ((left + right) / 2, y + 17), (right, y + 20)]
        s.cut([(0, y - 8), (left * 0.66, y - 2), *rim, (right * 0.66, y - 2)], darker(c, 0.1), within=shape)
    s.line([(0, y - 7), (0, y - 13)], 1.8, wood)


def _basket(s: PaperSheet, c: str, _spread: float) -> None:
    for x, y, r, k in ((-9, -13, 8, CREAM), (2, -16, 9, "#b9cfc6"), (12, -13, 7, "#e0a3a0")):
        s.cut(oval(x, y, r, r * 0.8), k)
    wicker = points("-21,-11 21,-11 17,14 -17,14")
    s.cut(wicker, c)
    for row in range(4):
        for x in range(-13 if row % 2 == 0 else -18, 22, 10):
            s.cut(box(x, -8 + row * 5.5, x + 4.6, -4 + row * 5.5, 1), lighter(c, 0.25), within=wicker)
    s.cut(box(-23, -13, 23, -8.5, 2), darker(c, 0.2))


def _box(s: PaperSheet, c: str, _spread: float) -> None:
    ribbon = CREAM if c == COLOURS["red"] else "#e2b044"
    s.cut(box(-17, -8, 17, 14), c)
    s.cut(box(-19, -13, 19, -6, 0.8), darker(c, 0.1))
    s.cut(box(-3, -13, 3, 14), ribbon)
    s.cut(curve("0,-13 -11,-22 -13,-14"), ribbon)
    s.cut(curve("0,-13 11,-22 13,-14"), darker(ribbon, 0.08))
    s.cut(oval(0, -14, 2.8), darker(ribbon, 0.15))


def _suitcase(s: PaperSheet, c: str, _spread: float) -> None:
    s.line([(-6, 6), (-5, 0), (5, 0), (6, 6)], 2.4, darker(c, 0.35))
    s.cut(box(-24, 5, 24, 34, 3), c)
    for x in (-15, 12):
        s.cut(box(x, 5, x + 3.4, 34), darker(c, 0.25))
        s.cut(box(x - 0.4, 13, x + 3.8, 17), "#d9b25a")
    s.cut(box(-8, 20, 5, 28, 0.6), CREAM)
    s.line([(-6, 24), (3, 24)], 0.9, INK)


def _hat(s: PaperSheet, c: str, _spread: float) -> None:
    if c == COLOURS["black"]:
        s.cut(curve("-14,1 -14,-14 -9,-20 9,-20 14,-14 14,1"), c)
        s.cut(box(-14.2, -6, 14.2, -1), "#b8432f")
        s.cut(curve("-22,-2 -12,0 12,0 22,-2 20,4 0,5.5 -20,4"), lighter(c, 0.08))
    else:
        s.cut(curve("-14,1 -12,-14 -4,-18 2,-15 9,-18 14,-12 15,1"), c)
        s.cut(box(-14.4, -6, 15, -1.5), darker(c, 0.35))
        s.cut(curve("8,-5 17,-20 13,-5"), "#e2b044")
        s.cut(curve("-21,0 -10,0 12,0 23,-3 19,4 0,5 -18,4"), darker(c, 0.1))


def _phone(s: PaperSheet, c: str, _spread: float) -> None:
    s.line(oval(-5, -7, 12, 15, -65, 65), 4.6, lighter(c, 0.1))
    s.cut(curve("-3,-25 5,-21 2,-14 -6,-17"), c)
    s.cut(curve("-6,3 2,0 5,7 -3,11"), c)


def _flowers(s: PaperSheet, c: str, _spread: float) -> None:
    leaf = "#5d8a5a"
    for x, y in ((-11, -20), (0, -25), (11, -21), (-5, -14), (7, -13)):
        s.line([(0, 6), (x, y)], 1.4, leaf)
    s.cut(curve("-3,-4 -16,-12 -8,-2"), leaf)
    s.cut(curve("3,-4 17,-13 8,-2"), darker(leaf, 0.12))
    for i, (x, y) in enumerate(((-11, -21), (0, -27), (12, -22), (-5, -14), (7, -14))):
        tone = c if i % 2 == 0 else lighter(c, 0.3)
        for a in (math.radians(turn + i * 20) for turn in range(0, 360, 72)):
            s.cut(oval(x + 3.4 * math.cos(a), y + 3.4 * math.sin(a), 3.2), tone)
        s.cut(oval(x, y, 2.2), "#7a4a2c" if c == COLOURS["yellow"] else "#f0cf73")
    wrapping = points("-10,-7 10,-7 3,16 -3,16")
    s.cut(wrapping, CREAM)
    s.cut([(2, -7), (10, -7), (3, 16), (0, 16)], darker(CREAM, 0.1))
    s.cut(box(-6, 2, 6, 5), "#3f8f80", within=wrapping)


def _cake(s: PaperSheet, c: str, _spread: float) -> None:
    for x in (-8, 0, 8):
        s.line([(x, -14), (x, -21)], 1.7, "#3f8f80")
        s.cut(curve("-1.6,-23 0,-27.5 1.6,-23 0,-21.5", x, 0), "#f0b23f")
    s.cut(box(-15, -14, 15, 3, 2), "#b9774a")
    s.cut(box(-15, -6, 15, -3.6), CREAM)
    s.cut(curve("-16,-15 16,-15 16,-9 11,-6.5 7,-10 2,-6 -4,-10 -9,-6 -16,-9"), c)
    s.cut(curve("-22,2 22,2 17,6 -17,6"), "#f7f0e2")


def _apple(s: PaperSheet, c: str, _spread: float) -> None:
    s.cut(curve("0,-6 5,-8.5 9,-4 7,4 3,7 0,6 -3,7 -7,4 -9,-4 -5,-8.5"), c)
    s.line([(0, -6), (1.4, -11)], 1.5, "#5a3b2c")
    s.cut(curve("1,-9 7,-13 7,-8.5"), "#5d8a5a")
    s.cut(oval(-4, -3, 1.6, 2.6), lighter(c, 0.5))


def _ball(s: PaperSheet, c: str, _spread: float) -> None:
    whole = oval(0, 0, 10)
    s.cut(whole, c)
    s.cut(curve("-11,-3 0,-6 11,-3 11,2 0,-1 -11,2"), CREAM, within=whole)
    s.cut(oval(-3.6, -6, 2, 1.3), lighter(c, 0.5))


def _guitar(s: PaperSheet, c: str, spread: float) -> None:
    cos, sin = math.cos(math.radians(-24)), math.sin(math.radians(-24))

    def place(shape: Sequence[Point]) -> list[Point]:
        if spread > 0.5:  # before the chest, the neck up
            return [(x * cos - y * sin, x * sin + y * cos) for x, y in shape]
        return [(-y, 34 - x) for x, y in shape]  # hangs from the hand, body down

    s.line(place([(8, 0), (46, 0)]), 4.2, darker(c, 0.4))
    s.cut(place(box(43, -4, 54, 4, 1.5)), darker(c, 0.5))
    body = points("16,-9 10,-13 2,-10 -8,-16 -20,-13 -24,0 -20,13 -8,16 2,10 10,13 16,9 17,0")
    s.cut(smooth(place(body)), c)
    top = points("13,-6 8,-9 1,-7 -8,-12 -17,-10 -20,0 -17,10 -8,12 1,7 8,9 13,6")
    s.cut(smooth(place(top)), lighter(c, 0.3))
    s.cut(place(oval(3, 0, 4.6)), darker(c, 0.55))
    s.line(place([(-13, -5), (-13, 5)]), 2.0, darker(c, 0.5))
    for y in (-1.2, 0, 1.2):
        s.line(place([(-13, y), (44, y)]), 0.4, CREAM)


_DRAW: dict[str, Callable[[PaperSheet, str, float], None]] = {
    "book": _book, "letter": _letter, "newspaper": _newspaper, "cup": _cup, "teapot": _teapot,
    "umbrella": _umbrella, "basket": _basket, "box": _box, "suitcase": _suitcase, "hat": _hat,
    "phone": _phone, "flowers": _flowers, "cake": _cake, "apple": _apple, "ball": _ball, "guitar": _guitar,
}  # fmt: skip
