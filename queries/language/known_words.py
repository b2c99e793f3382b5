"""Word lists: capitalised words that aren't names, and ordinary words that also are."""

from __future__ import annotations

from functools import lru_cache

from queries.language.words import word_set

NOT_PERSONS = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday january february july september october
    november december christmas halloween thanksgiving easter hanukkah valentines american americans
    african asian british english french german italian spanish mexican canadian russian chinese
    japanese korean indian polish irish scottish dutch swedish greek turkish arabic arab hebrew latin
    hispanic jewish muslim christian catholic buddhist european australian brazilian cuban thai
    vietnamese caucasian african-american asian-american spanish-language bornean hawaiian egyptian
    persian roman-style america africa asia europe australia england france germany italy spain mexico
    canada russia china japan korea india ireland scotland holland sweden greece turkey israel egypt
    brazil cuba afghanistan iraq iran london rome berlin tokyo york brooklyn manhattan hollywood vegas
    boston chicago california texas florida hawaii nevada angeles francisco la ny nyc usa us uk un eu
    la's washington jersey atlantic pacific tv mri ct ct-scan cd dvd pc id er or icu iv dna fbi cia nypd
    nasa swat cpr atm vip ceo usb led dj ok okay xray x-ray xrays pdf rv suv suvs wifi wi-fi gps ipod
    ipad iphone xbox playstation wii nintendo google facebook youtube skype amazon ebay apple microsoft
    pepsi coke coca-cola starbucks oreo polaroid porsche ferrari mercedes ford honda toyota jeep
    volkswagen disney disneyland lego jenga scrabble monopoly foosball frisbee kleenex band-aid
    tupperware styrofoam velcro post-it sharpie walkman rubik's barbie star wars trek twilight superman
    batman spiderman hulk ghostbuster ghostbusters cinderella god jesus bible lord internet ptsd ocd
    central perk cheesecake factory university museum avenue street hotel hospital precinct barbershop
    mount rushmore olympics olympic santa claus easter bunny heimlich quartet polaroids vietnam vegan
    vicodin aspirin tylenol advil motrin valium xanax prozac viagra botox lidocaine morphine adderall benadryl
    prednisone heparin epinephrine methadone scotch whisky whiskey bourbon vodka tequila rum champagne chardonnay
    merlot guinness heineken budweiser martini gatorade sprite snapple kool-aid snickers twix twinkie twinkies
    doritos cheetos pringles cheerios nutella oreos rubik perla valentine gucci prada chanel versace armani rolex
    ikea walmart nike adidas sony nokia samsung blackberry macbook imac kindle netflix tivo gameboy pac-man pacman
    tetris warcraft yahtzee pictionary klingon jedi titanic chinatown broadway harlem bronx harvard yale princeton
    caltech oxford cambridge seattle philadelphia vermont texas ohio colorado maryland montauk switzerland belgium
    norway finland denmark poland ukraine romania hungary portugal argentina colombia venezuela jamaica nigeria
    ethiopia zimbabwe pakistan nepal tibet bali indonesia singapore taiwan iceland alaska oregon nebraska
    parkinson alzheimer huntington tourette asperger cushing wegener hodgkin crohn lupus
    """
)
"""Capitalised words that are no person's name: days, peoples, places, brands, abbreviations. Lower-case."""

_WORDS_THAT_ARE_NAMES_TOO = word_set(
    """
    an can case gun baby doctor will red brown green friend guy hall long little lady young male pink
    sister joke job else said brain made van ray chin gray grey toy tea boss lies lean line reason may
    son rush diamond don orange love cap page comfort sing art carry candy sky greet lot mark jean chase
    silver chip lawyer gurney rock bird rim among ties bent beat golden infant bell lemon oral link
    unknown captain press park rod judge true bill roll author victory penny fairy marry tiny yoga kick
    tan rich early price star media ever my per chance west add hope less general north major summer
    spring peace us floor house castle thirteen cross gates hunt masters past stark cash booker cole
    hood gage bolt moon star wood woods lane marks mason hunter baker cook carter fisher parker porter
    potter miller smith king queen prince duke earl angel faith grace joy dawn rose lily violet daisy
    ivy olive amber ruby pearl crystal ginger honey sunny june april august autumn winter misty stormy
    rusty dusty bud buck chuck dick rob robin pat frank grant drew wade nick jack bob pete max gene dean
    dale glen cliff clay heath forest brook rivers stone steel sterling banks field fields hill hills
    king knight bishop pope abbot page weaver taylor tailor mercy patience charity constance destiny
    trinity genesis sage jade opal coral jewel gem precious melody harmony cadence lyric aria carol
    belle bonnie merry gay blaze chase colt drake fox wolf wolfe bear lamb swan crane finch wren raven
    robin martin jay hawk falcon buddy sonny junior senior ace king major storm rain cloud sky river
    lake ocean bay cove cherry plum peach berry apple brandy sherry margarita coke pepper curry rice
    bean bacon ham pork lamb fry frye cotton silk sandy rocky stone flint ridge reed rush moss fern
    heather holly hazel laurel basil rosemary willow maple ash oak elm pine birch bush thorn flower
    bloom blossom garland wreath tag top pop mom dad nana papa man mac sue miles rex doc kit kitty cat
    missy lucky happy jolly bliss lovely darling sweet fast swift strong power powers bright light black
    white blue gold gilt rhodes street lord noble worth law judge marshal marshall gunner archer bowman
    shepherd skip chip chap van jo bo bea dot fay pan tam lin lie li an so la le no in he her person
    people woman women girl boy guy girls boys someone everyone two three four five six seven eight nine
    ten eleven twelve first second third one both all many they she it his their him them while when
    after before as during then there and but the a on at by with how this that what who where why if
    once since until
    """
)


RARELY_NAMES = word_set(
    """
    red green blue brown black white gray grey pink purple yellow orange gold golden silver tan dark
    light bright love young long male doctor sister brother lady friend guy baby hall gun case can floor
    boss person man boy girl woman little lady job joke said made brain van chin toy tea lies lean line
    reason may son rush else an past future art fake new old rich happy sunny lucky day days home law
    order street lane bridge church bowl star wars super bug monkey doc captain agent officer nurse
    judge king queen prince princess duke city lake west north south east my so no so they them the her
    him his she he it we you your our us i park hill hills
    """
)
"""Names that are something else far more often, even when capitalised inside a sentence. Lower-case."""


@lru_cache(maxsize=1)
def ordinary_words() -> frozenset[str]:
    """Common English words in lower case, so that "Will" at a sentence's start isn't taken for a man."""
    from faker.providers.lorem.en_US import Provider

    return frozenset(Provider.word_list) | _WORDS_THAT_ARE_NAMES_TOO


def is_ordinary(word: str) -> bool:
    """Whether a word, whatever its case, is (also) an ordinary English word."""
    return word.casefold() in ordinary_words()
