"""Film scripts: who does what where in every video, drawn from a seed; no pixels yet."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from .acting import Play
from .cast import CAST, DOOR_X, MARKS, PLACES, SEATS, THINGS, TOP_SPOTS, StageSet
from .rehearsal import Actor
from .scenes import Scene
from .wording import QUARREL, TOPICS, can_follow, describe, describe_both

FRAMES_PER_SECOND = 12
CURTAIN = 1.1  # seconds the curtain takes to open or close
_LONGEST, _SHORTEST = 12.0, 2.0


@dataclass(frozen=True)
class Act:
    """One act: its play on one set, and the seconds it spans."""

    place: StageSet
    light: str  # "day" | "dusk" | "night"
    mirrored: bool
    start: float  # when the curtain begins to open
    end: float  # when it is closed again
    play: Play


@dataclass(frozen=True)
class Film:
    """One video's script: what to draw, and the descriptions."""

    name: str
    number: int
    duration: float
    acts: tuple[Act, ...]
    scenes: tuple[Scene, ...]


@dataclass
class _Moment:
    start: float
    end: float
    action: str
    actor: str
    partner: str | None
    thing: str | None
    sentences: tuple[str, ...] | None = None
    kind: str = "v"


def write_films(videos: int, seed: int) -> list[Film]:
    """The scripts of a whole season; film i is the same for any number of videos >= i."""
    played: Counter[str] = Counter()
    places: list[str] = []
    films: list[Film] = []
    next_id = 1
    for number in range(videos):
        rng = random.Random(f"paper theatre {seed} {number}")
        if not places:
            places = random.Random(f"places {seed} {number}").sample(sorted(PLACES), len(PLACES))
        film = _write_film(number, [places.pop(), rng.choice(sorted(PLACES))], rng, played, next_id)
        next_id += len(film.scenes)
        films.append(film)
    return films


def _write_film(number: int, places: list[str], rng: random.Random, played: Counter[str], next_id: int) -> Film:
    name = f"theatre_s{number // 20 + 1:02d}e{number // 4 % 5 + 1:02d}_clip_{number % 4 + 1:02d}"
    women = [p for p in CAST.values() if p.gender == "woman"]
    men = [p for p in CAST.values() if p.gender == "man"]
    people = [rng.choice(women), rng.choice(men)]
    third = rng.choice([p for p in CAST.values() if p not in people])
    if rng.random() < 0.45:  # two women or two men
        people[rng.randrange(2)] = third
        if people[0] is people[1]:
            people = [rng.choice(women), rng.choice(men)]
    elif rng.random() < 0.3:
        people.append(third)
    rng.shuffle(people)
    least, shortest = rng.choice((5, 6, 6, 7)), rng.uniform(30.5, 37)
    halves = [(least, shortest)] if rng.random() < 0.6 else [(least // 2, shortest / 2), (least - least // 2, shortest)]
    acts: list[Act] = []
    moments_by_place: list[tuple[str, _Moment]] = []
    now = 0.0
    for index, (share, until) in enumerate(halves):
        place = PLACES[places[index]]
        light = rng.choice(("day", "day", "dusk", "night"))
        play = Play(place, people[:], rng, now)
        play.pace = rng.uniform(0.8, 1.05)
        director = _Director(play, rng, played)
        director.set_the_scene()
        play.wait(CURTAIN + rng.uniform(0.3, 0.6))
        moments = director.direct(share, until - CURTAIN)
        play.wait(0.4 + CURTAIN)
        end = round(play.now * FRAMES_PER_SECOND) / FRAMES_PER_SECOND
        acts.append(Act(place, light, rng.random() < 0.5, now, end, play))
        moments_by_place += [(place.name, m) for m in moments]
        now = end
    duration = round(now, 2)
    scenes = _describe(moments_by_place, name, duration, rng, next_id)
    return Film(name, number, duration, tuple(acts), tuple(scenes))


def _describe(moments: list[tuple[str, _Moment]], name: str, duration: float, rng: random.Random,
              next_id: int) -> list[Scene]:  # fmt: skip
    """Descriptions of the moments: one each, two for a few, and some that span two actions."""
    scenes: list[Scene] = []

    def add(place: str, m: _Moment, text: str, kind: str) -> None:
        start, end = round(m.start, 2), min(round(m.end, 2), duration)
        facts = (m.action, m.actor, m.partner, m.thing, place)
        scenes.append(Scene(next_id + len(scenes), name, start, end, duration, text, kind, *facts))

    texts: list[str] = []
    for place, m in moments:
        text = describe(m.action, m.actor, m.partner, m.thing, place, rng=rng, sentences=m.sentences)
        texts.append(text)
        add(place, m, text, m.kind)
        if rng.random() < 0.08:
            other = describe(m.action, m.actor, m.partner, m.thing, place, rng=rng, sentences=m.sentences, avoid=text)
            if other != text:
                add(place, m, other, m.kind)
    for i in range(len(moments) - 1):
        (place, m), (_, after) = moments[i], moments[i + 1]
        fits = m.actor == after.actor and after.start - m.end < 1.4 and after.end - m.start <= _LONGEST
        one_thing = not (m.thing and after.thing and m.thing != after.thing)
        one_partner = not (m.partner and after.partner and m.partner != after.partner)
        if fits and one_thing and one_partner and moments[i][0] == moments[i + 1][0] and m.kind == after.kind == "v":
            first, second = texts[i], texts[i + 1]
            if can_follow(first, m.actor, plainly=False) and can_follow(second, m.actor) and rng.random() < 0.4:
                both = _Moment(m.start, after.end, f"{m.action} and {after.action}", m.actor,
                               m.partner or after.partner, m.thing or after.thing)  # fmt: skip
                add(place, both, describe_both(first, second, m.actor, rng), "v")
    return scenes


# What things are good for, and the action that it is.
_USES = {
    "read": "reads", "drink": "drinks", "eat": "eats", "smell": "smells", "call": "talks on the phone",
    "unfold": "opens an umbrella", "play": "plays the guitar", "wear": "puts on a hat", "throw": "throws",
    "carry": "carries", "hand": "hands over",
}  # fmt: skip
_PLAIN = {"walks over", "enters", "leaves", "stands up", "waves", "points", "applauds", "opens the door"}
_RICH = {"hugs", "shakes hands", "throws", "hands over", "plays the guitar", "opens an umbrella", "takes off a hat",
         "pours", "smells", "puts on a hat", "drinks", "eats"}  # fmt: skip
_UNDONE = {"picks up": "puts down", "puts down": "picks up", "sits down": "stands up", "stands up": "sits down"}

Said = tuple[tuple[str, ...] | None, str]  # sentences for it (None: the action's own), kind
Choice = tuple[str, Actor, Actor | None, str | None, Callable[[], Said]]
"""An action, who does it, with whom, with what, and how to do it."""


class _Director:
    """Chooses the next action among those that the state of the stage allows."""

    def __init__(self, play: Play, rng: random.Random, played: Counter[str]) -> None:
        self.play = play
        self.rng = rng
        self.played = played
        self.here: Counter[str] = Counter()
        self.moments: list[_Moment] = []
        self.last: Actor | None = None

    def set_the_scene(self) -> None:
        play, rng = self.play, self.rng
        nouns = rng.sample(play.place.things, 3)
        if "teapot" in nouns and "cup" not in nouns:
            nouns[0 if nouns[0] != "teapot" else 1] = "cup"
        small = sorted((n for n in nouns if n != "guitar"), key=lambda n: n in {"teapot", "cup"})
        first = 1 if small[-1] in {"teapot", "cup"} and rng.random() < 0.7 else 0
        for spot, noun in enumerate(small[first:] if first else small[: rng.choice((2, 2, 3))]):
            play.lay(noun, rng.choice(THINGS[noun].colours), spot)
        beginners = rng.sample(play.actors, rng.choice((1, 2, 2)))
        for i, actor in enumerate(beginners):
            if rng.random() < 0.3:
                play.seat_at(actor, i % 2)
            else:
                play.stand_at(actor, MARKS[i] + rng.uniform(-14, 14), 1 if i == 0 else -1)
        for actor in play.actors:
            if rng.random() < (0.55 if actor in beginners else 0.4):
                self._hand_out(actor, nouns)

    def _hand_out(self, actor: Actor, nouns: list[str]) -> None:
        """Give somebody a free thing, preferably for a seldom-played action."""
        left = [n for n in self.play.place.things if n not in nouns and n != "teapot"]
        seated = actor.seat is not None
        left = [n for n in left if not (seated and n in {"guitar", "umbrella", "suitcase"})]
        weights = [max(1.0 / (1 + self.played[_USES.get(u, "")]) ** 2 for u in THINGS[n].uses) for n in left]
        noun = self.rng.choices(left, weights)[0]
        nouns.append(noun)
        self.play.give(actor, noun, self.rng.choice(THINGS[noun].colours))

    def direct(self, least: int, until: float) -> list[_Moment]:
        """Direct at least so many moments, and more while time is left."""
        while self.play.now < until or len(self.moments) < least:
            choices = self._choices()
            if not choices:
                break
            weights = [self._weight(c[0], c[1]) for c in choices]
            action, actor, partner, thing, how = self.rng.choices(choices, weights)[0]
            begin = self.play.now
            sentences, kind = how()
            end = self.play.now
            if not _SHORTEST <= end - begin <= _LONGEST:
                begin = max(begin, end - _LONGEST)
            self.played[action] += 1
            self.here[action] += 1
            self.last = actor
            names = (actor.person.name, partner.person.name if partner else None)
            self.moments.append(_Moment(begin, max(end, begin + _SHORTEST), action, *names, thing, sentences, kind))
            self.play.wait(max(0.0, begin + _SHORTEST - end) + self.rng.uniform(0.4, 1.5))
        return self.moments

    def _weight(self, action: str, actor: Actor) -> float:
        """An action's weight: high for seldom-played ones, low for recent ones, higher with objects."""
        rare = float((1.0 + self.played[action]) ** -1.7)
        again = float(0.06 ** self.here[action])
        dull = 0.4 if action in _PLAIN else 3.0 if action in _RICH else 1.0
        if self.moments and self.moments[-1].action == _UNDONE.get(action) and actor is self.last:
            dull = 0.05
        return rare * again * dull * (1.5 if actor is self.last else 1.0)

    def _choices(self) -> list[Choice]:
        """All possible actions now: (action, actor, partner, thing, how to do it)."""
        play, rng = self.play, self.rng
        choices: list[Choice] = []

        def may(action: str, actor: Actor, partner: Actor | None, thing: str | None,
                do: Callable[..., None], *args: object, said: Said = (None, "v")) -> None:  # fmt: skip
            def how() -> Said:
                do(*args)
                return said

            choices.append((action, actor, partner, thing, how))

        on_stage = [a for a in play.actors if a.on_stage]
        taken = {a.seat for a in on_stage if a.seat is not None}
        standing_x = [a.x for a in on_stage if a.seat is None]
        free_marks = [m for m in MARKS[:2] if all(abs(m - x) > 60 for x in standing_x)] or [MARKS[2]]
        for a in play.actors:
            if not a.on_stage:
                other = rng.choice(on_stage) if on_stage else None
                wing = rng.choice(("left", "right"))
                may("enters", a, other, None, play.enters, a, rng.choice(free_marks), wing)
                if a.held and "carry" in THINGS[a.held.noun].uses:
                    may("carries", a, other, a.held.thing, play.enters, a, rng.choice(free_marks), wing)
        for a in on_stage:
            others = [b for b in on_stage if b is not a]
            b = rng.choice(others) if others else None
            held = a.held
            uses = THINGS[held.noun].uses if held else frozenset()
            standing = a.seat is None
            if standing:
                if len(on_stage) > 1 and len(self.moments) > 2:
                    may("leaves", a, b, None, play.leaves, a, "left" if a.x < 300 else "right")
                far = [m for m in (*free_marks, 540.0) if abs(m - a.x) > 110]
                if far:
                    goal = rng.choice(far)
                    near_b = b if b and abs(b.x - goal) < 120 else None
                    if held and "carry" in uses:
                        may("carries", a, b, held.thing, play.carries, a, goal)
                    else:
                        may("walks over", a, near_b, None, play.walks_over, a, goal)
                seats = [s for s in range(len(SEATS)) if s not in taken and play.is_clear(a, SEATS[s][0], 44)]
                if seats and not (held and held.noun in {"umbrella", "guitar", "suitcase"}):
                    beside = next((o for o in others if o.seat is not None), None)
                    nearest = min(seats, key=lambda s: abs(SEATS[s][0] - a.x))
                    may("sits down", a, beside, None, play.sits_down, a, nearest)
                if play.place.door and not (held and "carry" in uses) and play.is_clear(a, DOOR_X + 74):
                    if play.door.value < 0.5:
                        may("opens the door", a, b, None, play.opens_the_door, a)
                    else:
                        may("closes the door", a, b, None, play.opens_the_door, a, True)
                if not held and a.x < 340 and play.is_clear(a, a.x, 84):
                    may("dances", a, None, None, play.dances, a, None)
            else:
                may("stands up", a, b, None, play.stands_up, a)
            may("waves", a, b, None, play.waves, a, b)
            if not held:
                may("applauds", a, b, None, play.applauds, a, b)
                for spot, prop in play.lying.items():
                    if standing or abs(TOP_SPOTS[spot] - a.x) < 90:
                        may("picks up", a, b, prop.thing, play.picks_up, a, spot)
                pot = next((s for s, p in play.lying.items() if p.noun == "teapot"), None)
                cup = next((s for s, p in play.lying.items() if p.noun == "cup"), None)
                if pot is not None and cup is not None and standing and abs(pot - cup) == 1:
                    may("pours", a, b, play.lying[pot].thing, play.pours, a, pot, cup)
                    choices.append(choices[-1])
            if play.place.door and standing and rng.random() < 0.5:
                may("points", a, None, "door", play.points, a, 116.0)
            if b and abs(b.x - a.x) > 70:
                may("points", a, b, None, play.points, a, b.x)
            if held:
                self._choices_with(may, a, b, free_marks)
            if b:
                self._choices_together(may, a, b)
        return choices

    def _choices_with(self, may: Callable[..., None], a: Actor, b: Actor | None, free_marks: list[float]) -> None:
        """Possible actions with held things."""
        play, held = self.play, a.held
        assert held is not None
        uses = THINGS[held.noun].uses
        standing = a.seat is None
        free = [s for s in range(len(TOP_SPOTS)) if s not in play.lying]
        if free and held.noun not in {"guitar", "umbrella", "suitcase"}:
            spot = min(free, key=lambda s: abs(TOP_SPOTS[s] - a.x))
            if standing or abs(TOP_SPOTS[spot] - a.x) < 90:
                may("puts down", a, b, held.thing, play.puts_down, a, spot)
        alone = {
            "read": play.reads, "drink": play.drinks, "eat": play.eats, "smell": play.smells,
            "call": play.talks_on_the_phone, "unfold": play.opens_an_umbrella, "play": play.plays_the_guitar,
        }  # fmt: skip
        for use, do in alone.items():
            if use in uses and (standing or use not in {"unfold", "play"}):
                may(_USES[use], a, b, held.thing, do, a)
        if "wear" in uses and a.hat is None:
            may("puts on a hat", a, b, held.thing, play.puts_on_a_hat, a)
        if b and not b.held and b.hat is not held:
            if standing:
                may("hands over", a, b, held.thing, play.hands_over, a, b)
            if standing and "throw" in uses:
                may("throws", a, b, held.thing, play.throws, a, b)

    def _choices_together(self, may: Callable[..., None], a: Actor, b: Actor) -> None:
        """Possible actions of two people."""
        play, rng = self.play, self.rng
        if a.hat and not a.held:
            may("takes off a hat", a, b, a.hat.thing, play.takes_off_a_hat, a)
        topic, words, sentences = rng.choice(TOPICS)
        may("talks", a, b, topic, play.talks, a, b, words, said=(sentences, rng.choice(("t", "vt"))))
        if a.seat is None:
            if rng.random() < 0.3:
                may("argues", a, b, None, play.argues, a, b, tuple(rng.sample(QUARREL, 4)), said=(None, "vt"))
            else:
                may("argues", a, b, None, play.argues, a, b)
        if a.seat is None and b.seat is None and not a.held and not b.held:
            may("hugs", a, b, None, play.hugs, a, b)
            may("shakes hands", a, b, None, play.shakes_hands, a, b)
            may("dances", a, b, None, play.dances, a, b)
