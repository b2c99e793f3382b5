"""What happens in a scene, and how relevant a scene is to a query made from another."""

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from .cast import CAST, COLOURS, PLACES, THINGS


@dataclass(frozen=True)
class Scene:
    """One described moment and what truly happens in it.

    `action` is one of the actions of `acting.py`, or two of them joined by " and " where the
    description spans both. `thing` is an object with its colour ("red book"), or what is talked about.
    """

    description_id: int
    video_name: str
    start: float
    end: float
    duration: float
    description: str
    kind: str
    action: str
    actor: str
    partner: str | None
    thing: str | None
    place: str


def read_scenes(folder: Path) -> list[Scene]:
    """The scenes that `build_theatre` wrote into a folder. Raises FileNotFoundError if there are none."""
    rows = json.loads((Path(folder) / "scenes.json").read_text(encoding="utf-8"))
    return [Scene(**row) for row in rows]


def write_scenes(folder: Path, scenes: list[Scene]) -> None:
    """scenes.json (every field) and descriptions.jsonl (TVR's format), each replaced in one step."""
    facts = json.dumps([asdict(s) for s in scenes], ensure_ascii=False, indent=1) + "\n"
    rows = [
        {"vid_name": s.video_name, "duration": s.duration, "ts": [s.start, s.end], "desc": s.description,
         "type": s.kind, "desc_id": s.description_id} for s in scenes
    ]  # fmt: skip
    _replace(Path(folder) / "scenes.json", facts)
    _replace(Path(folder) / "descriptions.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


# How much of one action somebody sees in another (0 nothing, 1 the same), in both directions.
_KIN = {
    0.65: ("opens the door/closes the door, puts on a hat/takes off a hat, enters/walks over, talks/argues"),
    0.55: (
        "hands over/throws, picks up/puts down, walks over/carries, enters/carries, leaves/walks "
        "over, leaves/carries, drinks/eats, hugs/shakes hands, pours/drinks, talks/talks on the "
        "phone"
    ),
    0.4: (
        "enters/leaves, sits down/stands up, waves/points, picks up/carries, picks up/hands over, "
        "enters/opens the door, leaves/closes the door, dances/plays the guitar, waves/applauds, "
        "puts down/hands over, walks over/stands up, walks over/sits down, hugs/dances, opens an "
        "umbrella/picks up, smells/picks up, reads/picks up"
    ),
    0.25: (
        "reads/puts down, pours/puts down, pours/picks up, shakes hands/hands over, waves/leaves, "
        "enters/sits down, enters/waves, leaves/stands up, talks/shakes hands, talks/hugs, "
        "talks/points, argues/points, drinks/picks up, eats/picks up, reads/sits down, "
        "applauds/plays the guitar, opens the door/walks over, carries/hands over, carries/puts down"
    ),
}
_KINSHIP: dict[frozenset[str], float] = {
    frozenset(pair.split("/")): share for share, pairs in _KIN.items() for pair in pairs.split(", ")
}

_MUTUAL = {"hugs", "shakes hands", "argues", "dances"}  # who is named first does not matter
_TOGETHER = re.compile(r"\b(each other|together|one another|both|hands with)\b")


@dataclass(frozen=True)
class Asked:
    """What a description, with its names taken out, asks for. None: it does not say."""

    actor: str | None  # gender
    partner: str | None  # gender
    noun: str | None
    colour: str | None
    where: tuple[str, ...]  # the place and furniture it names


def what_is_asked(scene: Scene) -> Asked:
    """Which of a scene's facts the imprecise sentence still states."""
    text = scene.description
    lower = text.lower()

    def named(name: str | None) -> bool:
        return name is not None and (name in text or CAST[name].surname in text)

    nobody = lower.startswith(("someone", "somebody"))
    partner = scene.partner if named(scene.partner) or _TOGETHER.search(lower) else None
    colour, noun = _parts(scene.thing)
    if noun in THINGS and noun not in lower:
        noun = None
    where = tuple(word for word in _where(scene.place) if re.search(rf"\b{re.escape(word)}\b", lower))
    return Asked(
        actor=None if nobody else _gender(scene.actor),
        partner=_gender(partner),
        noun=noun,
        colour=colour if colour and noun and colour in lower else None,
        where=where,
    )


def relevance(asked: Scene, shown: Scene) -> float:
    """The true relevance of the moment `shown` to the imprecise query from `asked`'s description.

    Returns: 0.0-4.0; 4.0 where all that the sentence still says is shown and no other action besides (always for the
    moment itself), below for a match in part or with redundant content, 0.0 where nothing fits but persons.
    Source: TVR-Ranking, appendix B.1.
    """
    if (asked.video_name, asked.start, asked.end) == (shown.video_name, shown.start, shown.end):
        return 4.0
    request = what_is_asked(asked)
    parts = asked.action.split(" and ")
    offered = shown.action.split(" and ")
    nearest = {part: max(offered, key=lambda other: _kinship(part, other)) for part in parts}
    action = sum(_kinship(part, other) for part, other in nearest.items()) / len(nearest)
    redundant = 1 - len(set(nearest.values())) / len(set(offered))
    gaps = _gaps(request, shown, shown.actor, shown.partner)
    if shown.partner and (set(parts) & set(offered) & _MUTUAL):
        gaps = min(gaps, _gaps(request, shown, shown.partner, shown.actor))
    if action == 0.0:
        return _a_few_points(request, shown)
    # Half of the moment about something else makes a perfect match one that fits but for a detail.
    best = 4.0 * action - gaps * (0.5 + 0.5 * action) - 2.0 * redundant
    return round(min(4.0, max(0.0, best)), 2)


def _a_few_points(request: Asked, shown: Scene) -> float:
    """Relevance where another thing happens: the object or the place may agree. Persons who do nothing of what is
    asked agree with every query, so that they count only with one of these."""
    points = 0.65 * (request.noun is not None and request.noun == _parts(shown.thing)[1])
    points += 0.35 * (bool(request.where) and not _elsewhere(request, shown))
    if points == 0.0:
        return 0.0
    points += 0.3 * (request.actor == CAST[shown.actor].gender)
    points += 0.2 * (request.partner is not None and request.partner == _gender(shown.partner))
    return round(points, 2)


def _gaps(request: Asked, shown: Scene, actor: str, partner: str | None) -> float:
    """Grades to subtract for what is missing or wrong besides the action."""
    missing = 0.0
    if request.actor and request.actor != CAST[actor].gender:
        missing += 0.9
    if request.partner:
        if partner is None:
            missing += 1.1
        elif request.partner != CAST[partner].gender:
            missing += 0.7
    colour, noun = _parts(shown.thing)
    if request.noun and request.noun != noun:
        if request.noun not in THINGS:  # something else is talked about, or pointed at
            missing += 1.8
        else:
            missing += 0.8 if noun and _family(request.noun) == _family(noun) else 1.2
    elif request.colour and request.colour != colour:
        missing += 0.4
    if _elsewhere(request, shown):
        missing += 0.5
    return missing


def _where(place: str) -> tuple[str, str, str]:
    facts = PLACES[place]
    return facts.name, facts.seat, facts.top


def _elsewhere(request: Asked, shown: Scene) -> bool:
    """Whether the sentence names a place or furniture that is not there ("desk" is: a reading desk)."""
    return any(not any(word in there for there in _where(shown.place)) for word in request.where)


def _gender(name: str | None) -> str | None:
    return CAST[name].gender if name else None


def _kinship(action: str, other: str) -> float:
    return 1.0 if action == other else _KINSHIP.get(frozenset((action, other)), 0.0)


def _parts(thing: str | None) -> tuple[str | None, str | None]:
    """A thing's colour and noun."""
    if thing is None:
        return None, None
    first, _, rest = thing.partition(" ")
    return (first, rest) if first in COLOURS and rest else (None, thing)


def _family(noun: str) -> str:
    return THINGS[noun].family if noun in THINGS else noun
