"""The pieces that every person is made of: limbs with pins, torso with clothes, head with hair."""

from functools import cache

from .cast import CAST, Character
from .hair import hair_before, hair_behind
from .paper import PaperPiece, PaperSheet, box, curve, darker, lighter, mixed, oval, points, smooth
from .rehearsal import FIGURE_SCALE, FOREARM, SHIN, THIGH, UPPER_ARM

BRASS = "#c9973f"


def _sheet(person: Character, width: float, height: float, ox: float, oy: float) -> PaperSheet:
    return PaperSheet(width, height, ox, oy, zoom=person.height * FIGURE_SCALE)


def _pin(sheet: PaperSheet) -> None:
    sheet.cut(oval(0, 0, 1.5), darker(BRASS, 0.25))
    sheet.cut(oval(-0.2, -0.2, 1.1), lighter(BRASS, 0.25))


@cache
def limbs(name: str) -> dict[str, PaperPiece]:
    """Arms and legs; each hangs down from its pivot."""
    p = CAST[name]
    pieces: dict[str, PaperPiece] = {}
    sleeve = p.top if p.pattern != "waistcoat" else p.top_trim
    if p.pattern == "apron":
        sleeve = lighter(p.top, 0.1)
    for side in ("near", "far"):
        shade = 0.0 if side == "near" else 0.17
        colour, skin = darker(sleeve, shade), darker(p.skin, shade * 0.7)
        w = 6.6 * p.build
        s = _sheet(p, 30, 46, 15, 11)
        low = w * 0.86
        shape = smooth([(-w, -3), (0, -w - 0.5), (w, -3), (low, UPPER_ARM), (0, UPPER_ARM + 5), (-low, UPPER_ARM)])
        s.cut(shape, colour)
        if p.pattern == "stripes":
            for y in range(2, 32, 7):
                s.cut(box(-12, y, 12, y + 3), darker(p.top_trim, shade), within=shape)
        if side == "near":
            _pin(s)
        pieces[f"{side} upper"] = PaperPiece.of(s, offset=11)
        s = _sheet(p, 30, 48, 15, 9)
        short = p.pattern in {"dots", "plain", "braces"}  # rolled-up sleeves
        shape = smooth([(-5.4, -3), (0, -5.6), (5.4, -3), (4.0, FOREARM - 4), (0, FOREARM), (-4.0, FOREARM - 4)])
        s.cut(shape, skin if short else colour)
        if short:
            s.cut(box(-9, -8, 9, 5), colour, within=[(x * 1.1, y) for x, y in shape])
        elif p.pattern == "stripes":
            for y in range(0, 20, 7):
                s.cut(box(-12, y, 12, y + 3), darker(p.top_trim, shade), within=shape)
        else:
            s.cut(box(-9, FOREARM - 7, 9, FOREARM - 3), darker(p.top_trim, shade), within=shape)
        s.cut(curve("-4.4,-3 4.2,-3 5.2,3 1.5,8 -3.5,6", 0, FOREARM), skin)
        s.cut(curve("2.5,-2 7,1 6.5,4 3,3", 0, FOREARM), skin)
        if side == "near":
            _pin(s)
        pieces[f"{side} fore"] = PaperPiece.of(s, offset=47)
        leg = darker(p.legs_colour, shade * 0.9)
        skirt = p.legs == "skirt"
        s = _sheet(p, 60, 66, 30, 14)
        if skirt:
            shape = curve("-11,-6 0,-10 11,-6 17,26 19,46 0,49 -19,46 -17,26")
            s.cut(shape, leg)
            if p.pattern == "dots":
                for i in range(14):
                    s.cut(oval((i * 37) % 34 - 16, 4 + i * 23 % 43, 2.0), p.top_trim, within=shape)
            s.cut(box(-22, 41, 22, 44), lighter(leg, 0.25), within=shape)
        else:
            w, low = 8.6 * p.build, 8.6 * p.build * 0.84
            s.cut(smooth([(-w, -5), (0, -9), (w, -5), (low, THIGH - 4), (0, THIGH + 7), (-low, THIGH - 4)]), leg)
        pieces[f"{side} thigh"] = PaperPiece.of(s, offset=5)
        s = _sheet(p, 40, 58, 20, 10)
        if skirt:
            s.cut(smooth([(-5, -5), (5, -5), (4.4, 16), (3.2, SHIN + 2), (-3.2, SHIN + 2), (-5.4, 14)]), skin)
        else:
            w, low = 7.0 * p.build, 7.0 * p.build * 0.85
            s.cut(smooth([(-w, -3), (0, -7.5), (w, -3), (w * 0.9, 20), (low, SHIN), (-low, SHIN), (-w, 20)]), leg)
            s.cut(box(-9, SHIN - 3, 9, SHIN + 1), darker(leg, 0.15), within=box(-low, 0, low, SHIN))
        if side == "near" and not skirt:
            _pin(s)
        pieces[f"{side} shin"] = PaperPiece.of(s, offset=29)
        s = _sheet(p, 40, 24, 14, 12)
        shoe = darker(p.shoes, shade)
        s.cut(curve("-6,-5 3,-6 9,-1 17,1 17,5 -6,5"), shoe)
        s.cut(box(-7, 3.4, 18, 5.2), lighter(shoe, 0.35), within=box(-6.2, 3.4, 17, 5.2))
        pieces[f"{side} foot"] = PaperPiece.of(s, offset=61)
    return pieces


@cache
def torso(name: str) -> PaperPiece:
    p = CAST[name]
    b = p.build
    s = _sheet(p, 64, 86, 32, 68)
    if p.gender == "woman":
        flank, back = points("-14,4 -11,-14 -15,-36 -12,-50", wide=b, high=1), "13,-49 17,-34 12,-14 14,4"
        shape = smooth([*flank, (-4, -55), (6, -55), *points(back, wide=b, high=1), (0, 8)])
    else:
        belly = 3.5 if b > 1.1 else 0.0
        flank, back = points("-13,5 -13,-16 -17,-40 -13,-51", wide=b, high=1), "14,-50 18,-38"
        front = [(15 * b + belly, -16), (13 * b + belly, 5)]
        shape = smooth([*flank, (-4, -56), (6, -56), *points(back, wide=b, high=1), *front, (0, 9)])
    s.cut([(-5, -50), (6, -50), (6, -63), (-4, -63)], darker(p.skin, 0.12))
    s.cut(shape, p.top)
    if p.pattern == "stripes":
        for y in range(-58, 12, 8):
            s.cut(box(-30, y, 30, y + 3.4), p.top_trim, within=shape)
    elif p.pattern == "dots":
        for i in range(26):
            s.cut(oval((i * 29) % 40 - 19, -54 + i * 41 % 62, 2.1), p.top_trim, within=shape)
        s.cut(curve("-6,-57 8,-57 10,-51 2,-46 -6,-50"), p.top_trim)
    elif p.pattern == "apron":
        s.cut(curve("-6,-40 14,-40 13,-14 17,8 -13,9 -7,-14"), p.top_trim, within=shape)
        s.line([(-5, -39), (-6, -54)], 2.2, p.top_trim)
        s.line([(12, -39), (8, -54)], 2.2, p.top_trim)
        s.line([(-12 * b, -13), (13 * b, -13)], 2.4, darker(p.top_trim, 0.15))
        s.cut(curve("-1,-8 11,-8 10,1 0,1"), darker(p.top_trim, 0.1), within=shape)
    elif p.pattern == "cardigan":
        s.cut([(1, -57), (9, -57), (10, 10), (3, 10)], p.top_trim, within=shape)
        for y in (-40, -28, -16, -4):
            s.cut(oval(1, y, 1.3), lighter(p.top_trim, 0.2))
        s.cut(curve("-11,-12 -3,-12 -3,-2 -11,-2"), darker(p.top, 0.15))
    elif p.pattern == "waistcoat":
        s.cut(shape, p.top_trim)
        vest = [(-20 * b, -58), (0, -58), (5, -36), (10, -58), (24 * b, -58), (24 * b, 2), (6, 9), (2, 4), (-20 * b, 8)]
        s.cut(vest, p.top, within=shape)
        for y in (-30, -20, -10):
            s.cut(oval(5, y, 1.4), BRASS)
        s.cut([(1, -55), (9, -55), (5, -49)], "#a8483a")
    elif p.pattern == "braces":
        for x in (-8 * b, 9 * b):
            s.line([(x, -54), (x * 0.85, 6)], 3.0, p.top_trim)
        s.cut(box(-30, -2, 30, 3), darker(p.legs_colour, 0.2), within=shape)
        s.cut([(-3, -56), (8, -56), (3, -49)], lighter(p.top, 0.4))
    elif p.pattern == "suit":
        s.cut([(-2, -57), (10, -57), (6, -22)], "#f3e9d6", within=shape)
        s.cut([(-8, -57), (0, -57), (6, -24), (2, -22)], lighter(p.top, 0.14), within=shape)
        s.cut([(14, -57), (8, -57), (6, -24), (9, -24)], lighter(p.top, 0.14), within=shape)
        s.cut(curve("0,-53 4,-51 8,-53 8,-47 4,-49 0,-47"), p.top_trim)
        s.cut(oval(5, -14, 1.5), lighter(p.top, 0.4))
        s.cut([(-9, -37), (-3, -38), (-4, -33), (-8, -33)], p.top_trim)
    else:
        s.cut([(-3, -57), (9, -57), (4, -46)], darker(p.skin, 0.08), within=shape)
    if "scarf" in p.extras:
        scarf = "#e0b054"
        s.cut(curve("-10,-58 11,-58 13,-51 2,-47 -10,-50"), scarf, shadow=0.8)
        s.cut([(6, -51), (13, -51), (15, -27), (8, -26)], darker(scarf, 0.1))
        for x in (9, 12):
            s.line([(x, -27), (x + 0.4, -23)], 1.0, darker(scarf, 0.1))
    if p.legs == "trousers" and p.pattern != "suit":
        s.cut(box(-30, 3, 30, 12), p.legs_colour, within=shape)
        s.cut(box(-30, 1.5, 30, 3.6), darker(p.legs_colour, 0.35), within=shape)
    return PaperPiece.of(s, offset=83)


@cache
def head(name: str, mouth: str, blink: bool, angry: bool) -> PaperPiece:
    """A head in three-quarter view to the right; its pivot is the neck."""
    p = CAST[name]
    hair, skin = p.hair_colour, p.skin
    s = PaperSheet(92, 96, 46, 72, zoom=p.height * FIGURE_SCALE * 1.1)
    hair_behind(s, p)
    s.cut(oval(-8, -22, 4, 5.4), darker(skin, 0.1))
    s.cut(curve("-13,-24 -11,-38 1,-45 13,-38 16,-26 14,-12 6,-4 -3,-5 -10,-12"), skin)
    s.cut(curve("13,-28 20,-22 18.5,-18.5 12,-18"), skin)  # nose
    s.cut(curve("14,-19 18.4,-18.6 14,-17.4"), darker(skin, 0.16))
    s.cut(oval(4, -15, 4.4, 3.4), mixed(skin, "#d0563f", 0.32), alpha=0.75)
    ink = "#2c211e"
    for x, r in ((4.5, 1.9), (12, 1.7)):
        if blink:
            s.line([(x - 2.2, -25), (x, -24.2), (x + 2.2, -25)], 1.0, ink)
        else:
            s.cut(oval(x, -25.5, r, r * 1.25), ink)
            s.cut(oval(x + 0.6, -26.4, 0.6), "#ffffff")
        tilt = 2.6 if angry else -0.6
        inner = 1 if x < 8 else -1
        brow = darker(hair, 0.35 if p.hair in {"grey", "bun"} else 0.3)
        s.line([(x - 3, -31 - tilt * inner * 0.6), (x + 3, -31 + tilt * inner * 0.6)], 1.5, brow)
    if mouth == "open":
        s.cut(oval(10, -11, 3.0, 3.2), "#6e2b26")
        s.cut(oval(10, -9.6, 1.9, 1.5), "#c8665a")
    elif mouth == "flat" or angry:
        s.line([(6.6, -10.2), (10, -11), (13, -10.4)], 1.3, "#7b3a31")
    else:
        s.line([(5.6, -12.2), (8, -10.2), (11, -10), (13.4, -12)], 1.4, "#8a3d33")
    if "beard" in p.extras:
        s.cut(curve("-11,-22 -7,-12 3,-14.5 8,-15 15,-13 15,-5 8,3 -2,2 -9,-8"), hair)
        if mouth == "open":
            s.cut(oval(9.5, -9.5, 2.8, 2.8), "#6e2b26")
        else:
            s.line([(6.5, -10.5), (9, -9.4), (12.4, -10.4)], 1.4, mixed(skin, "#8a3d33", 0.5))
    if "moustache" in p.extras:
        s.cut(curve("3,-13 8,-17 11,-15.5 15,-16.5 18,-12 12,-12.6 8,-12.4"), hair)
    hair_before(s, p)
    if "glasses" in p.extras:
        frame = "#4a3428"
        for x in (4.2, 12.6):
            s.cut(oval(x, -25, 5.0, 4.8), "#ffffff", alpha=0.28)
            s.line(oval(x, -25, 4.8, 4.6), 1.0, frame)
        s.line([(-0.6, -25.5), (-8, -26.5)], 1.0, frame)
    return PaperPiece.of(s, offset=101)
