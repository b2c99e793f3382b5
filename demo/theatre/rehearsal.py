"""One act as movements over time: actors, props, and the small movements that actions are made of.

Nothing is drawn here; movements are left in tracks. All places are on the unmirrored stage.
"""

import math
import random
from dataclasses import dataclass, field

from .cast import LEFT_WING, SEATS, THINGS, TOP_SPOTS, Character, StageSet
from .tracks import Track

# The body, in units of its height; `Actor.k` turns them into stage units.
HIP, SHOULDER, THIGH, SHIN, UPPER_ARM, FOREARM = 76.0, 47.0, 36.0, 36.0, 27.0, 26.0
FIGURE_SCALE = 1.12

_REST = {
    "face": 1.0, "walk": 0.0, "step": 0.0, "hip": HIP, "lean": 0.0, "nod": 0.0, "nx": 5.0, "ny": 50.0,
    "fx": 6.0, "fy": 49.0, "sit": 0.0, "grip": 0.0, "spread": 0.0, "brow": 0.0,
}  # fmt: skip


@dataclass(eq=False)
class Prop:
    """A prop and its place: ("spot", x, height), ("hand", actor), ("head", actor), ..."""

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
    """An actor: position, what they hold, and the tracks of their joints."""

    index: int
    person: Character
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
    """A temporary drawing that is neither actor nor prop: a bubble, notes, a stream of tea."""

    start: float
    end: float
    kind: str
    where: tuple[float, ...]
    text: str = ""


class Rehearsal:
    """One act being laid out in time: a place, people, things and a clock."""

    def __init__(self, place: StageSet, people: list[Character], rng: random.Random, now: float = 0.0) -> None:
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

    def _move(self, actor: Actor, seconds: float, *, at: float = 0.0, ease: str = "soft", **values: float) -> None:
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
        """Whether a sitting actor can turn: on a sofa, bench or bed, but not on a chair at the table."""
        return actor.seat is None or self.place.seat in {"sofa", "bench", "bed"}

    def is_clear(self, actor: Actor, x: float, apart: float = 62.0) -> bool:
        """Whether no other actor is near x."""
        return all(abs(o.x - x) >= apart for o in self.actors if o is not actor and o.on_stage)

    def _clear_spot(self, actor: Actor, x: float) -> float:
        """The nearest place to x where the actor hides nobody."""
        for aside in range(0, 200, 8):
            for spot in (x - aside, x + aside):
                if 92 <= spot <= 546 and self.is_clear(actor, spot):
                    return spot
        return x

    def _seat_hip(self, actor: Actor) -> float:
        return self.place.seat_height / actor.k + 5

    def _stand_hip(self, actor: Actor) -> float:
        return self._seat_hip(actor) if actor.seat is not None else HIP

    def _rest(self, actor: Actor, seconds: float = 0.5, at: float = 0.0, wait: float = 0.0) -> None:
        """Return to the rest pose, still holding things; the clock moves on by `wait`."""
        near = far = self._idle(actor)
        spread = 0.0
        if actor.held:
            carried = THINGS[actor.held.noun]
            near, far = carried.hand, carried.far or far
            if actor.held.open:
                near, spread = (22.0, -8.0), 1.0
            elif actor.seat is not None and near[1] > 40:
                near = (24.0, 30.0)
        self._move(actor, seconds, at=at, nx=near[0], ny=near[1], fx=far[0] + 1, fy=far[1] - 1, grip=0.0,
              lean=0.0, nod=0.0, hip=self._stand_hip(actor), spread=spread, brow=0.0)  # fmt: skip
        self.wait(wait)

    def _go(self, actor: Actor, x: float) -> None:
        """Walk to x, standing up first if needed."""
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
        """Move a hand to a point of the stage, bending the body if the arm is too short."""
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
        """Walk up to another actor; both turn to each other."""
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

    def _gesture(self, actor: Actor, seconds: float, hand: str) -> None:
        """Gesture with one hand while speaking, for some seconds."""
        end = self.now + seconds
        while self.now < end - 0.3:
            self._hand(actor, 0.4, self.rng.choice((26, 32, 36)), self.rng.choice((8, 16, 22)), hand=hand)
            self._move(actor, 0.3, nod=self.rng.choice((-4.0, 0.0, 5.0)))
            self.wait(0.45)
        self.now = end
        self._hand(actor, 0.4, *self._idle(actor), hand=hand)

    def _idle(self, actor: Actor) -> tuple[float, float]:
        """The rest position of an empty hand."""
        return (20.0, 33.0) if actor.seat is not None else (5.0, 50.0)
