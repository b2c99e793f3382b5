"""Furniture and other things that sets are made of, cut from paper."""

import math
import random

from .cast import DOOR_X, FLOOR, StageSet
from .paper import PaperSheet, Point, box, curve, darker, lighter, oval, points, smooth

CREAM, WOOD, DARK_WOOD, TEAL, GOLD = "#f6ecd8", "#a8754a", "#6e4a35", "#0d5f57", "#d9a441"
HORIZON = 264.0  # where the back wall meets the floor
DOOR = (DOOR_X - 29, 104.0, DOOR_X + 29, HORIZON + 4)  # the doorway, in stage units
SKY = {
    "day": ("#cfe3dd", "#f6ead0", "#f3c65f"),
    "dusk": ("#e9b48a", "#f4dcae", "#e0704a"),
    "night": ("#2f4858", "#5b7480", "#f3e8c8"),
}


def wall(s: PaperSheet, colour: str, floor: str, skirting: str) -> None:
    s.cut(box(0, 0, 640, HORIZON + 2), colour)
    s.cut(box(0, HORIZON, 640, 360), floor)
    for i in range(-8, 20):  # boards that run toward the audience
        x = 320 + i * 46
        s.line([(320 + (x - 320) * 0.72, HORIZON), (320 + (x - 320) * 1.32, 360)], 0.9, darker(floor, 0.16))
    s.shade(box(0, HORIZON - 1, 640, HORIZON + 3), 4, strength=0.5)
    s.cut(box(0, HORIZON - 9, 640, HORIZON + 1), skirting)
    s.cut(box(0, HORIZON - 9, 640, HORIZON - 7.5), lighter(skirting, 0.3))


def doorway(s: PaperSheet, *, outdoors: bool, light: str) -> None:
    x0, y0, x1, y1 = DOOR
    frame = CREAM if not outdoors else "#e8d6b4"
    s.cut(box(x0 - 8, y0 - 8, x1 + 8, y1), frame, shadow=2.5)
    inside = {"day": "#f3d68f", "dusk": "#edbd78", "night": "#e9b765"}[light]
    s.cut(box(x0, y0, x1, y1), darker(inside, 0.12))
    s.cut([(x0, y1), (x1, y1), (x1 - 9, y1 - 20), (x0 + 9, y1 - 20)], darker(inside, 0.3))
    s.cut(box(x0 + 9, y0 + 8, x1 - 9, y1 - 20), inside)
    s.cut(curve("22,150 36,150 34,176 24,176", x0, 0), darker(inside, 0.25))


def window(s: PaperSheet, x: float, y: float, w: float, h: float, light: str, *, curtain: str | None = None,
           bars: int = 1, town: bool = False) -> None:  # fmt: skip
    top, bottom, sun = SKY[light]
    s.cut(box(x - 6, y - 6, x + w + 6, y + h + 6), CREAM, shadow=2.5)
    pane = box(x, y, x + w, y + h)
    s.cut(pane, top)
    s.cut(box(x, y + h * 0.45, x + w, y + h), bottom, alpha=0.8)
    s.cut(oval(x + w * 0.68, y + h * 0.32, h * 0.13), sun, within=pane)
    far, near = ("#9dbfae", "#6f9d88") if light != "night" else ("#40626a", "#2c4a50")
    if town:
        for i, (dx, dh) in enumerate(((0.0, 0.4), (0.16, 0.52), (0.36, 0.34), (0.52, 0.46), (0.74, 0.58))):
            left = x + w * dx
            s.cut(box(left, y + h * (1 - dh), left + w * 0.24, y + h), far if i % 2 else near, within=pane)
    else:
        ground = y + h + 4
        for colour, hills, edge, rim in ((far, ".3,.58 .7,.76", 0.72, 0.66), (near, ".4,.8 .8,.9", 0.86, 0.82)):
            west, east = [(x - 4, ground), (x - 4, y + h * edge)], [(x + w + 4, y + h * rim), (x + w + 4, ground)]
            s.cut(smooth([*west, *points(hills, x, y, w, h), *east]), colour, within=pane)
    s.shade([(x, y), (x + w, y), (x + w, y + 3), (x, y + 3)], 1.5, strength=0.5)
    for i in range(1, bars + 1):
        s.cut(box(x + w * i / (bars + 1) - 1.6, y, x + w * i / (bars + 1) + 1.6, y + h), CREAM)
    s.cut(box(x, y + h * 0.48 - 1.6, x + w, y + h * 0.48 + 1.6), CREAM)
    s.cut(box(x - 11, y + h + 5, x + w + 11, y + h + 12), lighter(CREAM, 0.2), shadow=1.5)
    if curtain:
        s.cut(box(x - 22, y - 16, x + w + 22, y - 12, 2), DARK_WOOD)
        for side in (-1, 1):
            edge = x - 20 if side < 0 else x + w + 20
            rail, tie, hem = y - 13, y + h * 0.62, y + h + 16
            inner = [(36.0, rail), (35.0, y + h * 0.14), (29.0, y + h * 0.36), (18.0, y + h * 0.53),
                     (10.0, tie), (15.0, tie + 9), (19.0, y + h * 0.84), (21.0, hem)]  # fmt: skip
            folds = [(edge - side * dx, dy) for dx, dy in inner]
            s.cut([(edge, rail), *smooth(folds, closed=False), (edge, hem)], curtain, shadow=1.8)
            for k in (0.34, 0.68):
                fold = smooth([(edge - side * dx * k, dy) for dx, dy in inner], closed=False)
                s.line(fold, 0.9, darker(curtain, 0.16))
            ends = sorted((edge, edge - side * 13))
            s.cut(box(ends[0], tie - 2, ends[1], tie + 3, 1.5), GOLD, shadow=0.8)


def chair(s: PaperSheet, x: float, side: int, place: StageSet) -> None:
    colour = {"kitchen": "#c98f4f", "café": "#4b6a62", "office": "#5d4a42"}.get(place.name, WOOD)
    y = FLOOR - place.seat_height + 6
    back = x - side * 21
    for leg in (-17, 15):
        s.line([(x + leg, y), (x + leg * 1.12, FLOOR - 2)], 4.0, darker(colour, 0.2), shadow=1.2)
    s.line([(back, y), (back - side * 4, y - 52)], 4.4, colour, shadow=1.5)
    s.cut(curve("-8,-56 2,-57 4,-24 -4,-22", back, y, side, 1), colour, shadow=1.2)
    s.cut(box(x - 23, y - 4, x + 23, y + 3, 2), lighter(colour, 0.1), shadow=1.5)


def armchair(s: PaperSheet, x: float, side: int, place: StageSet) -> None:
    colour = "#8c4a3c"
    y = FLOOR - place.seat_height + 4
    back = x - side * 24
    for leg in (-20, 20):
        s.line([(x + leg, y + 24), (x + leg, FLOOR - 2)], 4.5, DARK_WOOD)
    s.cut(curve("-10,24 -14,-60 -2,-72 14,-62 14,24", back, y, side, 1), colour, shadow=2.5)
    s.cut(box(x - 28, y - 2, x + 28, y + 28, 5), darker(colour, 0.12), shadow=1.5)
    s.cut(box(x - 27, y - 5, x + 27, y + 8, 5), lighter(colour, 0.12), shadow=1.2)
    for k in (-50, -34):
        s.cut(oval(back + side * 2, y + k, 1.8), darker(colour, 0.3))


def table(s: PaperSheet, y: float, colour: str, cloth: str | None = None) -> None:
    x0, x1, foot = 391.0, 499.0, FLOOR + 9
    for x in (x0 + 9, x1 - 9):
        s.cut([(x - 4, y), (x + 4, y), (x + 2.6, foot), (x - 2.6, foot)], darker(colour, 0.22), shadow=2)
    s.cut([(x0 + 5, y - 7), (x1 - 5, y - 7), (x1 + 2, y + 1), (x0 - 2, y + 1)], lighter(cloth or colour, 0.18))
    s.cut(box(x0 - 2, y, x1 + 2, y + 7, 1.5), cloth or colour, shadow=2.2)
    if cloth:
        hem = [(x0 - 2, y + 1), (x1 + 2, y + 1), (x1 + 2, y + 14)]
        for i in range(8, 0, -1):
            x = x0 - 2 + (x1 - x0 + 4) * (i - 0.5) / 8
            hem += [(x + 4, y + 19), (x - 4, y + 19), (x - (x1 - x0) / 8 / 2, y + 14)]
        s.cut(hem, cloth, shadow=2)
        s.line([(x0, y + 10), (x1, y + 10)], 1.4, "#c6603f")


def picture(s: PaperSheet, x: float, y: float, w: float, h: float, kind: int) -> None:
    s.cut(box(x, y, x + w, y + h), (GOLD, DARK_WOOD, TEAL)[kind], shadow=2)
    inner = box(x + 4, y + 4, x + w - 4, y + h - 4)
    s.cut(inner, ("#e9dcc0", "#c9d8cf", "#efd9c4")[kind])
    if kind == 0:
        s.cut(oval(x + w / 2, y + h * 0.42, w * 0.16), "#3b3332")
        left, right = (x + w * 0.22, y + h - 4), (x + w * 0.78, y + h - 4)
        s.cut(smooth([left, *points(".34,.66 .66,.66", x, y, w, h), right]), "#3b3332", within=inner)
    elif kind == 1:
        s.cut(points("0,1 .35,.4 .6,.7 .75,.5 1,1", x, y, w, h), "#6f9d88", within=inner)
    else:
        s.cut(curve(".2,.66 .8,.66 .66,.8 .34,.8", x, y, w, h), "#b4553a")
        s.cut(points(".5,.24 .5,.62 .75,.6", x, y, w, h), CREAM)


def plant(s: PaperSheet, x: float, y: float, size: float, pot: str = "#b4653f", leaf: str = "#5d8a6a") -> None:
    for i, angle in enumerate((-150, -120, -97, -78, -55, -30)):
        a = math.radians(angle)
        length = size * (1.0 if i in (1, 2, 3, 4) else 0.8)
        tip = (x + math.cos(a) * length, y - size * 0.4 + math.sin(a) * length)
        mid = (x + math.cos(a) * length * 0.55, y - size * 0.4 + math.sin(a) * length * 0.55)
        nx, ny = -math.sin(a) * size * 0.15, math.cos(a) * size * 0.15
        blade = smooth([(x, y - size * 0.35), (mid[0] + nx, mid[1] + ny), tip, (mid[0] - nx, mid[1] - ny)])
        s.cut(blade, leaf if i % 2 else darker(leaf, 0.15), shadow=1.2)
    s.cut(points("-.3,-.5 .3,-.5 .22,0 -.22,0", x, y, size), pot, shadow=1.5)
    s.cut(box(x - size * 0.34, y - size * 0.56, x + size * 0.34, y - size * 0.44, 1), lighter(pot, 0.15))


def lamp(s: PaperSheet, x: float, y: float, colour: str, light: str) -> None:
    s.line([(x, 0), (x, y - 16)], 1.4, DARK_WOOD)
    if light != "day":
        for r, alpha in ((74, 0.10), (48, 0.13), (28, 0.18)):
            s.cut(oval(x, y + 6, r, r * 0.86), "#f8d98a", alpha=alpha)
    s.cut(oval(x, y + 2, 8, 6), "#f8e3a6")
    s.cut(curve("-20,2 -14,-10 -5,-17 5,-17 14,-10 20,2", x, y), colour, shadow=2)
    s.cut(box(x - 21, y, x + 21, y + 3.4, 1.5), lighter(colour, 0.25))


def books(s: PaperSheet, x0: float, x1: float, y: float, height: float, rng: random.Random) -> None:
    """A row of books standing on y."""
    colours = ("#b4553a", "#3f6f94", "#5d8a5a", "#d9a441", "#7b4f68", "#0d5f57", "#8c6a4a", "#e3d3b8", "#45404a")
    x = x0
    while x < x1 - 4:
        w = rng.uniform(4, 8)
        if rng.random() < 0.12:
            x += w
            continue
        h = height * rng.uniform(0.68, 0.96)
        colour = rng.choice(colours)
        s.cut(box(x, y - h, min(x + w, x1), y), colour)
        s.cut(box(x + 0.8, y - h * 0.8, min(x + w, x1) - 0.8, y - h * 0.72), lighter(colour, 0.45))
        x += w + 0.4


def clock(s: PaperSheet, x: float, y: float, r: float) -> None:
    s.cut(oval(x, y, r), DARK_WOOD, shadow=2)
    s.cut(oval(x, y, r * 0.82), CREAM)
    s.line([(x, y), (x, y - r * 0.56)], 1.4, "#3b3332")
    s.line([(x, y), (x + r * 0.4, y + r * 0.18)], 1.4, "#3b3332")


def cloud(s: PaperSheet, x: float, y: float, size: float, colour: str) -> None:
    s.cut(curve("-1,0 -.8,-.3 -.35,-.52 .1,-.38 .5,-.46 .86,-.2 1,0 0,.06", x, y, size), colour, shadow=2.5)


def tree(s: PaperSheet, x: float, y: float, size: float, leaf: str) -> None:
    s.cut(curve("-.09,0 -.05,-.6 .05,-.6 .1,0", x, y, size), "#7a5238", shadow=2)
    s.line([(x, y - size * 0.5), (x + size * 0.16, y - size * 0.72)], size * 0.05, "#7a5238")
    for dx, dy, r, tone in ((-0.2, -0.76, 0.28, 0.12), (0.22, -0.8, 0.27, 0.05), (0.0, -1.02, 0.32, 0.0)):
        blob: list[Point] = []
        for a in (i * math.pi / 20 for i in range(40)):
            wave = size * r * (1 + 0.08 * math.sin(a * 5))
            blob.append((x + size * dx + wave * math.cos(a), y + size * dy + wave * math.sin(a)))
        s.cut(blob, darker(leaf, tone), shadow=2.5)
        s.line(oval(x + size * dx, y + size * dy, size * r * 0.62, None, 200, 280), 1.2, lighter(leaf, 0.22))
