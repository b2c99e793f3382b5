"""The indoor sets, as they stand behind the actors."""

import random

from .cast import FLOOR, StageSet
from .furniture import CREAM, DARK_WOOD, GOLD, HORIZON, TEAL, books, clock, lamp, picture, plant, wall, window
from .paper import PaperSheet, box, curve, darker, lighter, mixed, oval, smooth


def kitchen(s: PaperSheet, place: StageSet, light: str, rng: random.Random) -> None:
    wall(s, "#efdcb6", "#c99d6d", "#a8c0b2")
    for row in range(4):  # tiles
        for col in range(-1, 22):
            x = 30 + col * 28 + (row % 2) * 14
            s.cut(box(x, 176 + row * 20, x + 26.4, 194.6 + row * 20, 1), mixed("#b9cfc6", "#a5c1b5", rng.random()))
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
    s.cut(curve("300,198 299,184 326,184 325,198"), "#b4553a", shadow=1.5)
    s.cut(box(297, 181, 328, 185, 1.5), darker("#b4553a", 0.15))
    s.line([(312, 181), (312, 178)], 2.4, DARK_WOOD)
    for x, c in ((208, "#d9a441"), (222, "#e9dcc0"), (236, "#7b9e8c")):
        s.cut(box(x, 183, x + 11, 199, 2), c, shadow=1)
        s.cut(box(x - 0.6, 180, x + 11.6, 184, 1), DARK_WOOD)
    s.cut(box(372, 118, 560, 124), DARK_WOOD, shadow=2)  # shelf
    jars = (380, "#3f6f94", 20), (402, CREAM, 16), (423, "#c6603f", 24), (448, "#d9a441", 18), (520, "#3f8f80", 22)
    for x, c, h in jars:
        s.cut(smooth([(x, 118), (x - 1, 118 - h), (x + 15, 118 - h), (x + 14, 118)]), c, shadow=1)
        s.cut(oval(x + 7, 118 - h, 7.6, 2), darker(c, 0.2))
    plant(s, 492, 118, 24)
    for x, r in ((390, 11), (420, 14), (548, 10)):
        s.line([(x, 124), (x, 136)], 1.4, DARK_WOOD)
        s.cut(oval(x, 136 + r, r), "#a5643a", shadow=1.5)
        s.cut(oval(x - 1, 135 + r, r * 0.78), lighter("#a5643a", 0.18))
    lamp(s, 446, 84, TEAL, light)
    clock(s, 184, 88, 15)
    s.cut(curve("370,312 520,312 560,328 330,328"), "#b4653f", alpha=0.55)


def living_room(s: PaperSheet, place: StageSet, light: str, rng: random.Random) -> None:
    paper = "#bfd2c4"
    wall(s, paper, "#b98a5f", CREAM)
    for i in range(24):
        s.cut(box(20 + i * 27, 0, 30 + i * 27, HORIZON - 9), lighter(paper, 0.13))
    window(s, 220, 86, 92, 96, light, curtain="#d9a441")
    for x, y, w, h, kind in ((362, 82, 44, 56, 0), (418, 74, 66, 46, 1), (496, 88, 40, 48, 2), (420, 128, 34, 30, 2)):
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
    s.cut(curve("300,300 590,300 612,328 270,328"), "#0d5f57", alpha=0.75)
    s.cut(curve("318,304 576,304 592,323 294,323"), "#e3c391", alpha=0.5)
    _sofa(s, place, "#c0623f")
    plant(s, 336, 268, 40, leaf="#4f7f68")


def _sofa(s: PaperSheet, place: StageSet, colour: str) -> None:
    y = FLOOR - place.seat_height + 5
    for x in (352, 540):
        s.line([(x, y + 26), (x, FLOOR)], 5, DARK_WOOD)
    s.cut(curve("344,30 342,-44 360,-56 445,-58 530,-56 548,-44 546,30", 0, y), colour, shadow=3.5)
    s.line([(445, y - 54), (445, y - 4)], 1.2, darker(colour, 0.25))
    for x in (398, 492):
        s.cut(oval(x, y - 32, 2), darker(colour, 0.3))
    s.cut(box(350, y - 4, 540, y + 28, 4), darker(colour, 0.12), shadow=2)
    s.cut(box(356, y - 8, 444, y + 8, 5), lighter(colour, 0.1), shadow=1.2)
    s.cut(box(446, y - 8, 534, y + 8, 5), lighter(colour, 0.1), shadow=1.2)
    for x in (332, 534):
        s.cut(curve("0,30 -2,-18 4,-27 18,-27 24,-18 22,30", x, y), darker(colour, 0.06), shadow=2)
    s.cut(curve("520,-8 512,-32 534,-38 542,-12", 0, y), "#e0b054", shadow=1.5)


def cafe(s: PaperSheet, place: StageSet, light: str, rng: random.Random) -> None:
    wall(s, "#d9a57e", "#8c6248", "#5c3a2c")
    for row in range(13):  # bricks
        for col in range(-1, 18):
            if rng.random() < 0.55:
                left, top = 20 + col * 38 + (row % 2) * 19, 20 + row * 13
                s.cut(box(left, top, left + 35, top + 11, 0.6), mixed("#d9a57e", "#c8895f", rng.uniform(0.2, 0.8)))
    s.cut(box(0, 190, 640, 256), "#6e4636", shadow=2)
    for i in range(16):
        s.cut(box(12 + i * 42, 197, 46 + i * 42, 250, 1), "#7b5040")
    s.cut(box(0, 186, 640, 192), "#4f3126")
    window(s, 200, 76, 130, 96, light, bars=2, town=True)
    for i in range(9):  # a striped awning over the window
        x = 188 + i * 17.2
        s.cut(curve("0,58 17,58 17.5,80 8.6,87 -.5,80", x, 0), CREAM if i % 2 else "#b4553a", shadow=1.0)
    s.cut(box(372, 78, 466, 150), DARK_WOOD, shadow=2.5)  # blackboard
    s.cut(box(377, 83, 461, 145), "#33423f")
    for i, w in enumerate((50, 66, 42, 58)):
        s.line([(386, 96 + i * 12), (386 + w, 96 + i * 12)], 1.6, "#cfd8cc")
        s.line([(446, 96 + i * 12), (454, 96 + i * 12)], 1.6, "#e0b054")
    s.cut(box(484, 96, 604, 101), DARK_WOOD, shadow=2)
    s.cut(box(484, 142, 604, 147), DARK_WOOD, shadow=2)
    for i in range(9):
        c = ("#e9dcc0", "#3f8f80", "#d9a441")[i % 3]
        s.cut(curve("1,96 0,86 10,86 9,96", 487 + i * 13), c)
        s.cut(box(488 + i * 13, 118 + (i % 3) * 4, 497 + i * 13, 142, 2), ("#7b4f68", "#5d8a5a", "#b4553a")[i % 3])
    for x in (256, 446, 548):
        lamp(s, x, 62, "#d9a441", light)
    plant(s, 346, 268, 34)


def office(s: PaperSheet, place: StageSet, light: str, rng: random.Random) -> None:
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
    s.cut(curve("366,92 386,86 396,98 388,114 374,110"), "#8fb08f")
    s.cut(curve("402,90 432,88 438,104 420,112 406,104"), "#8fb08f")
    s.cut(curve("392,118 404,116 402,130 394,128"), "#8fb08f")
    s.cut(oval(424, 98, 2.4), "#b8432f")
    clock(s, 490, 92, 17)
    s.cut(box(526, 84, 606, 90), DARK_WOOD, shadow=2)
    s.cut(box(526, 126, 606, 132), DARK_WOOD, shadow=2)
    for x, c in ((530, "#b4553a"), (545, "#3f6f94"), (560, "#d9a441")):
        s.cut(box(x, 102, x + 12, 126), c, shadow=0.6)
        s.cut(box(x + 3, 108, x + 9, 114), CREAM)
    books(s, 576, 604, 126, 24, rng)
    books(s, 530, 566, 84, 22, rng)
    s.cut(curve("582,84 584,66 596,66 598,84"), "#3f8f80", shadow=1)
    lamp(s, 446, 62, "#4a5a55", light)
    for x, y, c in ((270, 186, "#f0d98a"), (286, 190, "#e6a48a"), (300, 184, "#a9cfc0"), (278, 204, "#f6ecd8")):
        s.cut(box(x, y, x + 12, y + 12), c, shadow=0.7)


def bedroom(s: PaperSheet, place: StageSet, light: str, rng: random.Random) -> None:
    paper = "#d9b6a8"
    wall(s, paper, "#9c7358", "#f0e0cc")
    for i in range(60):
        px, py = 30 + (i * 61) % 590, 36 + (i * 37) % 210
        s.cut(curve("0,-4 2.6,0 0,4 -2.6,0", px, py), lighter(paper, 0.22))
    window(s, 226, 82, 78, 88, light, curtain="#3f8f80")
    s.cut(box(560, 100, 612, 266), "#8c5c3c", shadow=3)  # wardrobe
    s.cut(box(564, 108, 608, 256, 1), "#a06e49")
    s.cut(oval(569, 184, 2.2), GOLD)
    picture(s, 364, 84, 46, 38, 1)
    picture(s, 478, 78, 36, 46, 2)
    s.line(oval(445, 96, 16, 18), 3, GOLD, shadow=1.5)
    s.cut(oval(445, 96, 14.6, 16.6), "#dfe9e4")
    y = FLOOR - place.seat_height + 5
    s.cut(curve("332,40 332,-50 340,-62 352,-62 356,-50 356,40", 0, y), DARK_WOOD, shadow=3)
    s.cut(curve("538,40 538,-24 546,-34 556,-24 556,40", 0, y), DARK_WOOD, shadow=2)
    s.cut(box(350, y + 8, 544, y + 32), darker("#8c5c3c", 0.1))
    s.cut(box(350, y - 8, 544, y + 14, 6), "#f4ead8", shadow=2)
    s.cut(curve("394,-10 544,-11 546,26 500,22 450,27 396,24", 0, y), "#7b9e9a", shadow=2)
    for i in range(6):
        s.line([(408 + i * 24, y - 9), (406 + i * 24, y + 22)], 2.0, "#e3d3b8")
    s.cut(curve("356,-8 358,-26 388,-25 392,-9", 0, y), CREAM, shadow=1.5)
    s.cut(curve("290,300 560,300 580,326 262,326"), "#c98a6a", alpha=0.5)
    lamp(s, 330, 60, "#e0b054", light)
    plant(s, 200, 268, 36, pot="#3f8f80")


def library(s: PaperSheet, place: StageSet, light: str, rng: random.Random) -> None:
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
    s.cut(curve("254,214 262,210 268,218 262,230 255,224"), "#c9b06a")
    s.line(oval(264, 222, 18, 18, 100, 280), 1.6, GOLD)
    s.cut(curve("300,300 600,300 620,327 276,327"), "#8c4a3c", alpha=0.6)
    lamp(s, 446, 70, "#0d5f57", light)
