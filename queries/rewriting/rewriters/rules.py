"""The rule-based rewriter: names become "a woman", "another man", "two people"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from queries.language.lexicon import Lexicon
from queries.language.mentions import Mention, find_mentions
from queries.language.name_tagger import NameSpan, NameTagger
from queries.language.people import People
from queries.language.spoken import ENGLISH, UNDETERMINED, knows
from queries.language.words import Word, collapse, word_set, words
from queries.rewriting.rewriters.interface import Rewritten, SourceDescription
from queries.rewriting.rewriters.variety import Variety, described_beside, possessive_pronoun

NAME, MODEL = "rules", "rules-2"
DIVERSE_MODEL = "rules-2-diverse"
NOT_ENGLISH = "Rules rewrite English alone, and this description is {}."

_ARTICLES = word_set("a an the this another every each")
_OWNERS = word_set("his her their its my your our")
_HONORIFICS = word_set("dr mr mrs ms miss mx mister")
_ADJECTIVES = word_set(
    "past young younger old older little pregnant drunk future poor fake angry blonde sleeping unconscious "
    "naked sick nervous dead bearded injured confused excited sad happy smiling crying upset shocked "
    "surprised annoyed worried tired scared real wounded bald hysterical drunken sleepy shirtless "
    "handcuffed teenage baby speechless drowsy lonely hungry proud guilty frustrated frightened terrified amused "
    "bored stunned confident jealous dying bleeding half-naked masked disguised costumed grumpy sweaty uncomfortable "
    "unhappy skeptical suspicious concerned distraught limping panicking sobbing weeping snoring shivering trembling "
    "coughing sweating blushing laughing yawning preoccupied"
)
_ADJECTIVE_ENDINGS = ("less", "ful", "ous")
_KIN = word_set(
    "friend friends wife husband girlfriend boyfriend son daughter mother mom mum dad roommate coworker "
    "co-worker colleague partner ex ex-wife ex-husband neighbor cousin fiance fiancee assistant "
    "secretary boss brother sister father aunt uncle grandmother grandfather grandma grandpa nanny "
    "therapist lawyer stepfather co-star costar costars"
)
_ROLES = word_set(
    "patient girl guy man woman boy kid student waitress waiter actor actress bartender suspect victim "
    "lady baby cop janitor producer director nurse doctor detective officer agent captain judge "
    "professor"
)
_COMPANIONS = word_set("friends coworkers co-workers colleagues parents sons daughters sisters brothers roommates")
_NAMED = word_set("named called")
_SOMEBODY = _ROLES | word_set("someone somebody person people friend character ghost dog monkey cat child")
_SUBORDINATE = word_set("while when as after before if because since once until whenever")
_SUBJECT_AFTER = _SUBORDINATE | word_set("where that which how why what whether and but then so")
_FINITE = word_set(
    "is was has had does did puts sits gets goes says sees runs hits cuts lets will can would could "
    "should stood sat came went took gave saw said told made got ran held kept left put began"
)


_PLURAL_VERBS = {"was": "were", "is": "are", "has": "have", "does": "do"}


@dataclass
class _Edit:
    """A replacement of the words first to last, inclusive."""

    first: int
    last: int
    text: str


@dataclass
class RulesRewriter:
    """Replaces names by rules; a caption depends on its description alone."""

    tagger: NameTagger
    lexicon: Lexicon | None = None
    diverse: bool = False
    """Varied words for persons and more general groups, as in the paper."""
    name: str = field(default=NAME, init=False)
    model: str = field(default=MODEL, init=False)
    prompt_version: str = field(default="", init=False)

    def __post_init__(self) -> None:
        if self.diverse:
            self.model = DIVERSE_MODEL

    def rewrite(self, sources: Sequence[SourceDescription], *, temperature: float, seed: int) -> list[Rewritten]:
        """One caption per source in English. Above temperature 0, unknown capitalised words count as names too."""
        texts = [collapse(source.text) for source in sources]
        spans = self.tagger.find_names(texts)
        lexicon = self.lexicon or Lexicon()
        answers = []
        for source, text, names in zip(sources, texts, spans, strict=True):
            if not knows(ENGLISH, source.language):
                language = "not in English" if source.language == UNDETERMINED else f"in {source.language}"
                answers.append(Rewritten(source.id, None, NOT_ENGLISH.format(language)))
                continue
            caption = imprecise(text, names, lexicon, bold=temperature > 0, diverse=self.diverse)
            error = "" if caption else "The description is empty."
            answers.append(Rewritten(source.id, caption or None, error))
        return answers


def imprecise(
    text: str, spans: Sequence[NameSpan], lexicon: Lexicon, *, bold: bool = False, diverse: bool = False
) -> str:
    """A description with every name replaced by a noun phrase.

    Args: text: white space collapsed; spans: what the tagger found in it.
    """
    sentence = words(text)
    mentions = find_mentions(sentence, spans, lexicon, bold=bold)
    if not mentions:
        return text
    people = People(sentence, mentions, lexicon)
    variety = Variety(text) if diverse else None
    if variety is not None:
        variety.vary(people.everyone())
    return _apply(text, sentence, _edits(sentence, mentions, people, variety))


def _edits(
    sentence: Sequence[Word], mentions: Sequence[Mention], people: People, variety: Variety | None
) -> list[_Edit]:
    edits: list[_Edit] = []
    place = 0
    while place < len(mentions):
        group = _group(sentence, mentions[place:], people)
        if len(group) > 1:
            edits += _group_edits(sentence, group, people, variety)
        else:
            varied = _varied_edits(sentence, mentions[place], people, variety) if variety else []
            edits += varied or [_single_edit(sentence, mentions[place], people)]
        place += len(group)
    return edits


def _group(sentence: Sequence[Word], mentions: Sequence[Mention], people: People) -> list[Mention]:
    """The leading mentions that form one enumeration of people not mentioned before."""
    members = [mentions[0]]
    joined = False
    for left, right in pairwise(mentions):
        between = [word.text.casefold() for word in sentence[left.end + 1 : right.first]]
        if left.possessive or between not in ([], [","], ["and"], ["&"], [",", "and"]):
            break
        if between == [","] and _closes_clause(sentence, left.end + 1):
            break
        members.append(right)
        if between and between != [","]:
            joined = True
            break
    persons = [people.of(member) for member in members]
    described = _is_described(sentence, members[0]) and not _is_apposition(sentence, members[0])
    plain = not any(member.plural for member in members) and not described
    if not joined or not plain or any(people.is_known(person) for person in persons):
        return members[:1]
    if len({id(person) for person in persons}) < len(persons):
        return members[:1]
    if len(members) == 2 and not _is_subject(sentence, members[0]) and _is_finite(sentence, members[-1].end + 1):
        return members[:1]
    return members


def _closes_clause(sentence: Sequence[Word], comma: int) -> bool:
    """Whether a comma ends a clause, as in "When he sees Ross, ...", and so is no enumeration."""
    start = comma
    while start > 0 and not sentence[start - 1].opens:
        start -= 1
    opening = sentence[start - 1].text.casefold() if start else ""
    earlier = any(word.text == "," for word in sentence[start:comma])
    return opening in _SUBORDINATE and not earlier


def _is_subject(sentence: Sequence[Word], mention: Mention) -> bool:
    before = sentence[mention.first - 1].text.casefold() if mention.first else ""
    return sentence[mention.first].opens or before in _SUBJECT_AFTER


def _is_finite(sentence: Sequence[Word], place: int) -> bool:
    """Whether the word at a place looks like a verb with a subject of its own before it."""
    if place >= len(sentence) or not sentence[place].is_word:
        return False
    key = sentence[place].text.casefold()
    return key in _FINITE or (key.endswith(("s", "ed")) and not key.endswith(("ss", "us")) and key != "as")


def _is_described(sentence: Sequence[Word], mention: Mention) -> bool:
    """Whether an article, an adjective or a role stands right before a name."""
    if not mention.first or mention.title:
        return bool(mention.first) and sentence[mention.first - 1].text.casefold() in _ARTICLES | _OWNERS
    before = sentence[mention.first - 1].text.casefold()
    return before in _ARTICLES | _ADJECTIVES | _KIN | _ROLES | _NAMED


def _is_apposition(sentence: Sequence[Word], mention: Mention) -> bool:
    """Whether an enumeration only says who they are: "his coworkers Ryan and Beckett"."""
    return _before(sentence, mention.first, 1) in _COMPANIONS and _before(sentence, mention.first, 2) in _OWNERS


def _group_edits(
    sentence: Sequence[Word], group: Sequence[Mention], people: People, variety: Variety | None
) -> list[_Edit]:
    first, last = group[0].first, group[-1]
    if first and sentence[first - 1].text.casefold() == "both":
        first -= 1
    persons = [people.of(member) for member in group]
    if _is_apposition(sentence, group[0]) and not last.possessive:
        people.introduce_together(persons)
        return [_Edit(first, last.end, "")]
    general = variety is not None and variety.is_people(persons)
    phrase = people.introduce_people(persons) if general else people.introduce_together(persons)
    return [_Edit(first, last.end, _owning(phrase, last.possessive))]


def _varied_edits(sentence: Sequence[Word], mention: Mention, people: People, variety: Variety) -> list[_Edit]:
    """What only the diverse style writes for one mention; empty where it writes what the other does."""
    person = people.of(mention)
    if mention.plural or _is_described(sentence, mention) or _couple(sentence, mention) is not None:
        return []
    if people.is_known(person):
        pronoun = possessive_pronoun(people, person) if mention.possessive else ""
        return [_Edit(mention.first, mention.end, pronoun)] if pronoun else []
    beside = described_beside(sentence, mention)
    if beside is not None and variety.is_people([person]):
        phrase, end = beside
        edits = [_Edit(mention.first, end, people.introduce_people([person], others=phrase.stated))]
        verb = sentence[end + 1].text.casefold() if end + 1 < len(sentence) else ""
        return [*edits, _Edit(end + 1, end + 1, _PLURAL_VERBS[verb])] if verb in _PLURAL_VERBS else edits
    once = sum(people.of(other) is person for other in people.mentions) == 1
    if once and variety.is_someone(person):
        people.introduce(person)
        return [_Edit(mention.first, mention.end, _owning("someone", mention.possessive))]
    return []


def _single_edit(sentence: Sequence[Word], mention: Mention, people: People) -> _Edit:
    person = people.of(mention)
    before = _before(sentence, mention.first, 1)
    if mention.plural:
        return _Edit(mention.first, mention.end, "people")
    couple = _couple(sentence, mention)
    if couple is not None:
        people.introduce(person)
        return _Edit(couple, mention.end, _owning("a man and a woman", mention.possessive))
    if before in _NAMED and _before(sentence, mention.first, 2) in _SOMEBODY and not mention.possessive:
        people.introduce(person)
        return _Edit(mention.first - 1, mention.end, "")
    if mention.title and _has_determiner(sentence, mention.first) and mention.title not in _HONORIFICS:
        people.introduce(person)
        return _Edit(mention.name_at, mention.end, "'s" if mention.possessive else "")
    if not mention.title and _is_role(before, mention) and _has_determiner(sentence, mention.first - 1):
        people.introduce(person)
        return _Edit(mention.first, mention.end, "'s" if mention.possessive else "")
    if _is_adjective(sentence, mention.first):
        return _adjective_edit(sentence, mention, people)
    if before in _ARTICLES:
        noun = people.introduce(person).split()[-1]
        article = "a" if before == "an" else sentence[mention.first - 1].text
        if before == "a" and noun[0] in "aeiou":
            article = f"{article}n"
        return _Edit(mention.first - 1, mention.end, _owning(f"{article} {noun}", mention.possessive))
    phrase = people.introduce(person)
    if before in _OWNERS - {"her"}:
        # "his Rachel" is his woman; "shows her Rachel" may be two people.
        phrase = phrase.split()[-1]
    return _Edit(mention.first, mention.end, _owning(phrase, mention.possessive))


def _is_adjective(sentence: Sequence[Word], place: int) -> bool:
    """Whether the word before a place describes the name there: "young", "a seated", "A somber"."""
    before, article = _before(sentence, place, 1), _before(sentence, place, 2)
    if before in _ADJECTIVES or (before.endswith(_ADJECTIVE_ENDINGS) and before != "unless"):
        return sentence[place - 1].text != "past"
    if article not in _ARTICLES:
        return False
    if before.endswith(("ed", "ing")):
        return True
    after = sentence[place + 1].text if place + 1 < len(sentence) else ""
    return article in ("a", "an") and sentence[place - 2].opens and before.isalpha() and after not in _FINITE


def _couple(sentence: Sequence[Word], mention: Mention) -> int | None:
    """The start of "Mr. and Mrs. Kopek", if the mention is its "Mrs. Kopek"."""
    if mention.title not in ("mrs", "ms") or _before(sentence, mention.first, 1) not in ("and", "&"):
        return None
    back = 3 if _before(sentence, mention.first, 2) == "." else 2
    return mention.first - back if _before(sentence, mention.first, back) == "mr" else None


def _adjective_edit(sentence: Sequence[Word], mention: Mention, people: People) -> _Edit:
    noun = people.introduce(people.of(mention)).split()[-1]
    if _has_determiner(sentence, mention.first - 1):
        return _Edit(mention.first, mention.end, _owning(noun, mention.possessive))
    adjective = sentence[mention.first - 1].text.lower()
    article = "an" if adjective[0] in "aeiou" else "a"
    return _Edit(mention.first - 1, mention.end, _owning(f"{article} {adjective} {noun}", mention.possessive))


def _is_role(before: str, mention: Mention) -> bool:
    return before in _KIN or (before in _ROLES and not mention.possessive)


def _has_determiner(sentence: Sequence[Word], place: int) -> bool:
    """Whether "the", "her" or "somebody's" stands before a place, an adjective or two in between."""
    for back in (1, 2, 3):
        key = _before(sentence, place, back)
        if key in _ARTICLES or key in _OWNERS or key in ("another", "'s", "’s"):
            return True
        if key not in _ADJECTIVES and key not in ("best", "ex", "new", "young", "male", "female"):
            return False
    return False


def _before(sentence: Sequence[Word], place: int, back: int) -> str:
    return sentence[place - back].text.casefold() if place >= back else ""


def _owning(phrase: str, possessive: bool) -> str:
    return f"{phrase}'s" if possessive else phrase


def _apply(text: str, sentence: Sequence[Word], edits: Sequence[_Edit]) -> str:
    """Apply the edits to the text, with capitals at sentence starts."""
    pieces: list[str] = []
    at = 0
    for edit in edits:
        first, last = sentence[edit.first], sentence[edit.last]
        unchanged = text[at : first.start]
        if edit.text in ("", "'s"):
            unchanged = unchanged.rstrip()
        new = edit.text
        if new and (edit.first == 0 or (first.opens and first.is_capitalised)):
            new = new[0].upper() + new[1:]
        pieces += [unchanged, new]
        at = last.end
    pieces.append(text[at:])
    return collapse("".join(pieces))
