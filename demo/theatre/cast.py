"""Who and what there is in the paper theatre: people, things and places, as plain facts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Character:
    """One cut-out character: what is said of them and what they look like."""

    name: str
    gender: str  # "woman" | "man"
    title: str  # how a stranger would call them, e.g. "Dr. Webb"
    height: float  # 1.0 is average
    build: float  # width of the body, 1.0 is average
    skin: str
    hair: str  # bob | bun | afro | long | ponytail | quiff | bald | short | grey | curls
    hair_colour: str
    top: str
    top_trim: str
    pattern: str  # plain | dots | stripes | waistcoat | suit | cardigan | braces | apron
    legs: str  # trousers | skirt
    legs_colour: str
    shoes: str
    extras: tuple[str, ...] = ()

    @property
    def surname(self) -> str:
        return self.title.split()[-1]

    @property
    def he(self) -> str:
        return "he" if self.gender == "man" else "she"

    @property
    def his(self) -> str:
        return "his" if self.gender == "man" else "her"

    @property
    def him(self) -> str:
        return "him" if self.gender == "man" else "her"


CAST: dict[str, Character] = {
    p.name: p
    for p in (
        Character("Nora", "woman", "Ms. Lind", 0.97, 0.95, "#eec5a0", "bob", "#3b2a24", "#1f7a70", "#f1e4cc",
               "apron", "skirt", "#1f7a70", "#5a3326"),
        Character("Ruth", "woman", "Dr. Webb", 0.94, 1.05, "#e6b894", "bun", "#a9a39c", "#7b4f68", "#e9d9c4",
               "cardigan", "skirt", "#45404a", "#332c2c", ("glasses",)),
        Character("Iris", "woman", "Ms. Okoro", 1.0, 0.98, "#8a5637", "afro", "#2a1d1a", "#dca33c", "#fbeecb",
               "dots", "skirt", "#dca33c", "#8c3b2e"),
        Character("Clara", "woman", "Mrs. Finch", 1.02, 0.95, "#f3d0b2", "long", "#b5512c", "#ecdfc6", "#33506b",
               "stripes", "trousers", "#33506b", "#8c3b2e"),
        Character("Alma", "woman", "Ms. Reyes", 0.96, 1.0, "#cf9468", "ponytail", "#231b1d", "#c6603f",
        "#f0d7b0",
               "plain", "trousers", "#2f6f68", "#3a2a26", ("scarf",)),
        Character("Felix", "man", "Mr. Brandt", 1.05, 1.0, "#f1c9a5", "quiff", "#d6a549", "#7fa3b5", "#5a3b2c",
               "braces", "trousers", "#74563f", "#3a2a26"),
        Character("Oscar", "man", "Mr. Duval", 1.02, 1.22, "#e3b18b", "bald", "#6b4429", "#8b9c68", "#f0e3c8",
               "waistcoat", "trousers", "#3d4a5c", "#2c2725", ("beard",)),
        Character("Hugo", "man", "Dr. Adeyemi", 1.06, 1.02, "#6f452f", "short", "#1f1817", "#f0e6d2", "#c8842c",
               "braces", "trousers", "#4a5a4a", "#2c2725"),
        Character("Victor", "man", "Mr. Hale", 1.03, 1.05, "#ecc4a2", "grey", "#b9b3aa", "#4a4650", "#b8432f",
               "suit", "trousers", "#4a4650", "#262224", ("moustache",)),
        Character("Jasper", "man", "Mr. Pike", 1.0, 0.94, "#f2ccb0", "curls", "#b2582b", "#a8483a", "#efdfc3",
               "stripes", "trousers", "#5b6472", "#4a3328", ("glasses",)),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Thing:
    """One kind of object and what can be done with it."""

    noun: str
    family: str  # things of one family are easily taken for each other
    colours: tuple[str, ...]
    uses: frozenset[str]
    base: float  # units from where it is held down to its underside
    hand: tuple[float, float]  # where the near hand carries it, from the shoulder
    far: tuple[float, float] | None  # the far hand too; None: it hangs down
    article: str


def _thing(noun: str, family: str, colours: str, uses: str, base: float, hand: tuple[float, float],
           far: tuple[float, float] | None = None, article: str = "a") -> Thing:  # fmt: skip
    return Thing(noun, family, tuple(colours.split()), frozenset(uses.split(",")), base, hand, far, article)


THINGS: dict[str, Thing] = {
    t.noun: t
    for t in (
        _thing("book", "paper", "red blue green", "read,hand", 10, (22, 32)),
        _thing("letter", "paper", "white", "read,hand", 8, (24, 28)),
        _thing("newspaper", "paper", "grey", "read,hand", 12, (20, 34)),
        _thing("cup", "crockery", "white yellow blue", "drink,hand", 7, (26, 24)),
        _thing("teapot", "crockery", "blue brown", "pour,hand", 9, (28, 24)),
        _thing("umbrella", "umbrella", "yellow red", "unfold,hand", 4, (14, 44), article="an"),
        _thing("basket", "container", "brown", "carry,hand", 14, (28, 34), (30, 33)),
        _thing("box", "container", "red green", "carry,hand", 14, (27, 30), (29, 29)),
        _thing("suitcase", "container", "brown green", "carry,hand", 30, (6, 50)),
        _thing("hat", "hat", "black green", "wear,hand", 4, (20, 34)),
        _thing("phone", "phone", "black", "call,hand", 5, (24, 28)),
        _thing("flowers", "flowers", "red yellow", "smell,hand", 16, (24, 24), article="some"),
        _thing("cake", "food", "pink", "carry,hand", 6, (28, 24), (30, 25)),
        _thing("apple", "food", "red green", "eat,hand", 7, (24, 28), article="an"),
        _thing("ball", "ball", "red blue", "throw,hand", 9, (22, 32)),
        _thing("guitar", "guitar", "brown", "play,hand", 40, (8, 49)),
    )
}

COLOURS: dict[str, str] = {
    "red": "#c24a36", "blue": "#3f6f94", "green": "#5d8a5a", "white": "#f7f0e2", "yellow": "#e2b044",
    "grey": "#cfc7b8", "brown": "#95633c", "black": "#35302f", "pink": "#e0a3a0",
}  # fmt: skip


@dataclass(frozen=True)
class StageSet:
    """One stage set: its names in descriptions and where things stand on it (stage units, 640 wide)."""

    name: str
    seat: str
    top: str  # the piece of furniture that things lie on
    seat_height: float
    top_height: float
    door: bool
    things: tuple[str, ...]
    outdoors: bool = False


PLACES: dict[str, StageSet] = {
    p.name: p
    for p in (
        StageSet("kitchen", "chair", "table", 46, 66, True,
              ("teapot", "cup", "basket", "cake", "apple", "letter", "newspaper", "flowers")),
        StageSet("living room", "sofa", "coffee table", 42, 40, True,
              ("book", "letter", "cup", "teapot", "phone", "guitar", "flowers", "box", "newspaper", "cake")),
        StageSet("park", "bench", "picnic table", 46, 60, False,
              ("ball", "flowers", "apple", "book", "hat", "umbrella", "guitar", "newspaper", "basket"), True),
        StageSet("café", "chair", "table", 46, 66, True,
              ("cup", "teapot", "cake", "newspaper", "phone", "letter", "book", "hat")),
        StageSet("office", "chair", "desk", 46, 66, True,
              ("phone", "letter", "book", "box", "cup", "hat", "flowers")),
        StageSet("bedroom", "bed", "nightstand", 44, 56, True,
              ("book", "phone", "hat", "letter", "suitcase", "box", "basket", "guitar")),
        StageSet("street", "bench", "market stall", 46, 66, True,
              ("umbrella", "newspaper", "flowers", "hat", "suitcase", "apple", "box", "ball", "guitar"),
              True),
        StageSet("library", "armchair", "reading desk", 44, 66, True,
              ("book", "letter", "newspaper", "box", "hat", "umbrella")),
    )
}  # fmt: skip

# Where things are on every set, in stage units (640 x 360, origin top left).
FLOOR = 302.0  # where feet stand
DOOR_X = 116.0
LEFT_WING, RIGHT_WING = -30.0, 670.0
MARKS = (214.0, 304.0, 258.0)  # where people stand when they have nothing else to do
SEATS = ((370.0, 1), (520.0, -1))  # x and the side one faces
TOP_SPOTS = (413.0, 445.0, 477.0)  # where things lie on the table
