"""The actions of the paper theatre: what every actor and object does, second by second.

A `Play` is one video being rehearsed. Its methods are the actions; each moves the clock `now` on and
leaves its movements in tracks. Nothing is drawn here. All places are on the unmirrored stage.
"""

import math
import random
from dataclasses import dataclass, field

from .cast import DOOR_X, FLOOR, LEFT_WING, RIGHT_WING, SEATS, TOP_SPOTS, Person, Place
from .tracks import Track

# The body, in units of its height; `Actor.k` turns them into stage units.
HIP, SHOULDER, THIGH, SHIN, UPPER_ARM, FOREARM = 76.0, 47.0, 36.0, 36.0, 27.0, 26.0
FIGURE_SCALE = 1.12

_REST = {
    "face": 1.0, "walk": 0.0, "step": 0.0, "hip": HIP, "lean": 0.0, "nod": 0.0, "nx": 5.0, "ny": 50.0,
    "fx": 6.0, "fy": 49.0, "sit": 0.0, "grip": 0.0, "spread": 0.0, "brow": 0.0, "lift": 0.0,
}  # fmt: skip

# How a thing is carried: near hand, far hand (None: hangs down), angle of the thing.
_CARRY: dict[str, tuple[tuple[float, float], tuple[float, float] | None, float]] = {
    "book": ((22, 32), None, 0), "letter": ((24, 28), None, 0), "newspaper": ((20, 34), None, 0),
    "cup": ((26, 24), None, 0), "teapot": ((28, 24), None, 0), "umbrella": ((14, 44), None, 0),
    "basket": ((28, 34), (30, 33), 0), "box": ((27, 30), (29, 29), 0), "suitcase": ((6, 50), None, 0),
    "hat": ((20, 34), None, 0), "phone": ((24, 28), None, 0), "flowers": ((24, 24), None, 0),
    "cake": ((28, 24), (30, 25), 0), "apple": ((24, 28), None, 0), "ball": ((22, 32), None, 0),
    "guitar": ((8, 49), None, 0),
}  # fmt: skip

Where = tuple[str, float, float, float, float, float]


@dataclass(eq=False)
class Prop:
    """One object of a video and where it is: ("spot", x, height), ("hand", actor), ("head", actor), ..."""

    noun: str
    colour: str
    places: list[tuple[float, str, tuple[float, ...]]] = field(default_factory=list)
    open: bool = False  # an umbrella that is up

    @property
    def thing(self) -> str:
        return f"{self.colour} {self.noun}"

    def at(self, time: float) -> tuple[float, str, tuple[float, ...]] | None:
        now = None
        for place in self.places:
            if place[0] > time:
                break
            now = place
        return now


@dataclass(eq=False)
class Actor:
    """One person of a video: where they are now, what they hold, and the tracks of their joints."""

    index: int
    person: Person
    tracks: dict[str, Track]
    seat: int | None = None
    held: Prop | None = None
    hat: Prop | None = None
    on_stage: bool = False
    talks: list[tuple[float, float]] = field(default_factory=list)

    @property
    def k(self) -> float:
        return self.person.height * FIGURE_SCALE

    @property
    def x(self) -> float:
        return self.tracks["x"].value

    @property
    def face(self) -> int:
        return 1 if self.tracks["face"].value >= 0 else -1


@dataclass(frozen=True)
class Effect:
    """Something drawn for a while that is neither actor nor prop: a bubble, notes, a stream of tea."""

    start: float
    end: float
    kind: str
    where: tuple[float, ...]
    text: str = ""


class Play:
    """One video in rehearsal: a place, people, things and a clock."""

    def __init__(self, place: Place, people: list[Person], rng: random.Random, now: float = 0.0) -> None:
        self.place = place
        self.rng = rng
        self.now = now
        self.actors = [
            Actor(i, p, {name: Track(value) for name, value in ({"x": LEFT_WING} | _REST).items()})
            for i, p in enumerate(people)
        ]
        self.props: list[Prop] = []
        self.effects: list[Effect] = []
        self.door = Track(0.0)
        self.lying: dict[int, Prop] = {}  # what lies on which spot of the table
        self.pace = 1.0

    # ---- setting the stage

    def lay(self, noun: str, colour: str, spot: int) -> None:
        prop = Prop(noun, colour)
        prop.places.append((-1.0, "spot", (TOP_SPOTS[spot], self.place.top_height)))
        self.lying[spot] = prop
        self.props.append(prop)

    def give(self, actor: Actor, noun: str, colour: str) -> None:
        prop = Prop(noun, colour)
        prop.places.append((-1.0, "hand", (actor.index,)))
        actor.held = prop
        self.props.append(prop)
        self._rest(actor, 0.0)

    def stand_at(self, actor: Actor, x: float, face: int) -> None:
        actor.on_stage = True
        self._move(actor, 0.0, x=x, face=float(face))

    def seat_at(self, actor: Actor, seat: int) -> None:
        x, face = SEATS[seat]
        self.stand_at(actor, x, face)
        actor.seat = seat
        self._move(actor, 0.0, hip=self._seat_hip(actor), sit=1.0)
        self._rest(actor, 0.0)

    # ---- small movements

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def _move(
        self, actor: Actor, seconds: float, *, at: float = 0.0, ease: str = "soft", **values: float
    ) -> None:
        for name, value in values.items():
            actor.tracks[name].to(self.now + at, seconds, value, ease)

    def _turn(self, actor: Actor, side: float) -> None:
        side = 1 if side >= 0 else -1
        if actor.face != side:
            self._move(actor, 0.34, face=float(side))
            self.wait(0.34)

    def _look_at(self, actor: Actor, x: float) -> None:
        if self._can_turn(actor):
            self._turn(actor, x - actor.x)

    def _can_turn(self, actor: Actor) -> bool:
        """Who sits on a chair keeps facing the table; on a sofa, bench or bed one may turn."""
        return actor.seat is None or self.place.seat in {"sofa", "bench", "bed"}

    def is_clear(self, actor: Actor, x: float, apart: float = 62.0) -> bool:
        """Whether nobody else stands or sits near x."""
        return all(abs(o.x - x) >= apart for o in self.actors if o is not actor and o.on_stage)

    def _clear_spot(self, actor: Actor, x: float) -> float:
        """The nearest place to x where one hides nobody."""
        for aside in range(0, 200, 8):
            for spot in (x - aside, x + aside):
                if 92 <= spot <= 546 and self.is_clear(actor, spot):
                    return spot
        return x

    def _seat_hip(self, actor: Actor) -> float:
        return self.place.seat_height / actor.k + 5

    def _stand_hip(self, actor: Actor) -> float:
        return self._seat_hip(actor) if actor.seat is not None else HIP

    def _rest(self, actor: Actor, seconds: float = 0.5, at: float = 0.0) -> None:
        """Back to standing or sitting at ease, holding what one holds."""
        idle = (20.0, 33.0) if actor.seat is not None else (5.0, 50.0)
        near, far, angle, spread = idle, idle, 0.0, 0.0
        if actor.held:
            carried = _CARRY[actor.held.noun]
            near, far, angle = carried[0], carried[1] or idle, carried[2]
            if actor.held.open:
                near, spread = (22.0, -8.0), 1.0
            elif actor.seat is not None and near[1] > 40:
                near = (24.0, 30.0)
        self._move(actor, seconds, at=at, nx=near[0], ny=near[1], fx=far[0] + 1, fy=far[1] - 1, grip=angle,
                   lean=0.0, nod=0.0, hip=self._stand_hip(actor), spread=spread, brow=0.0)  # fmt: skip

    def _go(self, actor: Actor, x: float) -> None:
        """Walks to x; stands up first if need be."""
        if actor.seat is not None and abs(actor.x - x) > 3:
            self._rise(actor)
        gap = x - actor.x
        if abs(gap) <= 3:
            return
        self._turn(actor, gap)
        seconds = max(0.5, abs(gap) / (105 * self.pace))
        steps = actor.tracks["step"].value + abs(gap) / 84 * 2 * math.pi
        self._move(actor, seconds, ease="walk", x=x, step=steps)
        self._move(actor, 0.25, walk=1.0, lean=4.0)
        self._move(actor, 0.3, at=seconds - 0.3, walk=0.0, lean=0.0)
        self.wait(seconds)

    def _rise(self, actor: Actor) -> None:
        actor.seat = None
        self._move(actor, 0.4, lean=24.0)
        self._move(actor, 0.8, at=0.2, hip=HIP, sit=0.0)
        self._move(actor, 0.5, at=0.55, lean=0.0)
        self._rest(actor, 0.5, at=0.7)
        self.wait(1.15)

    def _reach(self, actor: Actor, x: float, height: float, seconds: float, *, hand: str = "n",
               at: float = 0.0) -> None:  # fmt: skip
        """Brings a hand to a point of the stage, bending as far as the arm is too short."""
        for lean in range(0, 61, 3):
            crouch = 0.0 if actor.seat is not None else lean * 0.22
            hip = self._stand_hip(actor) - crouch
            shoulder_x = actor.x / actor.k + actor.face * math.sin(math.radians(lean)) * SHOULDER
            shoulder_y = hip + math.cos(math.radians(lean)) * SHOULDER
            dx = (x / actor.k - shoulder_x) * actor.face
            dy = shoulder_y - height / actor.k
            if math.hypot(dx, dy) <= (UPPER_ARM + FOREARM) * 0.96:
                break
        self._move(actor, seconds, at=at, lean=float(lean), hip=hip, nod=lean * 0.35)
        self._hand(actor, seconds, dx, dy, hand=hand, at=at)

    def _hand(self, actor: Actor, seconds: float, dx: float, dy: float, *, hand: str = "n", at: float = 0.0,
              ease: str = "soft") -> None:  # fmt: skip
        self._move(actor, seconds, at=at, ease=ease, **{f"{hand}x": dx, f"{hand}y": dy})

    def _free(self, actor: Actor) -> str:
        return "f" if actor.held else "n"

    def _say(self, actor: Actor, seconds: float, text: str = "") -> None:
        actor.talks.append((self.now, self.now + seconds))
        self.effects.append(Effect(self.now, self.now + seconds + 0.35, "bubble", (actor.index,), text))

    def _meet(self, actor: Actor, partner: Actor, apart: float) -> None:
        """Goes to stand before somebody, both turned to each other."""
        side = 1 if actor.x > partner.x else -1
        if not self._can_turn(partner):
            side = partner.face
        others = [o for o in self.actors if o not in (actor, partner) and o.on_stage]
        goals = [partner.x + side * apart, partner.x - side * apart]
        if not self._can_turn(partner):
            goals.pop()
        fits = [g for g in goals if 78 < g < 556 and all(abs(o.x - g) > 50 for o in others)]
        self._go(actor, fits[0] if fits else goals[0])
        self._face_each_other(actor, partner)

    def _face_each_other(self, actor: Actor, partner: Actor) -> None:
        if self._can_turn(partner) and partner.face != (1 if actor.x > partner.x else -1):
            self._move(partner, 0.34, face=1.0 if actor.x > partner.x else -1.0)
        self._look_at(actor, partner.x)

    def _take_place(self, prop: Prop, kind: str, *where: float) -> None:
        prop.places.append((self.now, kind, where))

    # ---- actions: walking about

    def enters(self, actor: Actor, x: float, wing: str) -> None:
        edge = LEFT_WING if wing == "left" else RIGHT_WING
        self._move(actor, 0.0, x=edge, face=1.0 if wing == "left" else -1.0)
        actor.on_stage = True
        self._rest(actor, 0.0)
        self.wait(0.1)
        self._go(actor, self._clear_spot(actor, x))
        self.wait(0.6)

    def leaves(self, actor: Actor, wing: str) -> None:
        self._go(actor, LEFT_WING - 20 if wing == "left" else RIGHT_WING + 20)
        actor.on_stage = False

    def walks_over(self, actor: Actor, x: float) -> None:
        self._go(actor, self._clear_spot(actor, x))
        self.wait(0.6)

    def sits_down(self, actor: Actor, seat: int) -> None:
        x, face = SEATS[seat]
        self._go(actor, x)
        self._turn(actor, face)
        actor.seat = seat
        self._move(actor, 0.4, lean=26.0)
        self._move(actor, 0.85, at=0.15, hip=self._seat_hip(actor), sit=1.0)
        self._move(actor, 0.5, at=0.7, lean=0.0)
        self._rest(actor, 0.5, at=0.85)
        self.wait(1.8)

    def stands_up(self, actor: Actor) -> None:
        self.wait(0.5)
        self._rise(actor)
        if self.rng.random() < 0.6:
            self._go(actor, self._clear_spot(actor, actor.x + (-46 if actor.x < 440 else 46)))
        self.wait(0.6)

    def opens_the_door(self, actor: Actor, closing: bool = False) -> None:
        self._go(actor, DOOR_X + 74)
        self._look_at(actor, DOOR_X)
        self._reach(actor, DOOR_X + 24, 66, 0.45, hand=self._free(actor))
        self.wait(0.5)
        self.door.to(self.now, 0.9, 0.0 if closing else 1.0)
        self._reach(actor, DOOR_X + (24 if closing else 40), 70, 0.9, hand=self._free(actor))
        self.wait(1.0)
        self._rest(actor)
        self.wait(0.9)

    # ---- actions: things

    def picks_up(self, actor: Actor, spot: int) -> None:
        prop = self.lying.pop(spot)
        self._approach_top(actor, spot)
        self._grasp(actor, prop, TOP_SPOTS[spot])
        self._rest(actor, 0.7)
        self.wait(1.3)

    def _approach_top(self, actor: Actor, spot: int) -> None:
        if actor.seat is None:
            left, right = TOP_SPOTS[spot] - 50, TOP_SPOTS[spot] + 50
            first, second = (left, right) if actor.x < 440 else (right, left)
            self._go(actor, first if self.is_clear(actor, first, 40) or not self.is_clear(actor, second, 40) else second)
            self._look_at(actor, TOP_SPOTS[spot])
        self.wait(0.2)

    def _grasp(self, actor: Actor, prop: Prop, x: float) -> None:
        self._reach(actor, x, self.place.top_height + 8, 0.7)
        self.wait(0.75)
        actor.held = prop
        self._take_place(prop, "hand", actor.index)

    def _lay_down(self, actor: Actor, spot: int) -> None:
        prop = actor.held
        assert prop is not None
        self._reach(actor, TOP_SPOTS[spot], self.place.top_height + 8, 0.7)
        self._move(actor, 0.4, grip=0.0)
        self.wait(0.75)
        self._take_place(prop, "spot", TOP_SPOTS[spot], self.place.top_height)
        self.lying[spot] = prop
        actor.held = None

    def puts_down(self, actor: Actor, spot: int) -> None:
        self._approach_top(actor, spot)
        self._lay_down(actor, spot)
        self._rest(actor, 0.7)
        self.wait(1.3)

    def hands_over(self, actor: Actor, partner: Actor) -> None:
        prop = actor.held
        assert prop is not None
        prop.open = False
        self._meet(actor, partner, 92)
        self._move(actor, 0.4, spread=0.0)
        middle = (actor.x + partner.x) / 2
        height = min((self._stand_hip(one) + SHOULDER - 16) * one.k for one in (actor, partner))
        self._reach(actor, middle, height, 0.7)
        self._reach(actor, middle, height, 0.7, hand="f")
        self._reach(partner, middle - partner.face * 4, height - 2, 0.6, at=0.45)
        self.wait(1.35)
        self._take_place(prop, "hand", partner.index)
        actor.held, partner.held = None, prop
        self.wait(0.2)
        self._rest(actor, 0.6)
        self._rest(partner, 0.7)
        self._move(partner, 0.3, at=0.5, nod=10.0)
        self._move(partner, 0.3, at=0.85, nod=0.0)
        self.wait(1.5)

    def carries(self, actor: Actor, x: float) -> None:
        self._rest(actor, 0.3)
        self.wait(0.3)
        self._go(actor, self._clear_spot(actor, x))
        self.wait(0.5)

    def reads(self, actor: Actor) -> None:
        self._hand(actor, 0.6, 25, 16)
        self._hand(actor, 0.6, 30, 17, hand="f")
        self._move(actor, 0.5, at=0.4, spread=1.0)
        self._move(actor, 0.6, at=0.3, nod=13.0, lean=3.0)
        self.wait(1.2)
        for _ in range(self.rng.choice((1, 2))):
            self.wait(1.1)
            self._hand(actor, 0.3, 34, 6, hand="f")
            self._hand(actor, 0.4, 30, 17, hand="f", at=0.35)
            self.wait(0.6)
        self.wait(0.7)

    def pours(self, actor: Actor, pot: int, cup: int) -> None:
        teapot = self.lying.pop(pot)
        side = -1 if pot < cup else 1
        self._go(actor, TOP_SPOTS[pot] + side * 44)
        self._look_at(actor, TOP_SPOTS[cup])
        self._grasp(actor, teapot, TOP_SPOTS[pot])
        above = self.place.top_height + 40
        self._reach(actor, TOP_SPOTS[cup] + side * 24, above, 0.8)
        self.wait(0.85)
        self._move(actor, 0.5, grip=38.0)
        self.wait(0.45)
        self.effects.append(Effect(self.now, self.now + 1.6, "stream",
                                   (TOP_SPOTS[cup], above - 5, self.place.top_height + 10)))  # fmt: skip
        self.wait(1.65)
        self.effects.append(Effect(self.now - 0.8, self.now + 5, "steam",
                                   (TOP_SPOTS[cup], self.place.top_height + 20)))  # fmt: skip
        self._move(actor, 0.4, grip=0.0)
        self.wait(0.4)
        self._lay_down(actor, pot)
        self._rest(actor, 0.6)
        self.wait(0.9)

    def drinks(self, actor: Actor) -> None:
        self._to_mouth(actor, 2, 26.0)

    def eats(self, actor: Actor) -> None:
        self._to_mouth(actor, 3, 0.0)

    def smells(self, actor: Actor) -> None:
        self._hand(actor, 0.8, 17, 3)
        self._move(actor, 0.8, nod=16.0, lean=5.0)
        self.wait(2.2)
        self._move(actor, 0.6, nod=-8.0, lean=-2.0)
        self.wait(1.0)
        self._rest(actor, 0.6)
        self.wait(0.8)

    def _to_mouth(self, actor: Actor, times: int, tip: float) -> None:
        for _ in range(times):
            self._hand(actor, 0.6, 19, -7)
            self._move(actor, 0.4, at=0.35, grip=-tip, nod=-7.0 if tip else 4.0)
            self.wait(1.15 if tip else 0.75)
            self._move(actor, 0.3, grip=0.0, nod=0.0)
            self._hand(actor, 0.5, 25, 20)
            if not tip:
                actor.talks.append((self.now, self.now + 0.7))
            self.wait(0.7)
        self._rest(actor, 0.5)
        self.wait(0.5)

    def opens_an_umbrella(self, actor: Actor) -> None:
        self._hand(actor, 0.6, 22, 20)
        self.wait(0.7)
        self._hand(actor, 0.6, 22, -8)
        self._move(actor, 0.55, at=0.25, ease="back", spread=1.0)
        self._move(actor, 0.5, at=0.2, nod=-10.0)
        assert actor.held is not None
        actor.held.open = True
        self.wait(2.2)
        self._rest(actor, 0.5)
        self.wait(1.0)

    def puts_on_a_hat(self, actor: Actor) -> None:
        hat = actor.held
        assert hat is not None
        self._hand(actor, 0.9, 7, -46)
        self._move(actor, 0.6, at=0.3, nod=9.0)
        self.wait(1.1)
        self._take_place(hat, "head", actor.index)
        actor.held, actor.hat = None, hat
        self._move(actor, 0.4, at=0.1, nod=-5.0)
        self._rest(actor, 0.7, at=0.45)
        self.wait(1.7)

    def takes_off_a_hat(self, actor: Actor) -> None:
        hat = actor.hat
        assert hat is not None
        self._hand(actor, 0.7, 7, -46)
        self.wait(0.9)
        self._take_place(hat, "hand", actor.index)
        actor.held, actor.hat = hat, None
        self._move(actor, 0.5, at=0.3, lean=12.0)
        self._hand(actor, 0.7, 26, 6)
        self.wait(1.2)
        self._rest(actor, 0.7)
        self.wait(0.9)

    def throws(self, actor: Actor, partner: Actor) -> None:
        ball = actor.held
        assert ball is not None
        side = 1 if actor.x > partner.x else -1
        if abs(actor.x - partner.x) < 150:
            goals = [partner.x + side * 175, partner.x - side * 175]
            fits = [g for g in goals if 78 < g < 556 and self.is_clear(actor, g)]
            self._go(actor, fits[0] if fits else goals[0] if 40 < goals[0] < 600 else goals[1])
        self._face_each_other(actor, partner)
        self._hand(actor, 0.5, -22, -12)
        self._move(actor, 0.5, lean=-9.0)
        self._hand(partner, 0.5, 34, -2, at=0.3)
        self._hand(partner, 0.5, 36, -1, hand="f", at=0.3)
        self.wait(0.65)
        self._hand(actor, 0.2, 40, -26)
        self._move(actor, 0.2, lean=14.0)
        self.wait(0.17)
        from_x = actor.x + actor.face * 52 * actor.k
        to_x = partner.x + partner.face * 36 * partner.k
        catch = (self._stand_hip(partner) + SHOULDER + 2) * partner.k
        self._take_place(ball, "fly", from_x, (HIP + SHOULDER + 18) * actor.k, to_x, catch, 0.75)
        self.wait(0.75)
        self._take_place(ball, "hand", partner.index)
        actor.held, partner.held = None, ball
        self._move(partner, 0.2, lean=-6.0)
        self._rest(actor, 0.6)
        self.wait(0.4)
        self._rest(partner, 0.6)
        self.wait(1.0)

    def plays_the_guitar(self, actor: Actor) -> None:
        guitar = actor.held
        assert guitar is not None
        self._hand(actor, 0.6, 10, 33)
        self._hand(actor, 0.6, 34, 14, hand="f")
        self._move(actor, 0.6, spread=1.0)
        self.wait(0.7)
        beats = self.rng.choice((8, 10, 12))
        self.effects.append(Effect(self.now, self.now + beats * 0.42, "notes", (actor.index,)))
        for beat in range(beats):
            self._hand(actor, 0.2, 14 if beat % 2 else 9, 38 if beat % 2 else 28)
            self._move(actor, 0.4, nod=7.0 if beat % 2 else -5.0, lean=-2.0 if beat % 4 < 2 else 3.0)
            self.wait(0.42)
        self._rest(actor, 0.6)
        self.wait(0.6)

    def talks_on_the_phone(self, actor: Actor) -> None:
        self._hand(actor, 0.6, 6, -14)
        self._move(actor, 0.6, grip=-20.0, nod=3.0)
        self.wait(0.8)
        for seconds in (1.3, 1.1):
            self._say(actor, seconds)
            self._gesture(actor, seconds, "f")
            self.wait(0.6)
        self._rest(actor, 0.6)
        self.wait(0.6)

    # ---- actions: people

    def waves(self, actor: Actor, partner: Actor | None) -> None:
        if partner:
            self._look_at(actor, partner.x)
        hand = self._free(actor)
        self._hand(actor, 0.45, 24, -36, hand=hand)
        self._move(actor, 0.45, nod=-5.0)
        self.wait(0.45)
        for swing in range(self.rng.choice((6, 8))):
            self._hand(actor, 0.22, 36 if swing % 2 else 14, -33 if swing % 2 else -40, hand=hand)
            self.wait(0.24)
        self._rest(actor, 0.5)
        self.wait(0.7)

    def applauds(self, actor: Actor, partner: Actor | None) -> None:
        if partner:
            self._look_at(actor, partner.x)
        for clap in range(self.rng.choice((10, 12, 14))):
            apart = 8 if clap % 2 == 0 else 0
            self._move(actor, 0.16, nx=30 - apart, ny=14 + apart, fx=30 + apart / 2, fy=14 - apart * 1.3)
            self.wait(0.2)
        self._rest(actor, 0.5)
        self.wait(0.7)

    def points(self, actor: Actor, x: float) -> None:
        self._look_at(actor, x)
        hand = self._free(actor)
        self._hand(actor, 0.4, 51, -6, hand=hand, ease="back")
        self._move(actor, 0.4, lean=6.0)
        self.wait(0.9)
        self._hand(actor, 0.25, 44, -2, hand=hand)
        self._hand(actor, 0.25, 51, -8, hand=hand, at=0.28)
        self.wait(1.3)
        self._rest(actor, 0.5)
        self.wait(0.6)

    def hugs(self, actor: Actor, partner: Actor) -> None:
        self._meet(actor, partner, 64)
        for one in (actor, partner):
            self._hand(one, 0.6, 44, -2 if one is actor else 10)
            self._hand(one, 0.6, 44, 12 if one is actor else 2, hand="f")
        self.wait(0.4)
        step = actor.face * 20.0
        home = actor.x
        self._move(actor, 0.6, x=actor.x + step, lean=6.0, nod=8.0)
        self._move(partner, 0.6, lean=6.0, nod=8.0)
        self.wait(0.5)
        for one in (actor, partner):
            self._hand(one, 0.5, 34, 4 if one is actor else 16)
            self._hand(one, 0.5, 34, 18 if one is actor else 6, hand="f")
        self.wait(1.9)
        self._move(actor, 0.6, x=home - actor.face * 8.0)
        self._rest(actor, 0.6)
        self._rest(partner, 0.6)
        self.wait(1.1)

    def shakes_hands(self, actor: Actor, partner: Actor) -> None:
        self._meet(actor, partner, 90)
        middle = (actor.x + partner.x) / 2
        for one in (actor, partner):
            self._reach(one, middle, 98, 0.5)
        self.wait(0.6)
        for shake in range(6):
            for one in (actor, partner):
                self._reach(one, middle, 104 if shake % 2 else 91, 0.2)
            self.wait(0.24)
        for one in (actor, partner):
            self._rest(one, 0.5)
        self.wait(1.0)

    def dances(self, actor: Actor, partner: Actor | None) -> None:
        if partner:
            self._meet(actor, partner, 76)
        pair = [actor, partner] if partner else [actor]
        beats = self.rng.choice((8, 10))
        self.effects.append(Effect(self.now, self.now + beats * 0.5, "notes", (actor.index,)))
        homes = [one.x for one in pair]
        for beat in range(beats):
            side = 1 if beat % 2 else -1
            for one, home in zip(pair, homes, strict=True):
                turned = one.face
                self._move(one, 0.46, x=home + side * 15, lean=side * 7.0 * turned, nod=-side * 6.0)
                self._move(one, 0.22, hip=HIP - 7)
                self._move(one, 0.22, at=0.24, hip=HIP)
                self._move(one, 0.46, walk=0.7, step=one.tracks["step"].value + math.pi / 2)
                if partner:
                    self._hand(one, 0.4, 36, 6 + side * 8 * turned)
                    self._hand(one, 0.4, 37, 2 - side * 8 * turned, hand="f")
                else:
                    self._hand(one, 0.4, 26, -20 + side * 22)
                    self._hand(one, 0.4, 22 if side > 0 else -20, -16 - side * 20, hand="f")
            self.wait(0.5)
        for one, home in zip(pair, homes, strict=True):
            self._move(one, 0.5, x=home, walk=0.0)
            self._rest(one, 0.5)
        self.wait(0.8)

    def argues(self, actor: Actor, partner: Actor, words: tuple[str, ...] = ()) -> None:
        self._meet(actor, partner, 98)
        speakers = (actor, partner, actor, partner)
        for turn in range(self.rng.choice((2, 3, 4))):
            speaker, other = speakers[turn], speakers[turn + 1 if turn < 3 else 0]
            self._move(speaker, 0.3, brow=1.0, lean=9.0)
            self._move(other, 0.4, brow=1.0, lean=-5.0)
            self._say(speaker, 1.2, words[turn % len(words)] if words else "!")
            hand = self._free(speaker)
            for beat in range(4):
                self._hand(speaker, 0.2, 34 if beat % 2 else 24, -12 if beat % 2 else 12, hand=hand)
                self.wait(0.31)
            self.wait(0.25)
        self._rest(actor, 0.5)
        self._rest(partner, 0.5)
        self.wait(0.7)

    def talks(self, actor: Actor, partner: Actor, words: str) -> None:
        if abs(actor.x - partner.x) > 260 and actor.seat is None:
            self._go(actor, self._clear_spot(actor, partner.x + (110 if actor.x > partner.x else -110)))
        self._face_each_other(actor, partner)
        seconds = 1.5 + 0.05 * len(words)
        self._say(actor, seconds, words)
        self._gesture(actor, seconds, self._free(actor))
        self._move(partner, 0.3, nod=8.0)
        self._move(partner, 0.3, at=0.35, nod=0.0)
        self._rest(actor, 0.5)
        self.wait(0.9)

    def _gesture(self, actor: Actor, seconds: float, hand: str) -> None:
        """One hand underlines what is said, for so long."""
        end = self.now + seconds
        while self.now < end - 0.3:
            self._hand(actor, 0.4, self.rng.choice((26, 32, 36)), self.rng.choice((8, 16, 22)), hand=hand)
            self._move(actor, 0.3, nod=self.rng.choice((-4.0, 0.0, 5.0)))
            self.wait(0.45)
        self.now = end
        self._rest_hand(actor, hand)

    def _rest_hand(self, actor: Actor, hand: str) -> None:
        idle = (20.0, 33.0) if actor.seat is not None else (5.0, 50.0)
        self._hand(actor, 0.4, *idle, hand=hand)


__all__ = ["FLOOR", "Actor", "Effect", "Play", "Prop"]
