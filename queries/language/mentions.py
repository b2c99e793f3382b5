"""Mentions of people in a description: tagger spans, cast and first names combined."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from queries.language.first_names import is_family_name, is_first_name
from queries.language.known_words import NOT_PERSONS, RARELY_NAMES, is_ordinary
from queries.language.lexicon import SPELT, Lexicon, cast_member, in_name_place, names_somebody
from queries.language.name_tagger import NameSpan
from queries.language.words import TITLES, Word, word_set

PLURAL_TITLES = word_set("doctors drs detectives officers agents nurses captains professors judges mesdames messrs")
_SUFFIXES = word_set("jr sr ii iii junior senior")
_ACRONYM = re.compile(r"[A-Z0-9]{2,6}")
_NO_THING = word_set(
    "and or but as while when then with to at in on from for by is was are were has had who that after "
    "before into onto over under out up down off about around again together also both behind beside "
    "next near"
)


@dataclass
class Mention:
    """Words first to last, inclusive, that name one person, the title in front of the name included."""

    first: int
    last: int
    names: tuple[str, ...]
    """The name's words, lower-case, the s of a hasty "Rachels" taken off."""
    title: str = ""
    """The title before the name, lower-case, without its full stop."""
    name_at: int = 0
    """The place of the name's own first word."""
    possessive: bool = False
    plural: bool = False
    end: int = field(default=0)
    """The last place that the mention covers, its possessive ending included."""


def find_mentions(
    sentence: Sequence[Word], spans: Sequence[NameSpan], lexicon: Lexicon, *, bold: bool
) -> list[Mention]:
    """The people named in a sentence, in order.

    Args: bold: take unknown capitalised words and lower-case first names for names as well, at the price
        of a mistake: what was not bold has just failed a check.
    """
    flags = [
        _is_name(sentence, place, spans, lexicon, bold=bold) if word.is_word else False
        for place, word in enumerate(sentence)
    ]
    _extend_to_family_names(sentence, flags, lexicon)
    mentions: list[Mention] = []
    place = 0
    while place < len(sentence):
        if not flags[place]:
            place += 1
            continue
        last = place
        while last + 1 < len(sentence) and flags[last + 1]:
            last += 1
        mention = _mention(sentence, place, last, lexicon)
        mentions.append(mention)
        place = mention.end + 1
    return mentions


def _is_name(sentence: Sequence[Word], place: int, spans: Sequence[NameSpan], lexicon: Lexicon, *, bold: bool) -> bool:
    word = sentence[place]
    key = word.text.casefold()
    if key in TITLES or key in PLURAL_TITLES:
        return False
    if names_somebody(sentence, place, lexicon):
        return True
    if not any(letter.isalpha() for letter in key):
        return False
    if key in NOT_PERSONS or key in _NO_THING:
        return False
    tagged = any(span.start <= word.start < span.end for span in spans)
    if word.is_capitalised:
        if tagged and word.opens and _is_common(key, lexicon):
            return is_first_name(key) and any(span.score > 0.9 for span in spans if span.start <= word.start < span.end)
        return tagged or (bold and _looks_like_name(word, lexicon))
    if cast_member(key, lexicon) is not None:
        return tagged
    named = is_first_name(key) or (tagged and is_family_name(key))
    if not named or is_ordinary(key) or lexicon.lower.get(key, 0) > (1 if tagged else 2):
        return False
    return tagged or (bold and in_name_place(sentence, place))


def _is_common(key: str, lexicon: Lexicon) -> bool:
    return is_ordinary(key) or lexicon.lower.get(key, 0) > 1


def _looks_like_name(word: Word, lexicon: Lexicon) -> bool:
    key = word.text.casefold()
    if _ACRONYM.fullmatch(word.text) or is_ordinary(key) or lexicon.lower.get(key, 0):
        return False
    return not word.opens or is_first_name(key) or is_family_name(key)


def _extend_to_family_names(sentence: Sequence[Word], flags: list[bool], lexicon: Lexicon) -> None:
    """Extend mentions by capitalised ordinary words, in place: "Rachel Green", "Jo Lynn"."""
    for place in range(len(sentence) - 1):
        key = sentence[place].text.casefold()
        if flags[place + 1] and not flags[place] and sentence[place].is_capitalised and is_first_name(key):
            flags[place] = not {key} & (RARELY_NAMES | NOT_PERSONS | TITLES | _NO_THING)
    for place in range(1, len(sentence)):
        word = sentence[place]
        key = word.text.casefold()
        follows = flags[place - 1] and not flags[place] and word.is_capitalised and word.is_word
        if not follows or key in NOT_PERSONS or key in _NO_THING:
            continue
        unknown = not is_ordinary(key) and not lexicon.lower.get(key) and not key.endswith("s")
        if unknown or key in _SUFFIXES or is_family_name(key):
            flags[place] = not (key.endswith("s") and is_ordinary(key[:-1]))


def _mention(sentence: Sequence[Word], first: int, last: int, lexicon: Lexicon) -> Mention:
    keys = [SPELT.get(word.text, word.text.casefold()) for word in sentence[first : last + 1]]
    end = last
    possessive = end + 1 < len(sentence) and sentence[end + 1].is_possessive and _touches(sentence, end)
    plural = False
    if possessive:
        end += 1
    elif _is_hasty(keys[-1], lexicon):
        after = sentence[end + 1] if end + 1 < len(sentence) else None
        before = sentence[first - 1].text.casefold() if first else ""
        plural = before == "the"
        possessive = not plural and after is not None and _may_be_owned(after)
        keys[-1] = keys[-1][:-1]
    title, start = _title(sentence, first)
    return Mention(start, last, tuple(keys), title, first, possessive, plural, end)


def _touches(sentence: Sequence[Word], place: int) -> bool:
    return sentence[place].end == sentence[place + 1].start


def _is_hasty(key: str, lexicon: Lexicon) -> bool:
    """Whether a name has an s too many: "Rachels", "the Hofstadters"."""
    if not key.endswith("s") or key in lexicon.cast or len(key) < 5:
        return False
    return key[:-1] in lexicon.cast or (is_first_name(key[:-1]) and not is_first_name(key))


def _may_be_owned(after: Word) -> bool:
    key = after.text.casefold()
    return after.is_word and key not in _NO_THING and not key.endswith(("ing", "ly", "es", "ks", "ts", "ds"))


def _title(sentence: Sequence[Word], first: int) -> tuple[str, int]:
    """The title before a name and where it starts; "" and the name's own place without one."""
    at = first - 1
    if at > 0 and sentence[at].text == ".":
        at -= 1
    if at < 0 or not sentence[at].is_word:
        return "", first
    key = sentence[at].text.casefold()
    if key in TITLES or key in PLURAL_TITLES:
        return key, at
    return "", first
