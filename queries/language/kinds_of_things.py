"""Things and qualities of one kind: of each its words, and what they may all be called. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from queries.language.words import word_set

_ANYTHING = word_set("thing things something item items object objects")
_KINDS: Mapping[str, str] = {
    "drink drinks beverage beverages": "beer wine coffee tea water milk juice champagne soda whiskey",
    "food snack": "sandwich pizza cake cookie salad soup bagel muffin apple banana",
    "furniture": "chair couch table desk bed counter bench",
    "room": "kitchen bedroom bathroom hallway office elevator",
    "clothes clothing outfit": "dress shirt jacket hat coat sweater tie scarf skirt",
    "belongings": "phone book laptop newspaper letter camera folder pen box bag",
    "vehicle": "car bus truck taxi train motorcycle bicycle",
    "animal pet": "dog cat monkey bird duck chicken",
    "limb": "hand arm shoulder leg head foot knee",
    "opening": "door window drawer",
    "coloured colored": "red blue green yellow black white brown pink purple orange",
}
_OPPOSITES = ("big little", "large small", "old young", "old new", "long short", "left right", "hot cold", "empty full")
_SYNONYMS = tuple(
    word_set(listed)
    for listed in (
        "couch sofa", "gray grey", "phone telephone cellphone cell", "mug cup", "cab taxi", "tv television",
        "refrigerator fridge", "photo photograph picture", "big large", "small little", "begin start", "close shut",
        "talk speak", "bicycle bike", "automobile car", "doughnut donut", "angry mad", "blond blonde",
    )
)  # fmt: skip


def alike(word: str) -> list[str]:
    """Words that stand for another thing or quality of the same kind, lower-case: "wine" for "beer"."""
    return [other for listed in (*_KINDS.values(), *_OPPOSITES) for other in listed.split() if word in listed.split()]


def may_be_called(words: frozenset[str], general: str) -> bool:
    """Whether a thing with these names, or any thing, may be called so: a beer "a drink" or "something"."""
    if general in _ANYTHING:
        return True
    return any(general in names.split() and words & word_set(listed) for names, listed in _KINDS.items())


def are_synonyms(left: frozenset[str], right: frozenset[str]) -> bool:
    """Whether two things, each with its names, are the same: "couch" and "sofa"."""
    return any(left & group and right & group for group in _SYNONYMS)
