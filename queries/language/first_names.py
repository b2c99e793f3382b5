"""First names of many languages with their genders, as Faker's locales list them."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal

Gender = Literal["man", "woman", "person"]

CLEAR_SHARE = 0.8
"""From this share of the locales on, a name belongs to one gender; below it, to either."""

USUAL_LOCALES = 2
_PLAIN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def gender_of(name: str) -> Gender | None:
    """A first name's gender, case ignored: "man", "woman", "person" if it can be either, None if it isn't a name."""
    return genders().get(name.casefold())


def is_usual(name: str) -> bool:
    """Whether several locales list a first name, so that its gender isn't a single source's word; case ignored."""
    return len(_locales().get(name.casefold(), ())) >= USUAL_LOCALES


def is_first_name(word: str) -> bool:
    """Whether the word is a first name in some language, case ignored."""
    return word.casefold() in genders()


def is_family_name(word: str) -> bool:
    """Whether the word is a family name in some language, case ignored."""
    return word.casefold() in _family_names()


@lru_cache(maxsize=1)
def _family_names() -> frozenset[str]:
    return frozenset(name.casefold() for name in last_names())


@lru_cache(maxsize=1)
def genders() -> dict[str, Gender]:
    """Every first name, lower-case, with its gender.

    English locales decide alone where they know the name, since descriptions are English: Andrea is a
    woman here, although Italy disagrees.
    """
    english: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    anywhere: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for locale, side, name in _listed_names():
        key = name.casefold()
        anywhere[key][side] += 1
        if locale.startswith("en"):
            english[key][side] += 1
    return {key: _verdict(*english.get(key, votes)) for key, votes in anywhere.items()}


@lru_cache(maxsize=1)
def _locales() -> dict[str, set[str]]:
    locales: dict[str, set[str]] = defaultdict(set)
    for locale, _, name in _listed_names():
        locales[name.casefold()].add(locale)
    return locales


@lru_cache(maxsize=1)
def first_names() -> tuple[str, ...]:
    """Every first name as written, sorted, of all locales in Latin letters."""
    return tuple(sorted({name for _, _, name in _listed_names() if _is_latin(name)}))


@lru_cache(maxsize=1)
def last_names() -> tuple[str, ...]:
    """Family names as written, sorted, of all locales in Latin letters."""
    names: set[str] = set()
    for _, provider in _providers():
        names.update(_plain(provider, "last_names"))
    return tuple(sorted(name for name in names if _is_latin(name)))


def _verdict(men: int, women: int) -> Gender:
    if men >= CLEAR_SHARE * (men + women):
        return "man"
    if women >= CLEAR_SHARE * (men + women):
        return "woman"
    return "person"


def _listed_names() -> Iterator[tuple[str, int, str]]:
    for locale, provider in _providers():
        for side, attribute in enumerate(("first_names_male", "first_names_female")):
            for name in _plain(provider, attribute):
                yield locale, side, name


def _providers() -> Iterator[tuple[str, Any]]:
    import faker.providers.person as package

    for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
        yield module, importlib.import_module(f"{package.__name__}.{module}").Provider


def _plain(provider: Any, attribute: str) -> set[str]:
    """A locale's one-word names; some locales have none, or compute them."""
    listed = getattr(provider, attribute, ())
    if isinstance(listed, property):
        return set()
    return {name.strip() for name in listed if _PLAIN.fullmatch(name.strip()) and len(name.strip()) > 1}


def _is_latin(name: str) -> bool:
    return all(letter < "ɐ" for letter in name) and name[0].isupper()
