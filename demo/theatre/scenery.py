"""What stands behind the actors: the outdoor sets, the choice among all eight, chairs and door."""

import math
import random

from .cast import FLOOR, SEATS, StageSet
from .furniture import CREAM, DOOR, GOLD, SKY, armchair, chair, cloud, doorway, tree
from .paper import PaperSheet, box, curve, darker, lighter, mixed, oval
from .rooms import bedroom, cafe, kitchen, library, living_room, office


def paint_back(s: PaperSheet, place: StageSet, light: str) -> None:
    """Everything that stays behind the actors."""
    _BACK[place.name](s, place, light, random.Random(f"{place.name} {light}"))
    if place.door:
        doorway(s, outdoors=place.outdoors, light=light)
    for x, side in SEATS:
        if place.seat == "chair":
            chair(s, x, side, place)
        elif place.seat == "armchair":
            armchair(s, x, side, place)


def paint_door(s: PaperSheet, outdoors: bool) -> None:
    """The leaf of the door, with (0, 0) at its hinge on the floor."""
    width, height = DOOR[2] - DOOR[0], DOOR[3] - DOOR[1]
    colour = "#b4553a" if outdoors else "#3f8f80"
    s.cut(box(0, -height, width, 0), colour)
    for top, bottom in ((-height + 9, -height * 0.56), (-height * 0.48, -9)):
        s.cut(box(8, top, width - 8, bottom, 2), darker(colour, 0.14))
        s.cut(box(10, top + 2.4, width - 8, bottom, 2), lighter(colour, 0.08))
    s.cut(oval(width - 6, -height * 0.40, 3.2), GOLD, shadow=1.0)


def _park(s: PaperSheet, place: StageSet, light: str, rng: random.Random) -> None:
    top, bottom, sun = SKY[light]
    s.cut(box(0, 0, 640, 360), top)
    s.cut(curve("-20,300 -20,150 150,128 330,150 520,126 660,146 660,300"), bottom, alpha=0.85)
    for r, alpha in ((54, 0.16), (38, 0.25)):
        s.cut(oval(206, 88, r), sun, alpha=alpha)
    s.cut(oval(206, 88, 25), sun, shadow=2.5)
    white = CREAM if light != "night" else "#6d8790"
    for cx, cy, size in ((330, 76, 44), (520, 98, 54), (96, 124, 36)):
        cloud(s, cx, cy, size, white)
    far, middle, near, leaf = {
        "day": ("#a9c7b4", "#8db39a", "#7aa583", "#6b9a5e"),
        "dusk": ("#c9a983", "#a99a72", "#8b9160", "#c88445"),
        "night": ("#3f6368", "#34575a", "#4d7565", "#3f6f63"),
    }[light]
    s.cut(curve("-20,300 -20,196 90,168 220,196 350,170 480,198 600,172 660,190 660,300"), far, shadow=3)
    for x, size in ((60, 60), (300, 52), (390, 46), (590, 60)):
        tree(s, x, 224, size, darker(far, 0.12))
    s.cut(curve("-20,320 -20,224 130,208 320,228 500,206 660,226 660,320"), middle, shadow=3)
    tree(s, 116, 270, 128, leaf)
    tree(s, 586, 272, 140, mixed(leaf, "#d9a441", 0.25))
    s.cut(curve("-20,400 -20,262 200,256 420,262 660,256 660,400"), near, shadow=3)
    s.cut(curve("-20,296 200,288 420,290 660,284 660,326 400,330 200,326 -20,332"), "#e6cfa2", shadow=1.2)
    for i in range(26):
        fx, fy = rng.uniform(30, 610), rng.choice((rng.uniform(264, 280), rng.uniform(332, 340)))
        s.line([(fx, fy + 4), (fx, fy)], 0.9, darker(near, 0.25))
        s.cut(oval(fx, fy, 2), ("#f3e3b0", "#d8776a", "#e6b04a")[i % 3])
    _bench(s, place)


def _bench(s: PaperSheet, place: StageSet) -> None:
    y = FLOOR - place.seat_height + 5
    for x in (362, 528):
        s.line([(x, y - 48), (x, FLOOR - 1)], 5, "#4a5a55", shadow=2)
    for k in (-46, -31, -16):
        s.cut(box(346, y + k, 544, y + k + 10, 1.5), mixed("#b07a48", "#a06a3c", (k % 3) / 3), shadow=1.6)
    s.cut(box(342, y - 2, 548, y + 6, 2), "#bd8752", shadow=2)


def _street(s: PaperSheet, place: StageSet, light: str, rng: random.Random) -> None:
    top, bottom, sun = SKY[light]
    s.cut(box(0, 0, 640, 360), top)
    s.cut(box(0, 130, 640, 270), bottom, alpha=0.7)
    s.cut(oval(330, 70, 20), sun, shadow=2)
    cloud(s, 410, 78, 36, CREAM if light != "night" else "#6d8790")
    lit = "#f6d98c" if light != "day" else "#cfe0d8"
    rows = ((210, 54, 96, "#d7a58a"), (262, 44, 124, "#a9bfae"), (308, 62, 88, "#e0c48f"),
            (372, 48, 116, "#c9968c"), (420, 92, 92, "#b3b79a"))  # fmt: skip
    for left, w, h, colour in rows:
        haze = mixed(colour, top, 0.38)
        s.cut(box(left, 262 - h, left + w, 262), haze, shadow=2)
        s.cut([(left - 4, 263 - h), (left + w / 2, 240 - h), (left + w + 4, 263 - h)], darker(haze, 0.3), shadow=1.5)
        for row in range(3):
            for col in range(2):
                x, y = left + w * (0.18 + 0.42 * col), 272 - h + row * 26
                s.cut(box(x, y, x + 10, y + 14), lit, shadow=0.6)
    flags = ("#c24a36", "#e2b044", "#3f8f80", "#f6ecd8")
    rope = [(190 + i * 13.2, 84 + 26 * math.sin(math.pi * i / 24) + i * 0.8) for i in range(25)]
    s.line(rope, 0.9, "#5c4a3c")
    for i in range(1, 24):
        at, sag = rope[i]
        s.cut([(at - 5, sag), (at + 5, sag + 0.5), (at, sag + 11)], flags[i % 4], shadow=0.8)

    def house(x0: float, x1: float, roof: float, colour: str) -> None:
        s.cut(box(x0, roof, x1, 268), colour, shadow=4)
        s.cut([(x0 - 8, roof), (x0 + 12, roof - 34), (x1 - 12, roof - 34), (x1 + 8, roof)], "#8c4a3c", shadow=2)
        s.cut(box(x0 - 8, roof - 1, x1 + 8, roof + 5), CREAM)

    house(44, 190, 62, "#e3c49a")
    for x in (60, 140):
        s.cut(box(x, 72, x + 32, 96), CREAM, shadow=1)
        s.cut(box(x + 3, 75, x + 29, 93), lit)
    house(506, 640, 88, "#a9bfae")
    for x in (520, 577):
        for y in (108, 164):
            s.cut(box(x - 3, y - 3, x + 29, y + 39), CREAM, shadow=1.5)
            s.cut(box(x, y, x + 26, y + 36), lit)
            s.cut(box(x + 12, y, x + 14, y + 36), CREAM)
            s.cut(box(x - 5, y + 38, x + 31, y + 44), "#3f8f80", shadow=1)
            for k in range(4):
                s.cut(oval(x + 2 + k * 7, y + 36, 4), ("#d8776a", "#5d8a5a")[k % 2])
    s.cut(box(0, 262, 640, 360), "#b9ab98", shadow=2)
    for row in range(5):
        for col in range(-1, 17):
            x = 10 + col * 42 + (row % 2) * 21
            s.cut(box(x, 284 + row * 9, x + 39, 291 + row * 9, 2), mixed("#b9ab98", "#cabda8", rng.random()))
    s.cut(box(0, 264, 640, 272), "#d6c8b2", shadow=1.5)
    s.line([(214, 276), (214, 118)], 4, "#33423f", shadow=2)  # lamp post
    if light != "day":
        for r, alpha in ((58, 0.12), (34, 0.2)):
            s.cut(oval(214, 108, r), "#f8d98a", alpha=alpha)
    s.cut([(205, 96), (223, 96), (220, 120), (208, 120)], "#f8e3a6", shadow=1)
    s.cut(curve("201,97 214,86 227,97"), "#33423f")
    _bench(s, place)


_BACK = {
    "kitchen": kitchen, "living room": living_room, "park": _park, "café": cafe, "office": office,
    "bedroom": bedroom, "street": _street, "library": library,
}  # fmt: skip
