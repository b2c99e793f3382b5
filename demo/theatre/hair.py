"""Hair: what lies behind a head, and what over it."""

from .cast import Character
from .paper import PaperSheet, curve, darker, lighter, oval


def hair_behind(s: PaperSheet, p: Character) -> None:
    c = darker(p.hair_colour, 0.14)
    if p.hair == "bun":
        s.cut(oval(-13, -45, 8.5), c)
        s.cut(curve("-16,-20 -16,-38 -2,-49 8,-46 4,-20 -8,-10"), c)
    elif p.hair == "bob":
        s.cut(
            curve("-17,-8 -20,-28 -10,-46 4,-50 16,-42 10,-20 -2,-4 -12,-3"),
            c,
        )
    elif p.hair == "long":
        s.cut(
            curve("-16,12 -22,-8 -20,-32 -8,-48 6,-50 14,-40 2,-14 -3,8 -9,15"),
            c,
        )
    elif p.hair == "ponytail":
        s.cut(
            curve("-12,-40 -22,-42 -29,-28 -27,-8 -21,-2 -21,-18 -18,-28 -11,-32"),
            c,
        )
        s.cut(curve("-15,-18 -15,-38 -2,-48 8,-46 2,-20"), c)
    elif p.hair == "afro":
        s.discs("-15,-30,13 -9,-43,14 4,-49,14 14,-42,10 -14,-18,10 -4,-34,18", c)
    elif p.hair == "curls":
        s.discs("-13,-28,8 -12,-38,8 -4,-45,8.5 6,-47,8 -11,-18,6", c)
    else:
        s.cut(curve("-14,-16 -16,-32 -8,-45 4,-48 8,-30 -4,-14"), c)


def hair_before(s: PaperSheet, p: Character) -> None:
    c = p.hair_colour
    if p.hair == "bun":
        s.cut(
            curve("-15,-18 -16,-36 -4,-49 10,-46 16,-34 8,-38 -2,-38 -8,-28 -10,-18"),
            c,
        )
        s.line([(-12, -38), (-4, -44), (6, -44)], 0.9, lighter(c, 0.4))
    elif p.hair == "bob":
        s.cut(curve("-18,-8 -20,-28 -10,-46 4,-50 16,-42 17,-31 8,-34 -2,-33 -6,-20 -7,-6 -13,-4"), c)
        s.line([(-14, -34), (-6, -43), (4, -46)], 1.0, lighter(c, 0.25))
    elif p.hair == "long":
        s.cut(curve("-14,10 -21,-8 -19,-32 -7,-48 6,-50 15,-42 17,-30 9,-37 0,-38 -7,-24 -7,-4 -9,10"), c)
        s.line([(-15, -24), (-10, -38), (0, -45)], 1.0, lighter(c, 0.3))
        s.line([(-16, -12), (-14, 2)], 1.0, lighter(c, 0.3))
    elif p.hair == "ponytail":
        s.cut(
            curve("-14,-20 -16,-36 -5,-48 8,-48 16,-38 16,-32 6,-38 -4,-34 -9,-22"),
            c,
        )
        s.cut(oval(-13, -37, 3.4), "#c6603f")
    elif p.hair == "afro":
        s.discs("-10,-38,8 -3,-44,8.5 6,-46,8 12,-41,6.5 -12,-28,7", c)
        s.line(oval(0, -40, 15, 9, 200, 300), 1.6, "#c6603f")
    elif p.hair == "curls":
        s.discs("-10,-36,6.5 -4,-42,7 4,-44,7 11,-41,6 15,-37,4 -12,-27,5", c)
        for x, y in ((-6, -42), (3, -45), (10, -42)):
            s.line(oval(x, y, 3, 3, 180, 330), 0.9, lighter(c, 0.3))
    elif p.hair == "quiff":
        s.cut(curve("-14,-22 -15,-38 -4,-49 8,-54 19,-50 20,-43 13,-40 4,-40 -6,-36 -10,-24"), c)
        s.line([(-6, -44), (6, -49), (15, -47)], 1.0, lighter(c, 0.35))
    elif p.hair == "bald":
        s.cut(curve("-14,-18 -15,-31 -10,-35 -7,-28 -9,-18"), c)
    elif p.hair == "short":
        s.cut(
            curve("-14,-22 -15,-38 -4,-48 8,-48 16,-40 15,-35 6,-39 -6,-36 -10,-24"),
            c,
        )
    else:  # grey, with a parting
        s.cut(curve("-14,-18 -16,-36 -6,-48 6,-50 16,-42 15,-35 6,-41 -3,-38 -9,-30 -10,-18"), c)
        s.line([(-4, -47), (4, -42)], 0.9, darker(c, 0.25))
