"""Synthetic training sentences, and names swapped into given ones."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from queries.language.first_names import first_names, genders, last_names

Labelled = list[tuple[str, bool]]
"""A sentence as words with "names a person"."""


def _sections() -> dict[str, tuple[str, ...]]:
    """The word lists of `training_words.txt` by name."""
    text = (Path(__file__).parent / "training_words.txt").read_text(encoding="utf-8")
    sections = {}
    for section in re.split(r"^\[", text, flags=re.MULTILINE)[1:]:
        name, _, items = section.partition("]")
        sections[name] = tuple(" ".join(item.split()) for item in items.split("|"))
    return sections


_WORDS = _sections()
WORD_NAMES = _WORDS["names that are words"]
"""Names that are words: as names capitalised and labelled, as words left alone."""


@dataclass(frozen=True)
class SwapNames:
    """Real names for swapping: first names, family names, ordinary words that are names, misspellings."""

    first: tuple[str, ...]
    english: tuple[str, ...]
    last: tuple[str, ...]
    words: tuple[str, ...]

    def draw(self, random_: random.Random) -> str:
        """A first name of some language, a family name, a name that is a word, or a misspelt one."""
        dice = random_.random()
        if dice < 0.30:
            return random_.choice(self.english)
        if dice < 0.57:
            return random_.choice(self.first)
        if dice < 0.80:
            return random_.choice(self.last)
        if dice < 0.88:
            return random_.choice(self.words)
        return misspell(random_.choice(self.english if dice < 0.94 else self.last), random_)


class InventedNames:
    """Invented names for measuring, made of halves of two names ("Anneyla")."""

    def __init__(self, names: SwapNames) -> None:
        self._names = names
        self._borne = {name.casefold() for name in (*names.first, *names.english, *names.last, *names.words)}

    def draw(self, random_: random.Random) -> str:
        """Draw an invented name."""
        while True:
            front = random_.choice(self._names.english if random_.random() < 0.6 else self._names.first)
            back = random_.choice(self._names.english if random_.random() < 0.5 else self._names.last)
            name = front[: (len(front) + 1) // 2] + back[len(back) // 2 :].lower()
            if name.isalpha() and 4 <= len(name) <= 11 and name.casefold() not in self._borne:
                return name


class DrawsNames(Protocol):
    """Interface of a source of names."""

    def draw(self, random_: random.Random) -> str: ...


def all_names() -> SwapNames:
    """All names of the lists."""
    from faker.providers.person.en import Provider as English
    from faker.providers.person.en_US import Provider as American

    known = genders()
    american = list(American.first_names_male) + list(American.first_names_female)
    english = sorted({*English.first_names_male, *English.first_names_female, *american})
    return SwapNames(
        first_names(),
        tuple(name for name in english if name.casefold() in known),
        last_names(),
        WORD_NAMES,
    )


def misspell(name: str, random_: random.Random) -> str:
    """Misspell a name: a letter doubled, lost, changed or moved."""
    if len(name) < 4:
        return name
    at = random_.randrange(1, len(name) - 1)
    kind = random_.randrange(4)
    if kind == 0:
        return name[:at] + name[at] + name[at:]
    if kind == 1:
        return name[:at] + name[at + 1 :]
    if kind == 2:
        return name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    return name[:at] + random_.choice("aeiourtnsl") + name[at + 1 :]


def swap_names(sentence: Sequence[tuple[str, bool]], names: DrawsNames, random_: random.Random) -> Labelled:
    """Replace every name of a sentence consistently by another.

    A lower-case name stays lower-case.
    """
    instead: dict[str, str] = {}
    swapped: Labelled = []
    for word, is_name in sentence:
        if is_name:
            key = word.casefold()
            new = instead.setdefault(key, names.draw(random_))
            word = new.lower() if word[0].islower() else new
        swapped.append((word, is_name))
    return swapped


def roughen(sentence: Sequence[tuple[str, bool]], random_: random.Random) -> Labelled:
    """Add a hasty writer's errors to a sentence: names in lower case, "Rachels tie", typos.

    Misspelt ordinary words also teach that an unknown word needn't be a name.
    """
    rough: Labelled = []
    lower = random_.random() < 0.025
    hasty = random_.random() < 0.05
    for place, (word, is_name) in enumerate(sentence):
        if is_name and lower and random_.random() < 0.8:
            word = word.lower()
        elif hasty and rough and rough[-1][1] and word in ("'s", "’s"):
            rough[-1] = (rough[-1][0] + "s", True)
            continue
        elif not is_name and place and word.isalpha() and random_.random() < 0.002:
            word = word.capitalize()
        elif not is_name and word.isalpha() and word.islower() and random_.random() < 0.02:
            word = misspell(word, random_)
        rough.append((word, is_name))
    if lower and random_.random() < 0.4:
        rough[0] = (rough[0][0][:1].lower() + rough[0][0][1:], rough[0][1])
    return rough


def made_up_sentence(names: SwapNames, random_: random.Random) -> Labelled:
    """One sentence about named and unnamed people doing things to things and to each other."""
    choose = random_.choice
    who, whom = _who(names, random_), _who(names, random_, opens=False)
    kind = random_.randrange(9)
    if kind == 0:
        body = [*who, *_plain(choose(_WORDS["acts alone"]))]
    elif kind == 1:
        body = [*who, *_plain(choose(_WORDS["acts to a person"])), *whom]
    elif kind == 2:
        body = [*who, *_plain(choose(_WORDS["acts with a thing"])), *_thing(names, random_)]
    elif kind == 3:
        body = [*who, *_plain(choose(_WORDS["gives"])), *whom, *_thing(names, random_)]
    elif kind == 4:
        body = [
            *who,
            *_plain(choose(_WORDS["acts with a thing"])),
            *_thing(names, random_),
            *_plain("from"),
            *_owned(names, random_),
        ]
    elif kind == 5:
        start = choose(("When", "While", "As", "After", "Before", "Once"))
        body = [
            (start, False),
            *_lower_start(who),
            *_plain(choose(_WORDS["acts to a person"])),
            *whom,
            (",", False),
        ]
        body += [*_who(names, random_, opens=False), *_plain(choose(_WORDS["acts alone"]))]
    elif kind == 6:
        body = [*_owned(names, random_), *_plain("is on"), *_thing(names, random_)]
    elif kind == 7:
        body = [
            *who,
            *_plain(choose(_WORDS["acts alone"])),
            *_plain(choose(_WORDS["and later"]).replace(" ", "_")),
            *_plain(choose(_WORDS["acts to a person"])),
            *whom,
        ]
    else:
        body = [*who, *_plain(choose(_WORDS["adverbs"])), *_plain(choose(_WORDS["acts alone"]))]
    if random_.random() < 0.3:
        place = choose(_WORDS["places with capitals"]) if random_.random() < 0.25 else "the_" + choose(_WORDS["rooms"])
        body += _plain(choose(("in", "at", "near", "outside")) + "_" + place)
    body[0] = (body[0][0][:1].upper() + body[0][0][1:], body[0][1])
    return [*body, (".", False)] if random_.random() < 0.9 else body


def _who(names: SwapNames, random_: random.Random, opens: bool = True) -> Labelled:
    dice = random_.random()
    name = [(names.draw(random_), True)]
    if dice < 0.40:
        return name
    if dice < 0.50:
        return [*name, ("and", False), (names.draw(random_), True)]
    if dice < 0.55:
        return [*name, (",", False), (names.draw(random_), True), ("and", False), (names.draw(random_), True)]
    if dice < 0.62:
        return [*_split_title(random_.choice(_WORDS["titles"])), *name]
    if dice < 0.67:
        return [(random_.choice(names.english), True), (random_.choice(names.last), True)]
    if dice < 0.70:
        return [*_plain(random_.choice(_WORDS["relations"]).replace(" ", "_")), *name]
    if dice < 0.80 and opens:
        return _plain(random_.choice(_WORDS["starts without a name"]).replace(" ", "_"))
    if dice < 0.84 and opens:
        word = random_.choice(_WORDS["people"] + _WORDS["things"]).split()
        return [(word[0].capitalize(), False), *((rest, False) for rest in word[1:])]
    if dice < 0.93:
        kind = random_.choice(_WORDS["people"])
        return _plain(f"{random_.choice(('a', 'the', 'another'))}_{random_.choice(_WORDS['adjectives'])}_{kind}")
    return _plain(f"the_{random_.choice(_WORDS['people'])}")


def _thing(names: SwapNames, random_: random.Random) -> Labelled:
    dice = random_.random()
    if dice < 0.15:
        return _owned(names, random_)
    if dice < 0.27:
        return _plain(random_.choice(_WORDS["things with capitals"]).replace(" ", "_"))
    if dice < 0.37:
        return _plain("the_" + random_.choice(names.words).lower())
    if dice < 0.6:
        return _plain(f"the_{random_.choice(_WORDS['adjectives'])}_{random_.choice(_WORDS['things'])}")
    return _plain(f"{random_.choice(('a', 'the', 'his', 'her', 'their'))}_{random_.choice(_WORDS['things'])}")


def _owned(names: SwapNames, random_: random.Random) -> Labelled:
    return [(names.draw(random_), True), ("'s", False), *_plain(random_.choice(_WORDS["things"]))]


def _plain(phrase: str) -> Labelled:
    return [(word, False) for word in phrase.replace("'s", "_'s").replace(" ", "_").split("_") if word]


def _split_title(title: str) -> Labelled:
    return [(title[:-1], False), (".", False)] if title.endswith(".") else [(title, False)]


def _lower_start(who: Labelled) -> Labelled:
    first, is_name = who[0]
    return who if is_name else [(first[:1].lower() + first[1:], False), *who[1:]]
