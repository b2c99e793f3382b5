"""The cut-out figures: a person's pieces, laid out in a pose."""

import math
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageFilter

from .cast import CAST
from .paper import SCALE, PaperPiece, Point
from .props import prop_piece
from .rehearsal import FIGURE_SCALE, FOREARM, SHIN, SHOULDER, THIGH, UPPER_ARM
from .wardrobe import head, limbs, torso

_ROOM = (128.0, 236.0, 30.0)  # units left and right of the figure, above the floor, below it


@dataclass(frozen=True)
class Pose:
    """The joints of a figure that faces right; angles in degrees, places in units of the body."""

    hip: float
    lean: float
    nod: float
    near: Point
    far: Point
    sit: float
    walk: float
    step: float
    grip: float
    spread: float
    angry: bool
    mouth: str  # "smile" | "open" | "flat"
    blink: bool
    held: tuple[str, str] | None
    hat: tuple[str, str] | None
    turn: float  # 1 faces right, -1 left, between: turning, as thin as paper


@dataclass(frozen=True)
class Drawn:
    """A drawn figure: the image, its shadow as a mask, and where its feet's middle is in it."""

    image: Image.Image
    shadow: Image.Image
    foot: tuple[int, int]


def _bend(root: Point, tip: Point, first: float, second: float, forward: float) -> tuple[float, float, Point]:
    """Angles of two bones from root to tip (as near as they reach) and where their joint is."""
    dx, dy = tip[0] - root[0], tip[1] - root[1]
    distance = min(max(math.hypot(dx, dy), abs(first - second) + 0.5), first + second - 0.05)
    along = math.atan2(dy, dx)
    inner = math.acos((first**2 + distance**2 - second**2) / (2 * first * distance))
    angle = along - forward * inner
    joint = (root[0] + first * math.cos(angle), root[1] + first * math.sin(angle))
    end = (root[0] + distance * math.cos(along), root[1] + distance * math.sin(along))
    return _hang(end[0] - joint[0], end[1] - joint[1]), _hang(joint[0] - root[0], joint[1] - root[1]), joint


def _hang(dx: float, dy: float) -> float:
    """Degrees that turn something hanging down into the direction (dx, dy)."""
    return math.degrees(math.atan2(-dx, dy))


def _tip(joint: Point, degrees: float, length: float) -> Point:
    """The end of a bone that hangs from a joint, turned by so many degrees."""
    a = math.radians(degrees)
    return joint[0] - math.sin(a) * length, joint[1] + math.cos(a) * length


@lru_cache(maxsize=1500)
def draw_figure(name: str, pose: Pose) -> Drawn:
    """Lays a person's pieces in a pose."""
    p = CAST[name]
    unit = SCALE * p.height * FIGURE_SCALE
    left, above, below = _ROOM
    layer = Image.new("RGBA", (round(2 * left * SCALE), round((above + below) * SCALE)), (0, 0, 0, 0))
    middle, floor = left * SCALE, above * SCALE

    def lay(piece: PaperPiece, at: Point, degrees: float = 0.0) -> None:
        piece.lay(layer, middle + at[0] * unit, floor + at[1] * unit, degrees)

    pieces = limbs(name)
    lean = math.radians(pose.lean)
    hip = (0.0, -pose.hip)
    shoulder = (hip[0] + math.sin(lean) * SHOULDER, hip[1] - math.cos(lean) * SHOULDER)
    neck = (hip[0] + math.sin(lean) * 55, hip[1] - math.cos(lean) * 55)

    def leg(side: str, phase: float, offset: float) -> None:
        root = (hip[0] + offset * 0.5, hip[1])
        stride, raised = math.sin(pose.step + phase), max(0.0, math.cos(pose.step + phase))
        foot = (
            offset * (1 - pose.sit) + pose.sit * (34 + offset) + pose.walk * 20 * stride,
            -5 - pose.walk * 9 * raised,
        )
        shin, thigh, knee = _bend(root, foot, THIGH, SHIN, 1.0)
        ankle = _tip(knee, shin, SHIN)
        tilt = pose.walk * (18 * raised - 10 * max(0.0, stride) * (1 - raised))
        lay(pieces[f"{side} foot"], ankle, tilt)
        lay(pieces[f"{side} shin"], knee, shin)
        lay(pieces[f"{side} thigh"], root, thigh)

    def arm(side: str, hand: Point, phase: float) -> None:
        root = (shoulder[0] + (-3 if side == "near" else 6), shoulder[1])
        swing = pose.walk * 13 * math.sin(pose.step + phase) if hand[1] > 40 else 0.0
        tip = (shoulder[0] + hand[0] + swing, shoulder[1] + hand[1] - abs(swing) * 0.15)
        fore, upper, elbow = _bend(root, tip, UPPER_ARM, FOREARM, -1.0)
        if side == "near" and pose.held:
            end = _tip(elbow, fore, FOREARM + 3)
            prop = prop_piece(*pose.held, round(pose.spread, 1))
            if pose.held[0] == "guitar" and pose.spread > 0.5:
                end = (shoulder[0] + 8, shoulder[1] + 36)
            lay(prop, end, pose.grip)
        lay(pieces[f"{side} upper"], root, upper)
        lay(pieces[f"{side} fore"], elbow, fore)

    arm("far", pose.far, 0.0)
    leg("far", math.pi, 5.0)
    leg("near", 0.0, -5.0)
    lay(torso(name), hip, pose.lean)
    tilt = pose.lean * 0.55 + pose.nod
    lay(head(name, pose.mouth, pose.blink, pose.angry), neck, tilt)
    if pose.hat:
        a = math.radians(tilt)
        top = (neck[0] + math.sin(a) * 40 + 1, neck[1] - math.cos(a) * 40)
        lay(prop_piece(*pose.hat, 0.0), top, tilt - 4)
    arm("near", pose.near, math.pi)
    return _shadowed(layer, pose.turn, middle, floor)


def _shadowed(layer: Image.Image, turn: float, middle: float, floor: float) -> Drawn:
    bounds = layer.getbbox() or (0, 0, 4, 4)
    margin = 12
    x0, y0 = max(0, bounds[0] - margin), max(0, bounds[1] - margin)
    image = layer.crop((x0, y0, min(layer.width, bounds[2] + margin), min(layer.height, bounds[3] + margin)))
    foot_x, foot_y = middle - x0, floor - y0
    if turn < 0:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        foot_x = image.width - foot_x
    thin = max(0.12, abs(turn))
    if thin < 0.97:
        width = max(6, round(image.width * thin))
        foot_x *= width / image.width
        image = image.resize((width, image.height), Image.Resampling.BILINEAR)
    mask = image.getchannel("A")
    small = mask.reduce(3).filter(ImageFilter.GaussianBlur(1.5))
    shadow = small.resize(image.size, Image.Resampling.BILINEAR).point([round(v * 0.27) for v in range(256)])
    return Drawn(image, shadow, (round(foot_x), round(foot_y)))
