"""Captions made wrong on purpose, to measure what the checks refuse. Pure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from queries.language.lexicon import looks_like_verb
from queries.language.person_phrases import NOUNS
from queries.language.words import Word, word_set, words

KINDS = ("another action", "another object", "negation", "half the sentence")

_BE = word_set("is are was were")
_DETERMINERS = word_set("a an the his her their")
_ENDS_NOUNS = word_set("and while as with to at in on from for by of off into onto before after when then that")


@dataclass(frozen=True, slots=True)
class Spoiler:
    """Makes captions wrong with the verbs and nouns of others, by a seed."""

    doing: Sequence[str]
    """Verbs in -ing."""
    does: Sequence[str]
    """Verbs of the third person."""
    objects: Sequence[str]

    def spoil(self, caption: str, kind: str, seed: int) -> str | None:
        """The caption made wrong, or None where it offers nothing to get hold of.

        Args: kind: one of `KINDS`.
        """
        choose = random.Random(f"{seed} {kind} {caption}")
        sentence = words(caption)
        if kind == "half the sentence":
            spoken = [word for word in sentence if word.is_word]
            return caption[: spoken[(len(spoken) - 1) // 2].end] + "." if len(spoken) > 3 else None
        if kind == "another object":
            place = _object(sentence)
            return None if place is None else _replace(caption, sentence[place], _other(self.objects, sentence, choose))
        place = _verb(sentence)
        if place is None:
            return None
        verb = sentence[place]
        if kind == "another action":
            return _replace(
                caption, verb, _other(self.doing if _is_doing(sentence, place) else self.does, sentence, choose)
            )
        if _is_doing(sentence, place):
            return _replace(caption, verb, f"not {verb.text}")
        return _replace(caption, verb, f"doesn't {verb.text.removesuffix('s')}")


def learn_spoiler(captions: Sequence[str]) -> Spoiler:
    """A spoiler with the verbs and nouns of these captions."""
    doing: set[str] = set()
    does: set[str] = set()
    objects: set[str] = set()
    for caption in captions:
        sentence = words(caption)
        verb, thing = _verb(sentence), _object(sentence)
        if verb is not None:
            (doing if _is_doing(sentence, verb) else does).add(sentence[verb].text)
        if thing is not None:
            objects.add(sentence[thing].text)
    return Spoiler(sorted(doing), sorted(does), sorted(objects))


def _is_doing(sentence: Sequence[Word], place: int) -> bool:
    return sentence[place].text.endswith("ing")


def _verb(sentence: Sequence[Word]) -> int | None:
    """The place of the first verb behind a person: "is walking", "walks"."""
    for place in range(1, len(sentence)):
        before, key = sentence[place - 1].text.casefold(), sentence[place].text
        if before in _BE and key.endswith("ing"):
            return place
        if (
            before in NOUNS
            and key.islower()
            and key.endswith("s")
            and looks_like_verb(key)
            and key not in _BE | {"has"}
        ):
            return place
    return None


def _object(sentence: Sequence[Word]) -> int | None:
    """The place of the last noun that stands for a thing: "the door"."""
    for place in range(len(sentence) - 1, 0, -1):
        key = sentence[place].text
        after = sentence[place + 1].text.casefold() if place + 1 < len(sentence) else "."
        is_thing = key.isalpha() and key.islower() and key not in NOUNS
        ends = not after.isalpha() or after in _ENDS_NOUNS
        if sentence[place - 1].text.casefold() in _DETERMINERS and is_thing and ends:
            return place
    return None


def _other(pool: Sequence[str], sentence: Sequence[Word], choose: random.Random) -> str | None:
    there = {word.text for word in sentence}
    others = [word for word in pool if word not in there]
    return choose.choice(others) if others else None


def _replace(caption: str, word: Word, other: str | None) -> str | None:
    return None if other is None else caption[: word.start] + other + caption[word.end :]
