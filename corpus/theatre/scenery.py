"""The eight stage sets, cut from paper: what stands behind the actors and what before them."""

import math
import random

from .cast import FLOOR, SEATS, Place
from .furniture import (
    CREAM,
    DARK_WOOD,
    DOOR,
    GOLD,
    HORIZON,
    SKY,
    TEAL,
    armchair,
    books,
    chair,
    clock,
    cloud,
    doorway,
    lamp,
    picture,
    plant,
    table,
    tree,
    wall,
    window,
)
from .paper import Sheet, box, darker, lighter, mixed, oval, smooth


def paint_back(s: Sheet, place: Place, light: str) -> None:
    """Everything that stays behind the actors."""
    rng = random.Random(f"{place.name} {light}")
    _BACK[place.name](s, place, light, rng)
    if place.door:
        doorway(s, outdoors=place.outdoors, light=light)
    for x, side in SEATS:
        if place.seat == "chair":
            chair(s, x, side, place)
        elif place.seat == "armchair":
            armchair(s, x, side, place)


def paint_front(s: Sheet, place: Place) -> None:
    """What stands before the actors: the table, and what grows at the edge of the stage."""
    y = FLOOR - place.top_height + 2
    _FRONT[place.name](s, y)


def paint_door(s: Sheet, outdoors: bool) -> None:
    """The leaf of the door, with (0, 0) at its hinge on the floor."""
    width, height = DOOR[2] - DOOR[0], DOOR[3] - DOOR[1]
    colour = "#b4553a" if outdoors else "#3f8f80"
    s.cut(box(0, -height, width, 0), colour)
    for top, bottom in ((-height + 9, -height * 0.56), (-height * 0.48, -9)):
        s.cut(box(8, top, width - 8, bottom, 2), darker(colour, 0.14))
        s.cut(box(10, top + 2.4, width - 8, bottom, 2), lighter(colour, 0.08))
    s.cut(oval(width - 6, -height * 0.40, 3.2), GOLD, shadow=1.0)


# ---- the sets


def _kitchen(s: Sheet, place: Place, light: str, rng: random.Random) -> None:
    wall(s, "#efdcb6", "#c99d6d", "#a8c0b2")
    for row in range(4):  # tiles
        for col in range(-1, 22):
            x = 30 + col * 28 + (row % 2) * 14
            s.cut(
                box(x, 176 + row * 20, x + 26.4, 194.6 + row * 20, 1),
                mixed("#b9cfc6", "#a5c1b5", rng.random()),
            )
    s.cut(box(0, 170, 640, 176), "#8fb0a2", shadow=1.2)
    window(s, 232, 84, 84, 72, light, curtain="#c6603f")
    s.cut(box(196, 206, 352, 266), "#5f8f86", shadow=3)  # counter
    s.cut(box(190, 199, 358, 208, 1.5), "#8c5c3c", shadow=2)
    for x in (202, 240):
        s.cut(box(x, 214, x + 33, 258, 1.5), lighter("#5f8f86", 0.1), shadow=1)
        s.cut(oval(x + 28, 234, 2), GOLD)
    s.cut(box(284, 211, 346, 264, 2), "#4a4445")
    s.cut(box(290, 226, 340, 256, 3), "#2f2a2b")
    s.cut(box(295, 231, 335, 251, 3), "#e08a4a" if light != "day" else "#5a5050")
    for x in (294, 306, 318, 330):
        s.cut(oval(x, 218, 2.6), CREAM)
    s.cut(smooth([(300, 198), (299, 184), (326, 184), (325, 198)]), "#b4553a", shadow=1.5)
    s.cut(box(297, 181, 328, 185, 1.5), darker("#b4553a", 0.15))
    s.line([(312, 181), (312, 178)], 2.4, DARK_WOOD)
    for x, c in ((208, "#d9a441"), (222, "#e9dcc0"), (236, "#7b9e8c")):
        s.cut(box(x, 183, x + 11, 199, 2), c, shadow=1)
        s.cut(box(x - 0.6, 180, x + 11.6, 184, 1), DARK_WOOD)
    s.cut(box(372, 118, 560, 124), DARK_WOOD, shadow=2)  # shelf
    for x, c, h in (
        (380, "#3f6f94", 20),
        (402, CREAM, 16),
        (423, "#c6603f", 24),
        (448, "#d9a441", 18),
        (520, "#3f8f80", 22),
    ):
        s.cut(smooth([(x, 118), (x - 1, 118 - h), (x + 15, 118 - h), (x + 14, 118)]), c, shadow=1)
        s.cut(oval(x + 7, 118 - h, 7.6, 2), darker(c, 0.2))
    plant(s, 492, 118, 24)
    for x, r in ((390, 11), (420, 14), (548, 10)):
        s.line([(x, 124), (x, 136)], 1.4, DARK_WOOD)
        s.cut(oval(x, 136 + r, r), "#a5643a", shadow=1.5)
        s.cut(oval(x - 1, 135 + r, r * 0.78), lighter("#a5643a", 0.18))
    lamp(s, 446, 84, TEAL, light)
    clock(s, 184, 88, 15)
    s.cut(smooth([(370, 312), (520, 312), (560, 328), (330, 328)]), "#b4653f", alpha=0.55)


def _living_room(s: Sheet, place: Place, light: str, rng: random.Random) -> None:
    paper = "#bfd2c4"
    wall(s, paper, "#b98a5f", CREAM)
    for i in range(24):
        s.cut(box(20 + i * 27, 0, 30 + i * 27, HORIZON - 9), lighter(paper, 0.13))
    window(s, 220, 86, 92, 96, light, curtain="#d9a441")
    for x, y, w, h, kind in (
        (362, 82, 44, 56, 0),
        (418, 74, 66, 46, 1),
        (496, 88, 40, 48, 2),
        (420, 128, 34, 30, 2),
    ):
        picture(s, x, y, w, h, kind)
    s.cut(box(556, 120, 606, 264), DARK_WOOD, shadow=3)  # bookcase
    for y in (154, 190, 226, 260):
        s.cut(box(564, y - 30, 602, y), darker(DARK_WOOD, 0.3))
        books(s, 565, 601, y, 28, rng)
    s.line([(196, 262), (196, 168)], 2.4, DARK_WOOD, shadow=1.5)
    if light != "day":
        for r, alpha in ((56, 0.12), (34, 0.18)):
            s.cut(oval(196, 152, r), "#f8d98a", alpha=alpha)
    s.cut([(180, 168), (212, 168), (204, 138), (188, 138)], "#e9c07a", shadow=2)
    s.cut(box(184, 260, 208, 265, 2), DARK_WOOD)
    s.cut(smooth([(300, 300), (590, 300), (612, 328), (270, 328)]), "#0d5f57", alpha=0.75)
    s.cut(smooth([(318, 304), (576, 304), (592, 323), (294, 323)]), "#e3c391", alpha=0.5)
    _sofa(s, place, "#c0623f")
    plant(s, 336, 268, 40, leaf="#4f7f68")


def _sofa(s: Sheet, place: Place, colour: str) -> None:
    y = FLOOR - place.seat_height + 5
    for x in (352, 540):
        s.line([(x, y + 26), (x, FLOOR)], 5, DARK_WOOD)
    s.cut(smooth([(344, y + 30), (342, y - 44), (360, y - 56), (445, y - 58), (530, y - 56), (548, y - 44),
          (546, y + 30)]), colour, shadow=3.5)  # fmt: skip
    s.line([(445, y - 54), (445, y - 4)], 1.2, darker(colour, 0.25))
    for x in (398, 492):
        s.cut(oval(x, y - 32, 2), darker(colour, 0.3))
    s.cut(box(350, y - 4, 540, y + 28, 4), darker(colour, 0.12), shadow=2)
    s.cut(box(356, y - 8, 444, y + 8, 5), lighter(colour, 0.1), shadow=1.2)
    s.cut(box(446, y - 8, 534, y + 8, 5), lighter(colour, 0.1), shadow=1.2)
    for x in (332, 534):
        s.cut(smooth([(x, y + 30), (x - 2, y - 18), (x + 4, y - 27), (x + 18, y - 27), (x + 24, y - 18),
              (x + 22, y + 30)]), darker(colour, 0.06), shadow=2)  # fmt: skip
    s.cut(smooth([(520, y - 8), (512, y - 32), (534, y - 38), (542, y - 12)]), "#e0b054", shadow=1.5)


def _park(s: Sheet, place: Place, light: str, rng: random.Random) -> None:
    top, bottom, sun = SKY[light]
    s.cut(box(0, 0, 640, 360), top)
    s.cut(
        smooth([(-20, 300), (-20, 150), (150, 128), (330, 150), (520, 126), (660, 146), (660, 300)]),
        bottom,
        alpha=0.85,
    )
    for r, alpha in ((54, 0.16), (38, 0.25)):
        s.cut(oval(206, 88, r), sun, alpha=alpha)
    s.cut(oval(206, 88, 25), sun, shadow=2.5)
    white = CREAM if light != "night" else "#6d8790"
    for cx, cy, size in ((330.0, 76.0, 44), (520.0, 98.0, 54), (96.0, 124.0, 36)):
        cloud(s, cx, cy, size, white)
    far, middle, near = ("#a9c7b4", "#8db39a", "#7aa583") if light == "day" else (("#c9a983", "#a99a72",
          "#8b9160") if light == "dusk" else ("#3f6368", "#34575a", "#4d7565"))  # fmt: skip
    s.cut(smooth([(-20, 300), (-20, 196), (90, 168), (220, 196), (350, 170), (480, 198), (600, 172),
          (660, 190), (660, 300)]), far, shadow=3)  # fmt: skip
    for x, size in ((60, 60), (300, 52), (390, 46), (590, 60)):
        tree(s, x, 224, size, darker(far, 0.12))
    s.cut(
        smooth([(-20, 320), (-20, 224), (130, 208), (320, 228), (500, 206), (660, 226), (660, 320)]),
        middle,
        shadow=3,
    )
    leaf = {"day": "#6b9a5e", "dusk": "#c88445", "night": "#3f6f63"}[light]
    tree(s, 116, 270, 128, leaf)
    tree(s, 586, 272, 140, mixed(leaf, "#d9a441", 0.25))
    s.cut(smooth([(-20, 400), (-20, 262), (200, 256), (420, 262), (660, 256), (660, 400)]), near, shadow=3)
    s.cut(smooth([(-20, 296), (200, 288), (420, 290), (660, 284), (660, 326), (400, 330), (200, 326),
          (-20, 332)]), "#e6cfa2", shadow=1.2)  # fmt: skip
    for i in range(26):
        fx, fy = rng.uniform(30, 610), rng.choice((rng.uniform(264, 280), rng.uniform(332, 340)))
        s.line([(fx, fy + 4), (fx, fy)], 0.9, darker(near, 0.25))
        s.cut(oval(fx, fy, 2), ("#f3e3b0", "#d8776a", "#e6b04a")[i % 3])
    _bench(s, place)


def _bench(s: Sheet, place: Place) -> None:
    y = FLOOR - place.seat_height + 5
    for x in (362, 528):
        s.line([(x, y - 48), (x, FLOOR - 1)], 5, "#4a5a55", shadow=2)
    for k in (-46, -31, -16):
        s.cut(box(346, y + k, 544, y + k + 10, 1.5), mixed("#b07a48", "#a06a3c", (k % 3) / 3), shadow=1.6)
    s.cut(box(342, y - 2, 548, y + 6, 2), "#bd8752", shadow=2)


def _cafe(s: Sheet, place: Place, light: str, rng: random.Random) -> None:
    wall(s, "#d9a57e", "#8c6248", "#5c3a2c")
    for row in range(13):  # bricks
        for col in range(-1, 18):
            if rng.random() < 0.55:
                left, top = 20 + col * 38 + (row % 2) * 19, 20 + row * 13
                s.cut(
                    box(left, top, left + 35, top + 11, 0.6),
                    mixed("#d9a57e", "#c8895f", rng.uniform(0.2, 0.8)),
                )
    s.cut(box(0, 190, 640, 256), "#6e4636", shadow=2)
    for i in range(16):
        s.cut(box(12 + i * 42, 197, 46 + i * 42, 250, 1), "#7b5040")
    s.cut(box(0, 186, 640, 192), "#4f3126")
    window(s, 200, 76, 130, 96, light, bars=2, town=True)
    for i in range(9):  # a striped awning over the window
        x = 188 + i * 17.2
        s.cut(smooth([(x, 58), (x + 17, 58), (x + 17.5, 80), (x + 8.6, 87), (x - 0.5, 80)]),
              CREAM if i % 2 else "#b4553a", shadow=1.0)  # fmt: skip
    s.cut(box(372, 78, 466, 150), DARK_WOOD, shadow=2.5)  # blackboard
    s.cut(box(377, 83, 461, 145), "#33423f")
    for i, w in enumerate((50, 66, 42, 58)):
        s.line([(386, 96 + i * 12), (386 + w, 96 + i * 12)], 1.6, "#cfd8cc")
        s.line([(446, 96 + i * 12), (454, 96 + i * 12)], 1.6, "#e0b054")
    s.cut(box(484, 96, 604, 101), DARK_WOOD, shadow=2)
    s.cut(box(484, 142, 604, 147), DARK_WOOD, shadow=2)
    for i in range(9):
        c = ("#e9dcc0", "#3f8f80", "#d9a441")[i % 3]
        s.cut(smooth([(488 + i * 13, 96), (487 + i * 13, 86), (497 + i * 13, 86), (496 + i * 13, 96)]), c)
        s.cut(
            box(488 + i * 13, 118 + (i % 3) * 4, 497 + i * 13, 142, 2),
            ("#7b4f68", "#5d8a5a", "#b4553a")[i % 3],
        )
    for x in (256, 446, 548):
        lamp(s, x, 62, "#d9a441", light)
    plant(s, 346, 268, 34)


def _office(s: Sheet, place: Place, light: str, rng: random.Random) -> None:
    wall(s, "#c9d3d0", "#a39382", "#6f8581")
    s.cut(box(0, 150, 640, 256), "#b3c2be")
    s.cut(box(0, 147, 640, 152), "#8aa09b")
    window(s, 222, 74, 96, 82, light, town=True)
    for i in range(7):
        s.cut(box(219, 68 + i * 7, 321, 72.4 + i * 7, 1), lighter("#d8cdb8", 0.2), shadow=0.8)
    s.cut(box(200, 196, 250, 266), "#7b8f8a", shadow=3)  # filing cabinet
    for y in (200, 222, 244):
        s.cut(box(204, y, 246, y + 19, 1), lighter("#7b8f8a", 0.12), shadow=0.8)
        s.cut(box(218, y + 6, 232, y + 9, 1), CREAM)
    plant(s, 225, 196, 30)
    s.cut(box(352, 74, 452, 140), DARK_WOOD, shadow=2.5)  # a map
    s.cut(box(357, 79, 447, 135), "#d7e3dc")
    for shape in ([(366, 92), (386, 86), (396, 98), (388, 114), (374, 110)], [(402, 90), (432, 88),
          (438, 104), (420, 112), (406, 104)],
                  [(392, 118), (404, 116), (402, 130), (394, 128)]):  # fmt: skip
        s.cut(smooth(shape), "#8fb08f")
    s.cut(oval(424, 98, 2.4), "#b8432f")
    clock(s, 490, 92, 17)
    s.cut(box(526, 84, 606, 90), DARK_WOOD, shadow=2)
    s.cut(box(526, 126, 606, 132), DARK_WOOD, shadow=2)
    for x in (530, 545, 560):
        s.cut(box(x, 102, x + 12, 126), ("#b4553a", "#3f6f94", "#d9a441")[(x - 530) // 15], shadow=0.6)
        s.cut(box(x + 3, 108, x + 9, 114), CREAM)
    books(s, 576, 604, 126, 24, rng)
    books(s, 530, 566, 84, 22, rng)
    s.cut(smooth([(582, 84), (584, 66), (596, 66), (598, 84)]), "#3f8f80", shadow=1)
    lamp(s, 446, 62, "#4a5a55", light)
    for x, y, c in (
        (270, 186, "#f0d98a"),
        (286, 190, "#e6a48a"),
        (300, 184, "#a9cfc0"),
        (278, 204, "#f6ecd8"),
    ):
        s.cut(box(x, y, x + 12, y + 12), c, shadow=0.7)


def _bedroom(s: Sheet, place: Place, light: str, rng: random.Random) -> None:
    paper = "#d9b6a8"
    wall(s, paper, "#9c7358", "#f0e0cc")
    for i in range(60):
        px, py = 30 + (i * 61) % 590, 36 + (i * 37) % 210
        s.cut(smooth([(px, py - 4), (px + 2.6, py), (px, py + 4), (px - 2.6, py)]), lighter(paper, 0.22))
    window(s, 226, 82, 78, 88, light, curtain="#3f8f80")
    s.cut(box(560, 100, 612, 266), "#8c5c3c", shadow=3)  # wardrobe
    s.cut(box(564, 108, 608, 256, 1), "#a06e49")
    s.cut(oval(569, 184, 2.2), GOLD)
    picture(s, 364, 84, 46, 38, 1)
    picture(s, 478, 78, 36, 46, 2)
    s.line(oval(445, 96, 16, 18), 3, GOLD, shadow=1.5)
    s.cut(oval(445, 96, 14.6, 16.6), "#dfe9e4")
    y = FLOOR - place.seat_height + 5
    s.cut(
        smooth([(332, y + 40), (332, y - 50), (340, y - 62), (352, y - 62), (356, y - 50), (356, y + 40)]),
        DARK_WOOD,
        shadow=3,
    )
    s.cut(
        smooth([(538, y + 40), (538, y - 24), (546, y - 34), (556, y - 24), (556, y + 40)]),
        DARK_WOOD,
        shadow=2,
    )
    s.cut(box(350, y + 8, 544, y + 32), darker("#8c5c3c", 0.1))
    s.cut(box(350, y - 8, 544, y + 14, 6), "#f4ead8", shadow=2)
    s.cut(
        smooth([(394, y - 10), (544, y - 11), (546, y + 26), (500, y + 22), (450, y + 27), (396, y + 24)]),
        "#7b9e9a",
        shadow=2,
    )
    for i in range(6):
        s.line([(408 + i * 24, y - 9), (406 + i * 24, y + 22)], 2.0, "#e3d3b8")
    s.cut(smooth([(356, y - 8), (358, y - 26), (388, y - 25), (392, y - 9)]), CREAM, shadow=1.5)
    s.cut(smooth([(290, 300), (560, 300), (580, 326), (262, 326)]), "#c98a6a", alpha=0.5)
    lamp(s, 330, 60, "#e0b054", light)
    plant(s, 200, 268, 36, pot="#3f8f80")


def _street(s: Sheet, place: Place, light: str, rng: random.Random) -> None:
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
        s.cut([(left, 262), (left, 262 - h), (left + w, 262 - h), (left + w, 262)], haze, shadow=2)
        s.cut(
            [(left - 4, 263 - h), (left + w / 2, 240 - h), (left + w + 4, 263 - h)],
            darker(haze, 0.3),
            shadow=1.5,
        )
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

    def house(x0: float, x1: float, roof: float, colour: str, doors: bool) -> None:
        s.cut(box(x0, roof, x1, 268), colour, shadow=4)
        s.cut([(x0 - 8, roof), (x0 + 12, roof - 34), (x1 - 12, roof - 34), (x1 + 8, roof)], "#8c4a3c", shadow=2)
        s.cut(box(x0 - 8, roof - 1, x1 + 8, roof + 5), CREAM)
        if not doors:
            for i in range(2):
                x = x0 + 14 + i * (x1 - x0 - 20) / 2
                for y in (roof + 20, roof + 76):
                    s.cut(box(x - 3, y - 3, x + 29, y + 39), CREAM, shadow=1.5)
                    s.cut(box(x, y, x + 26, y + 36), lit)
                    s.cut(box(x + 12, y, x + 14, y + 36), CREAM)
                    s.cut(box(x - 5, y + 38, x + 31, y + 44), "#3f8f80", shadow=1)
                    for k in range(4):
                        s.cut(oval(x + 2 + k * 7, y + 36, 4), ("#d8776a", "#5d8a5a")[k % 2])

    house(44, 190, 62, "#e3c49a", True)
    s.cut(box(60, 72, 92, 96), CREAM, shadow=1)
    s.cut(box(63, 75, 89, 93), lit)
    s.cut(box(140, 72, 172, 96), CREAM, shadow=1)
    s.cut(box(143, 75, 169, 93), lit)
    house(506, 640, 88, "#a9bfae", False)
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
    s.cut(smooth([(201, 97), (214, 86), (227, 97)]), "#33423f")
    _bench(s, place)


def _library(s: Sheet, place: Place, light: str, rng: random.Random) -> None:
    wall(s, "#6f7f6d", "#8c6248", "#4f3126")
    for x0, x1 in ((180, 226), (334, 470), (476, 612)):
        s.cut(box(x0, 56, x1, 264), "#7a4f35", shadow=4)
        for y in (92, 128, 164, 200, 236, 262):
            s.cut(box(x0 + 5, y - 32, x1 - 5, y), "#3d2a20")
            books(s, x0 + 6, x1 - 6, y, 31, rng)
            s.cut(box(x0 + 3, y - 0.5, x1 - 3, y + 4), "#8f6243", shadow=0.8)
        s.cut(box(x0 - 4, 50, x1 + 4, 58, 1), "#8f6243", shadow=1.5)
    window(s, 244, 78, 72, 118, light, curtain="#8c4a3c")
    for x in (322, 340):  # a ladder
        s.line([(x, 268), (x + 14, 70)], 3, "#c99d6d", shadow=1.5)
    for i in range(9):
        y = 250 - i * 21
        s.line([(322 + (268 - y) / 14, y), (340 + (268 - y) / 14, y)], 2.4, "#c99d6d")
    s.line([(264, 262), (264, 236)], 3, DARK_WOOD)  # globe
    s.cut(box(252, 259, 276, 265, 2), DARK_WOOD)
    s.cut(oval(264, 222, 16), "#7fb3a3", shadow=2)
    s.cut(smooth([(254, 214), (262, 210), (268, 218), (262, 230), (255, 224)]), "#c9b06a")
    s.line(oval(264, 222, 18, 18, 100, 280), 1.6, GOLD)
    s.cut(smooth([(300, 300), (600, 300), (620, 327), (276, 327)]), "#8c4a3c", alpha=0.6)
    lamp(s, 446, 70, "#0d5f57", light)


_BACK = {
    "kitchen": _kitchen, "living room": _living_room, "park": _park, "café": _cafe, "office": _office,
    "bedroom": _bedroom, "street": _street, "library": _library,
}  # fmt: skip


# ---- before the actors


def _nightstand(s: Sheet, y: float) -> None:
    s.cut(box(404, y, 486, FLOOR + 8, 2), "#8c5c3c", shadow=2.5)
    s.cut([(404, y - 7), (486, y - 7), (492, y + 1), (398, y + 1)], lighter("#a8754a", 0.15))
    s.cut(box(398, y, 492, y + 6, 1.5), "#a8754a", shadow=1.5)
    for top in (y + 10, y + 32):
        s.cut(box(410, top, 480, top + 18, 1.5), "#9c6a46", shadow=1)
        s.cut(oval(445, top + 9, 2.4), GOLD)


def _stall(s: Sheet, y: float) -> None:
    s.cut(box(400, y + 4, 490, FLOOR + 8), "#3f8f80", shadow=2.5)
    for i in range(5):
        s.cut(box(402 + i * 18, y + 6, 411 + i * 18, FLOOR + 8), lighter("#3f8f80", 0.16))
    s.cut([(400, y - 7), (490, y - 7), (498, y + 1), (392, y + 1)], lighter("#c99d6d", 0.2))
    s.cut(box(392, y, 498, y + 7, 1.5), "#c99d6d", shadow=1.5)
    s.cut(box(424, y + 16, 466, y + 36, 2), CREAM, shadow=1)
    s.cut(
        smooth([(439, y + 23), (445, y + 21), (451, y + 23), (452, y + 29), (445, y + 33), (438, y + 29)]),
        "#c24a36",
    )
    s.line([(445, y + 22), (447, y + 18)], 1.4, "#5d8a5a")


def _picnic(s: Sheet, y: float) -> None:
    table(s, y, "#b07a48", cloth="#f0e4cc")
    for x, flower in ((60, "#d8776a"), (580, "#e6b04a")):
        for i in range(7):
            dx, h = (i - 3) * 7, 18 + (i * 5) % 11
            s.line([(x + dx * 0.6, 344), (x + dx, 342 - h)], 1.6, "#4f7f5a")
            s.cut(oval(x + dx, 340 - h, 4), flower if i % 2 else "#f6ecd8", shadow=0.8)


def _reading_desk(s: Sheet, y: float) -> None:
    table(s, y, "#7a4f35")
    s.cut(box(406, y + 7, 484, y + 22, 1), "#8f6243", shadow=1.2)
    s.cut(oval(445, y + 14, 2.2), GOLD)


def _desk(s: Sheet, y: float) -> None:
    table(s, y, "#9c6a46")
    s.cut(box(466, y + 6, 490, FLOOR + 6), "#8c5c3c", shadow=1.5)
    for top in (y + 11, y + 30, y + 49):
        s.cut(box(469, top, 487, top + 15, 1), "#a8754a")
        s.cut(oval(478, top + 7, 1.6), GOLD)


def _cafe_table(s: Sheet, y: float) -> None:
    s.line([(445, y), (445, FLOOR + 6)], 6, "#33423f", shadow=2)
    s.cut(
        smooth([(424, FLOOR + 9), (438, FLOOR + 3), (452, FLOOR + 3), (466, FLOOR + 9)]),
        "#33423f",
        shadow=1.5,
    )
    s.cut(oval(445, y - 2, 51, 6), lighter("#e9dcc0", 0.2))
    s.cut(
        smooth([(394, y - 1), (445, y + 4), (496, y - 1), (494, y + 5), (445, y + 11), (396, y + 5)]),
        "#e0cda6",
        shadow=2,
    )


_FRONT = {
    "kitchen": lambda s, y: table(s, y, "#b9804f", cloth="#f4ead8"),
    "living room": lambda s, y: table(s, y, "#7a4f35"),
    "park": _picnic,
    "café": _cafe_table,
    "office": _desk,
    "bedroom": _nightstand,
    "street": _stall,
    "library": _reading_desk,
}
