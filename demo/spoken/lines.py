"""Who says what in the theatre's scenes, what is asked of them, and how well a scene answers. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from demo.theatre import Scene

SAYINGS = {
    "it is late": "It is late, we should go home.",
    "it is snowing": "Look, it is snowing outside!",
    "they are sorry": "I am so sorry about yesterday.",
    "it is somebody's birthday": "Happy birthday, my dear friend!",
    "the train leaves": "The train leaves at nine.",
    "their keys are lost": "Has anybody seen my keys?",
}
"""What is asked for, and the line that says it."""
DEEDS = {
    "sits down": "sits down",
    "stands up": "stands up",
    "opens the door": "opens the door",
    "closes the door": "closes the door",
    "waves": "waves",
    "points": "points at somebody",
    "applauds": "applauds",
    "picks up": "picks something up",
    "puts down": "puts something down",
    "hands over": "hands something over",
    "talks": "is in a conversation",
    "dances": "dances",
}
"""The theatre's actions that are asked for, in the words of a query."""
TOPICS = 8
"""In words alone; one more has a picture."""
TOP = 3
"""The highest grade."""
WHY = (
    "Neither what is said nor what is done is what was asked for.",
    "One of the two is there: what is said, or what is done.",
    "Both are there, but the clip shows or says something else besides.",
    "What was asked for is said and done, and nothing else happens.",
)
"""By grade."""
SECONDS_A_WORD = 0.27
BEFORE, AFTER = 0.2, 0.1
"""Seconds of a moment in which nobody has begun to speak yet, and in which nobody does any more."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is spoken: where, by whom, and which of SAYINGS it is."""

    video: str
    start: float
    end: float
    speaker: str
    saying: str

    @property
    def words(self) -> str:
        return SAYINGS[self.saying]


@dataclass(frozen=True, slots=True)
class Topic:
    """What is asked for: a saying, with an action or, where there is a picture, with its place."""

    key: str
    text: str
    saying: str
    action: str | None
    scene: Scene
    """The one that it was made of."""


def lines_of(scenes: Sequence[Scene], *, seed: int = 7) -> list[Line]:
    """A line for each moment with one action, by who acts in it."""
    dice = random.Random(f"spoken theatre {seed}")
    lines: dict[tuple[str, float], Line] = {}
    for scene in scenes:
        saying = dice.choice(sorted(SAYINGS))
        if " and " in scene.action or (scene.video_name, scene.start) in lines:
            continue
        start = scene.start + BEFORE
        end = min(scene.end - AFTER, start + SECONDS_A_WORD * len(SAYINGS[saying].split()))
        lines[scene.video_name, scene.start] = Line(
            scene.video_name, round(start, 3), round(end, 3), scene.actor, saying
        )
    return list(lines.values())


def said_in(scene: Scene, lines: Sequence[Line]) -> list[Line]:
    """What is said within a scene."""
    return [
        line for line in lines if line.video == scene.video_name and scene.start <= line.start and line.end <= scene.end
    ]


def topics_of(scenes: Sequence[Scene], lines: Sequence[Line]) -> list[Topic]:
    """At most `TOPICS` topics, each of another action, and one with a picture."""
    topics: dict[str, Topic] = {}
    rest: list[tuple[Scene, str]] = []
    for scene in scenes:
        said = said_in(scene, lines)
        if len(said) != 1:
            continue
        saying = said[0].saying
        if scene.action in DEEDS and scene.action not in topics and len(topics) < TOPICS:
            text = f"Somebody {DEEDS[scene.action]} and says that {saying}."
            topics[scene.action] = Topic(f"S{len(topics) + 1}", text, saying, scene.action, scene)
        else:
            rest.append((scene, saying))
    scene, saying = rest[0]
    pictured = Topic("P1", f"In a place like this, somebody says that {saying}.", saying, None, scene)
    return [*topics.values(), pictured]


def grade(topic: Topic, shown: Scene, lines: Sequence[Line]) -> int:
    """The true grade, 0 to `TOP`, of a scene for a topic: `WHY` says what each means."""
    heard = {line.saying for line in said_in(shown, lines)}
    seen = set(shown.action.split(" and "))
    done = topic.action in seen if topic.action else topic.scene.place == shown.place
    if topic.saying in heard and done:
        return TOP if len(heard) == 1 and len(seen) == 1 else TOP - 1
    return int(topic.saying in heard or done)
