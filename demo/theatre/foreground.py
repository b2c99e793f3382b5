"""What stands in front of the actors on each set: the table, flowers at the edge of the stage."""

from .cast import FLOOR, StageSet
from .furniture import CREAM, GOLD, table
from .paper import PaperSheet, box, curve, lighter, oval, points


def paint_front(s: PaperSheet, place: StageSet) -> None:
    _FRONT[place.name](s, FLOOR - place.top_height + 2)


def _nightstand(s: PaperSheet, y: float) -> None:
    s.cut(box(404, y, 486, FLOOR + 8, 2), "#8c5c3c", shadow=2.5)
    s.cut(points("404,-7 486,-7 492,1 398,1", 0, y), lighter("#a8754a", 0.15))
    s.cut(box(398, y, 492, y + 6, 1.5), "#a8754a", shadow=1.5)
    for top in (y + 10, y + 32):
        s.cut(box(410, top, 480, top + 18, 1.5), "#9c6a46", shadow=1)
        s.cut(oval(445, top + 9, 2.4), GOLD)


def _stall(s: PaperSheet, y: float) -> None:
    s.cut(box(400, y + 4, 490, FLOOR + 8), "#3f8f80", shadow=2.5)
    for i in range(5):
        s.cut(box(402 + i * 18, y + 6, 411 + i * 18, FLOOR + 8), lighter("#3f8f80", 0.16))
    s.cut(points("400,-7 490,-7 498,1 392,1", 0, y), lighter("#c99d6d", 0.2))
    s.cut(box(392, y, 498, y + 7, 1.5), "#c99d6d", shadow=1.5)
    s.cut(box(424, y + 16, 466, y + 36, 2), CREAM, shadow=1)
    s.cut(curve("439,23 445,21 451,23 452,29 445,33 438,29", 0, y), "#c24a36")
    s.line([(445, y + 22), (447, y + 18)], 1.4, "#5d8a5a")


def _picnic(s: PaperSheet, y: float) -> None:
    table(s, y, "#b07a48", "#f0e4cc")
    for x, flower in ((60, "#d8776a"), (580, "#e6b04a")):
        for i in range(7):
            dx, h = (i - 3) * 7, 18 + (i * 5) % 11
            s.line([(x + dx * 0.6, 344), (x + dx, 342 - h)], 1.6, "#4f7f5a")
            s.cut(oval(x + dx, 340 - h, 4), flower if i % 2 else "#f6ecd8", shadow=0.8)


def _reading_desk(s: PaperSheet, y: float) -> None:
    table(s, y, "#7a4f35")
    s.cut(box(406, y + 7, 484, y + 22, 1), "#8f6243", shadow=1.2)
    s.cut(oval(445, y + 14, 2.2), GOLD)


def _desk(s: PaperSheet, y: float) -> None:
    table(s, y, "#9c6a46")
    s.cut(box(466, y + 6, 490, FLOOR + 6), "#8c5c3c", shadow=1.5)
    for top in (y + 11, y + 30, y + 49):
        s.cut(box(469, top, 487, top + 15, 1), "#a8754a")
        s.cut(oval(478, top + 7, 1.6), GOLD)


def _cafe_table(s: PaperSheet, y: float) -> None:
    s.line([(445, y), (445, FLOOR + 6)], 6, "#33423f", shadow=2)
    s.cut(curve("424,9 438,3 452,3 466,9", 0, FLOOR), "#33423f", shadow=1.5)
    s.cut(oval(445, y - 2, 51, 6), lighter("#e9dcc0", 0.2))
    s.cut(curve("394,-1 445,4 496,-1 494,5 445,11 396,5", 0, y), "#e0cda6", shadow=2)


_FRONT = {
    "kitchen": lambda s, y: table(s, y, "#b9804f", "#f4ead8"),
    "living room": lambda s, y: table(s, y, "#7a4f35"),
    "park": _picnic,
    "café": _cafe_table,
    "office": _desk,
    "bedroom": _nightstand,
    "street": _stall,
    "library": _reading_desk,
}
