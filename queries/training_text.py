"""Sentences that Qreels makes up to train its name tagger, and names swapped into sentences it was given."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from queries.first_names import first_names, genders, last_names

Labelled = list[tuple[str, bool]]
"""A sentence as words with "names a person"."""

WORD_NAMES = listed(
    """House Castle Chase Thirteen Page Hunt Cross Stone Price Young Long Green Gates Park Wood Hope Grace Rose
    Faith Dawn Joy Summer Autumn Winter Hunter Carter Cook Baker Fisher Parker Porter Mason Marshall Penny Lily
    Robin Amber Honey Tag Masters Burke Will Mark Art Frank Grant Drew Wade Nick Jack Bob Pete Max Gene Dean Dale
    Cliff Clay Forest Brook Rivers Steel Banks Field Hill King Knight Bishop Pope Weaver Taylor Mercy Destiny
    Jade Coral Jewel Melody Harmony Belle Bonnie Blaze Fox Wolf Lamb Swan Crane Finch Wren Raven Martin Jay
    Buddy Sonny Junior Ace Major Storm Rain Cloud Sky River Cherry Peach Berry Apple Brandy Sherry Pepper Curry
    Rice Bean Bacon Cotton Sandy Rocky Flint Ridge Reed Rush Moss Fern Heather Holly Hazel Laurel Ash Oak Bush
    Flower Rex Kit Lucky Happy Bliss Sweet Swift Strong Powers Bright Light Black White Brown Gray Little Short
    Small Rich Noble Worth Law Judge Stark Star Angel Duke Prince Earl Case Bell Ball Love Day Week Moon Sun
    Bird Pike Bass Salmon Trout Drake Hall Church Temple Bridge Street Lane Gore Chance Rock Ring Coin Seven
    Eleven Twelve Nine Foreman Chandler Cameron Shepherd Sloan Archer Cooper Wheeler Carver Sawyer Turner"""
)
"""Names that are words: as names capitalised and labelled, as words left alone."""

_SCHOOL_OF_THINGS = """table desk chair couch bed door window wall floor counter bar car phone laptop computer book
file folder photo picture cup mug glass bottle plate bowl fork spoon pizza sandwich cake box bag purse suitcase jacket
coat shirt tie dress hat scarf ring necklace key card letter envelope note pen board marker ball cane pill needle
guitar remote controller television lamp candle flower basket towel blanket pillow gun badge coffee tea beer wine water
milk cereal popcorn newspaper magazine camera clipboard chart monitor stretcher body house castle page park gate cross
master chase mark bill penny tag honey rose lily robin amber hope faith grace joy dawn summer""".split()
_ROOMS = """kitchen bathroom bedroom hallway office apartment hospital elevator street coffee_shop restaurant comic_book_store
precinct interrogation_room living_room cafeteria classroom balcony stairs lab waiting_room bar house castle park car bus
church store garden garage basement operating_room""".split()
_PEOPLE = """woman man girl boy patient doctor nurse waitress waiter police_officer detective bartender guard lawyer
judge child baby student teacher stranger friend customer reporter victim suspect cashier bride groom friends doctors
patients nurses cops officers boys girls people couple team group crowd family mother father sister brother""".split()
_ADJECTIVES = """young old blonde tall red black white brown blue small big pregnant angry happy sad nervous sick dead empty
wooden green long little pretty tired wounded confused""".split()
_BY = """quickly slowly then suddenly quietly angrily gently immediately finally""".split()
_INTRANSITIVE = """walks_in walks_out stands_up sits_down laughs smiles nods turns_around leaves runs_away starts_crying
shakes_his_head raises_her_hand looks_up is_talking is_sleeping was_standing gets_up falls_down takes_a_step_back
crosses_his_arms closes_her_eyes screams waves jumps_up_and_down sighs appears wakes_up steps_forward kneels_down""".split()
_TO_PERSON = """looks_at talks_to walks_over_to hugs kisses points_at slaps pushes stares_at sits_next_to stands_behind waves_at
argues_with yells_at smiles_at follows listens_to touches grabs pulls helps thanks dances_with walks_away_from kneels_before
tells whispers_to shakes_hands_with bumps_into looks_over_to is_talking_to was_speaking_to turns_towards leaves_with asks
calls meets interrupts examines questions sees""".split()
_WITH_THING = """picks_up puts_down holds opens closes throws drops reads looks_at points_at takes carries moves grabs turns_on
turns_off cleans breaks drinks_from writes_on sits_on kicks hides examines uses touches packs waves is_holding flips""".split()
_GIVES = "gives hands shows throws passes offers brings takes sends".split()
_LATER = "and_then|before she|while he|as they|because she|when he|after they|and|, then|so he".split("|")
_STARTS = """Someone|Everyone|Nobody|They|He|She|Two men|Three women|Both|All|Several people|It|There|A hand|People|
Patients|Waitress|Doctors|Woman|Man|Girls|Cops|Outside|Inside|Suddenly|Blood|Water|Music|Explanations|Flowers|Sirens|
Surgeons|Papers|Lights|Cameras|Nurses|Students|Strangers|Dinner|Food|Police|Officers|Clothes|Fire|Young girls|Old people|Little kids|Long hair|Black smoke|Green smoke|White walls""".replace(
    "\n", ""
).split("|")
_PLACES_WITH_CAPITALS = """Central_Perk|the_Cheesecake_Factory|New_York|Las_Vegas|the_Empire_State_Building|Chinatown|Brooklyn|
Paris|London|the_FBI|the_NYPD|Princeton|Harvard|Hollywood|the_ER|the_ICU|Starbucks|the_Olympics|Mount_Rushmore|Disneyland""".replace(
    "\n", ""
).split("|")
_THINGS_WITH_CAPITALS = """Chinese food|a Star Wars poster|an MRI machine|an IV|the TV|a CT scan|an Xbox|a Christmas tree|a
Halloween costume|an American flag|a Porsche|a Rubik's cube|a French dictionary|a Polaroid|a DVD|a Valentine's card|an Oreo
cookie|a Game Boy|a Superman shirt|Scrabble|a Coke|the Bible|an Indian dress|a Thanksgiving turkey|Italian wine|a Pepsi|a
Nintendo Wii|a Lego castle|a Disney Princess|a Cinderella dress|the Heimlich maneuver|the Dry Cleaner|the Canadian flag|the American currency|the Super Bowl|a
Barbershop Quartet|the Red Riding Hood costume|the Security guard|May fourth|a Mario Kart game|a Toyota|a Harry Winston ring|the anchor desk|the News|a
Kleenex|a Spanish newspaper|a Batman mask|the X-rays|a Barbie doll|a Swiss army knife""".replace(
    "\n", " "
).split("|")
_TITLES = "Dr. Dr Mr. Mrs. Ms. Miss Detective Captain Agent Professor Nurse Judge Officer Aunt Uncle".split()
_APPOSITIONS = "his friend|her boss|his wife|her husband|the patient|his daughter|her son|his mother|the nurse|her sister".split(
    "|"
)


@dataclass(frozen=True)
class Names:
    """Where new names come from; two sources without a name in common make "names it never saw" mean it."""

    first: tuple[str, ...]
    english: tuple[str, ...]
    last: tuple[str, ...]
    words: tuple[str, ...]

    def draw(self, random_: random.Random) -> str:
        """One name: a first name of some language, a family name, a name that is a word, or a misspelt one."""
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


def all_names() -> Names:
    """Every name there is."""
    return _names(lambda _: True)


def split_names() -> tuple[Names, Names]:
    """The names in two parts, nine tenths to train and one to measure with, by spelling and nothing else."""
    return _names(lambda name: not _is_held_out(name)), _names(_is_held_out)


def _is_held_out(name: str) -> bool:
    return sum(map(ord, name.casefold())) % 10 == 0


def _names(keep) -> Names:  # type: ignore[no-untyped-def]
    from faker.providers.person.en import Provider as English
    from faker.providers.person.en_US import Provider as American

    known = genders()
    american = list(American.first_names_male) + list(American.first_names_female)
    english = sorted({*English.first_names_male, *English.first_names_female, *american})
    return Names(
        tuple(filter(keep, first_names())),
        tuple(name for name in english if keep(name) and name.casefold() in known),
        tuple(filter(keep, last_names())),
        tuple(filter(keep, WORD_NAMES)),
    )


def misspell(name: str, random_: random.Random) -> str:
    """A name as a hasty worker types it: a letter doubled, lost, changed or in the wrong place."""
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


def swap_names(sentence: Sequence[tuple[str, bool]], names: Names, random_: random.Random) -> Labelled:
    """The sentence with every name replaced by another, the same one wherever the same name stood.

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
    """The sentence as somebody in a hurry writes it: names in lower case, "Rachels tie", a stray capital."""
    rough: Labelled = []
    lower = random_.random() < 0.035
    hasty = random_.random() < 0.05
    for place, (word, is_name) in enumerate(sentence):
        if is_name and lower and random_.random() < 0.8:
            word = word.lower()
        elif hasty and rough and rough[-1][1] and word in ("'s", "’s"):
            rough[-1] = (rough[-1][0] + "s", True)
            continue
        elif not is_name and place and word.isalpha() and random_.random() < 0.006:
            word = word.capitalize()
        rough.append((word, is_name))
    if lower and random_.random() < 0.4:
        rough[0] = (rough[0][0][:1].lower() + rough[0][0][1:], rough[0][1])
    return rough


def made_up_sentence(names: Names, random_: random.Random) -> Labelled:
    """One sentence about named and unnamed people doing things to things and to each other."""
    choose = random_.choice
    who, whom = _who(names, random_), _who(names, random_, opens=False)
    kind = random_.randrange(9)
    if kind == 0:
        body = [*who, *_plain(choose(_INTRANSITIVE))]
    elif kind == 1:
        body = [*who, *_plain(choose(_TO_PERSON)), *whom]
    elif kind == 2:
        body = [*who, *_plain(choose(_WITH_THING)), *_thing(names, random_)]
    elif kind == 3:
        body = [*who, *_plain(choose(_GIVES)), *whom, *_thing(names, random_)]
    elif kind == 4:
        body = [
            *who,
            *_plain(choose(_WITH_THING)),
            *_thing(names, random_),
            *_plain("from"),
            *_owned(names, random_),
        ]
    elif kind == 5:
        start = choose(("When", "While", "As", "After", "Before", "Once"))
        body = [(start, False), *_lower_start(who), *_plain(choose(_TO_PERSON)), *whom, (",", False)]
        body += [*_who(names, random_, opens=False), *_plain(choose(_INTRANSITIVE))]
    elif kind == 6:
        body = [*_owned(names, random_), *_plain("is_on"), *_thing(names, random_)]
    elif kind == 7:
        body = [
            *who,
            *_plain(choose(_INTRANSITIVE)),
            *_plain(choose(_LATER).replace(" ", "_")),
            *_plain(choose(_TO_PERSON)),
            *whom,
        ]
    else:
        body = [*who, *whom[:0], *_plain(choose(_BY)), *_plain(choose(_INTRANSITIVE))]
    if random_.random() < 0.3:
        place = choose(_PLACES_WITH_CAPITALS) if random_.random() < 0.25 else "the_" + choose(_ROOMS)
        body += _plain(choose(("in", "at", "near", "outside")) + "_" + place)
    body[0] = (body[0][0][:1].upper() + body[0][0][1:], body[0][1])
    return [*body, (".", False)] if random_.random() < 0.9 else body


def _who(names: Names, random_: random.Random, opens: bool = True) -> Labelled:
    dice = random_.random()
    name = [(names.draw(random_), True)]
    if dice < 0.40:
        return name
    if dice < 0.50:
        return [*name, ("and", False), (names.draw(random_), True)]
    if dice < 0.55:
        return [*name, (",", False), (names.draw(random_), True), ("and", False), (names.draw(random_), True)]
    if dice < 0.62:
        return [*_split_title(random_.choice(_TITLES)), *name]
    if dice < 0.67:
        return [(random_.choice(names.english), True), (random_.choice(names.last), True)]
    if dice < 0.70:
        return [*_plain(random_.choice(_APPOSITIONS).replace(" ", "_")), *name]
    if dice < 0.80 and opens:
        return _plain(random_.choice(_STARTS).replace(" ", "_"))
    if dice < 0.84 and opens:
        word = random_.choice(_PEOPLE + _SCHOOL_OF_THINGS).split("_")
        return [(word[0].capitalize(), False), *((rest, False) for rest in word[1:])]
    if dice < 0.93:
        kind = random_.choice(_PEOPLE)
        return _plain(f"{random_.choice(('a', 'the', 'another'))}_{random_.choice(_ADJECTIVES)}_{kind}")
    return _plain(f"the_{random_.choice(_PEOPLE)}")


def _thing(names: Names, random_: random.Random) -> Labelled:
    dice = random_.random()
    if dice < 0.15:
        return _owned(names, random_)
    if dice < 0.27:
        return _plain(random_.choice(_THINGS_WITH_CAPITALS).replace(" ", "_"))
    if dice < 0.37:
        return _plain("the_" + random_.choice(names.words).lower())
    if dice < 0.6:
        return _plain(f"the_{random_.choice(_ADJECTIVES)}_{random_.choice(_SCHOOL_OF_THINGS)}")
    return _plain(
        f"{random_.choice(('a', 'the', 'his', 'her', 'their'))}_{random_.choice(_SCHOOL_OF_THINGS)}"
    )


def _owned(names: Names, random_: random.Random) -> Labelled:
    return [(names.draw(random_), True), ("'s", False), *_plain(random_.choice(_SCHOOL_OF_THINGS))]


def _plain(phrase: str) -> Labelled:
    return [(word, False) for word in phrase.replace("'s", "_'s").replace(" ", "_").split("_") if word]


def _split_title(title: str) -> Labelled:
    return [(title[:-1], False), (".", False)] if title.endswith(".") else [(title, False)]


def _lower_start(who: Labelled) -> Labelled:
    first, is_name = who[0]
    return who if is_name else [(first[:1].lower() + first[1:], False), *who[1:]]
