"""Mentions of people in a description: tagger spans, cast and first names combined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from queries.language.first_names import gender_of, is_family_name, is_first_name
from queries.language.known_words import NOT_PERSONS, RARELY_NAMES, is_ordinary
from queries.language.lexicon import Lexicon, cast_member, in_name_place, looks_like_verb, names_somebody
from queries.language.name_tagger import NameSpan
from queries.language.things import ACRONYM, is_part_of_thing, stands_as_thing
from queries.language.words import TITLES, Word, word_set

PLURAL_TITLES = word_set("doctors drs detectives officers agents nurses captains professors judges mesdames messrs")
_KIN_TITLES = word_set("sister brother father aunt uncle")
_SUFFIXES = word_set("jr sr ii iii junior senior")
_NO_THING = word_set(
    "and or but as while when then with to at in on from for by is was are were has had who that after "
    "before into onto over under out up down off about around again together also both behind beside "
    "next near"
)
_OWNED = word_set(
    "mother mom mum father dad parents sister brother wife husband daughter son boyfriend girlfriend fiance fiancee "
    "friend friends boss roommate neighbor nephew niece cousin apartment office bedroom desk chair kitchen bathroom "
    "closet bed couch locker shoulder shoulders arm arms leg legs chest neck hair lips mouth nose ear cheek stomach "
    "belly lap knee feet foot wrist waist forehead shirt jacket coat tie pocket wallet purse necklace autopsy "
    "corpse name voice birthday wedding"
)
"""What somebody has: after a name it stands for "Dwight's", the mark forgotten."""
_OWNED_OR_DONE = word_set("hand hands head face eye eyes back finger fingers knees phone room house")
"""The same, but for "Beckett hands Castle a file" and "Ross and Joey head to the door"."""
_DONE_WITH = word_set("palms butts shakes")
"""What is no verb of its own after these: "Sheldon face palms"."""
_OWNED_BY_PATIENTS = word_set("hospital murder patient living dining bedroom office apartment hotel")
"""What stands before such a thing: "Laura murder case"."""
_GOES_ON = word_set(
    "a an the his her their him it them each some to out back for up down toward towards over into off away in"
)
"""What follows where these words are a verb."""
_BEFORE_SUBJECTS = word_set("and & , ; while when as after before if because since once until where that then but so")
_SEEN_OFTEN = 5
LISTED, THING, LETTERS, OPENING = "listed", "thing", "letters", "opening"
"""Why words may be no name: `NoName` of the collections' settings says it in words."""


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
        while place <= last:
            end = place
            while end < last and not _begins_another(sentence[end], sentence[end + 1], lexicon):
                end += 1
            mention = _mention(sentence, place, end, lexicon)
            mentions.append(mention)
            place = mention.end + 1
    return mentions


def _begins_another(word: Word, following: Word, lexicon: Lexicon) -> bool:
    """Whether two words of the cast in a row are two people: "Castle Beckett and Esposito", the comma forgotten.

    The cast list knows who has which names. Where it says nothing, both have to be known by their one name, and
    hardly ever be seen together; and either the first is no first name, or a man's doesn't go with a woman's.
    """
    first, second = word.text.casefold(), following.text.casefold()
    if (first, second) in lexicon.full_names or not {first, second} <= lexicon.cast:
        return False
    genders = {lexicon.genders.get(key) or gender_of(key) for key in (first, second)}
    differ = genders == {"man", "woman"}
    if {first, second} <= lexicon.given:
        family = {last for _, last in lexicon.full_names}
        may_be_one = second in family and (first not in family) and is_first_name(first)
        return differ or not may_be_one
    known = min(lexicon.alone.get(first, 0), lexicon.alone.get(second, 0))
    if known < _SEEN_OFTEN or 20 * (lexicon.beside.get((first, second), 0) - 1) > known:
        return False
    return differ or not is_first_name(first)


def names_person(sentence: Sequence[Word], span: NameSpan, lexicon: Lexicon) -> bool:
    """Whether a tagger's span in a sentence may name somebody: not where all of it is known to be a thing."""
    return not why_no_name(sentence, span, lexicon)


def why_no_name(sentence: Sequence[Word], span: NameSpan, lexicon: Lexicon) -> frozenset[str]:
    """Why a tagger's span names nobody, as far as the word lists and its place in the sentence tell.

    Returns: LISTED, THING, LETTERS or OPENING for each of its words; none where any of these may be a name.
    """
    spanned = [place for place, word in enumerate(sentence) if word.is_word and span.start <= word.start < span.end]
    reasons = [_reason(sentence, place, lexicon) for place in spanned]
    if not reasons:
        return frozenset({LETTERS})
    return frozenset(reasons) if all(reasons) else frozenset()


def _reason(sentence: Sequence[Word], place: int, lexicon: Lexicon) -> str:
    word = sentence[place]
    if word.text.casefold() in lexicon.cast:
        return ""
    if word.text.casefold() in NOT_PERSONS:
        return LISTED
    if _is_no_name(sentence, place):
        return THING if stands_as_thing(sentence, place) else LETTERS
    return OPENING if _opens_as_word(word, lexicon) else ""


def _is_name(sentence: Sequence[Word], place: int, spans: Sequence[NameSpan], lexicon: Lexicon, *, bold: bool) -> bool:
    word = sentence[place]
    key = word.text.casefold()
    if key in TITLES or key in PLURAL_TITLES or is_part_of_thing(sentence, place):
        return False
    if names_somebody(sentence, place, lexicon):
        return True
    if not any(letter.isalpha() for letter in key):
        return False
    if key in NOT_PERSONS or key in _NO_THING:
        return False
    tagged = any(span.start <= word.start < span.end for span in spans)
    if word.is_capitalised and key not in lexicon.cast and _is_no_name(sentence, place):
        return False
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


def _is_no_name(sentence: Sequence[Word], place: int) -> bool:
    """Whether an unknown word with a capital is a thing, or letters that stand for one within a sentence."""
    word = sentence[place]
    if is_first_name(word.text.casefold()):
        return False
    return stands_as_thing(sentence, place) or (ACRONYM.fullmatch(word.text) is not None and not word.opens)


def _opens_as_word(word: Word, lexicon: Lexicon) -> bool:
    """Whether a sentence opens with an ordinary word, whose capital says nothing: "Cars pull up"."""
    key = word.text.casefold()
    return word.opens and word.is_capitalised and _is_common(key, lexicon) and not is_first_name(key)


def _is_common(key: str, lexicon: Lexicon) -> bool:
    singular = lexicon.lower.get(key[:-1], 0) if key.endswith("s") else 0
    return is_ordinary(key) or max(lexicon.lower.get(key, 0), singular) > 1


def _looks_like_name(word: Word, lexicon: Lexicon) -> bool:
    key = word.text.casefold()
    if ACRONYM.fullmatch(word.text) or is_ordinary(key) or lexicon.lower.get(key, 0):
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
    keys = [word.text.casefold() for word in sentence[first : last + 1]]
    end = last
    possessive = end + 1 < len(sentence) and sentence[end + 1].is_possessive and _touches(sentence, end)
    plural = False
    if possessive:
        end += 1
    elif _is_hasty(keys[-1], lexicon):
        after = sentence[end + 1] if end + 1 < len(sentence) else None
        before = sentence[first - 1].text.casefold() if first else ""
        plural = before == "the"
        possessive = not plural and after is not None and _may_be_owned(after, sentence[end + 2 : end + 3])
        keys[-1] = cast_member(keys[-1], lexicon) or keys[-1][:-1]
    else:
        possessive = _owns_next(sentence, first, end)
    title, start = _title(sentence, first)
    return Mention(start, last, tuple(keys), title, first, possessive, plural, end)


def _owns_next(sentence: Sequence[Word], first: int, last: int) -> bool:
    """Whether what follows a name is somebody's though nothing says so: "Dwight hand shows", "Laura murder case"."""
    keys = [word.text.casefold() if word.is_word else "" for word in sentence[last + 1 : last + 3]]
    if not keys or not keys[0] or sentence[last + 1].is_capitalised:
        return False
    after = keys[1] if len(keys) > 1 else ""
    if keys[0] in _OWNED:
        return True
    if keys[0] in _OWNED_OR_DONE:
        if after in _GOES_ON or (after and sentence[last + 2].is_capitalised):
            return False
        before = sentence[first - 1].text.casefold() if first else ""
        acts = sentence[first].opens or before in _BEFORE_SUBJECTS or before in TITLES or before == "."
        if not acts or not after:
            return True
        return not keys[0].endswith("s") and looks_like_verb(after) and after not in _DONE_WITH
    return keys[0] in _OWNED_BY_PATIENTS and bool(after) and after not in _GOES_ON | _NO_THING


def _touches(sentence: Sequence[Word], place: int) -> bool:
    return sentence[place].end == sentence[place + 1].start


def _is_hasty(key: str, lexicon: Lexicon) -> bool:
    """Whether a name has an s too many: "Rachels", "the Hofstadters"."""
    if not key.endswith("s") or key in lexicon.cast or len(key) < 5:
        return False
    return cast_member(key, lexicon) is not None or (is_first_name(key[:-1]) and not is_first_name(key))


def _may_be_owned(after: Word, then: Sequence[Word]) -> bool:
    """Whether a word after "Rachels" is what she has, not what she does: "Rachels hair", but "Howards lays out"."""
    key = after.text.casefold()
    if not after.is_word or key in _NO_THING or key.endswith(("ing", "ly", "es", "ks", "ts", "ds")):
        return False
    return key in _OWNED or not any(word.text.casefold() in _GOES_ON for word in then)


def _title(sentence: Sequence[Word], first: int) -> tuple[str, int]:
    """The title before a name and where it starts; "" and the name's own place without one."""
    at = first - 1
    if at > 0 and sentence[at].text == ".":
        at -= 1
    if at < 0 or not sentence[at].is_word:
        return "", first
    key = sentence[at].text.casefold()
    if key in _KIN_TITLES and not sentence[at].is_capitalised:
        return "", first  # "her sister Amy" is no Sister Amy
    if key in TITLES or key in PLURAL_TITLES:
        return key, at
    return "", first
