"""Descriptions of scenes in the manner of TVR's annotators, from templates."""

import random
import re

from .cast import CAST, PLACES, THINGS

# {A} actor, {B} partner, {T} the red book, {t} a red book, {place}, {seat}, {top}; his/he/him are the
# actor's, Bhis/Bhe/Bhim the partner's. A template with {B} is for moments that have a partner.
_SAYINGS: dict[str, tuple[str, ...]] = {
    "enters": (
        "{A} walks into the {place}.",
        "{A} enters the {place} and looks around.",
        "{A} is walking into the {place}.",
        "{A} comes in and stops in the middle of the {place}.",
        "{A} enters.",
        "{A} comes walking in from the side.",
        "{A} arrives in the {place} where {B} is waiting.",
        "{A} comes in and joins {B}.",
    ),
    "leaves": (
        "{A} walks out of the {place}.",
        "{A} leaves the {place}.",
        "{A} turns around and walks away.",
        "{A} is leaving the {place}.",
        "{A} walks away from {B}.",
        "{A} turns away from {B} and leaves the {place}.",
    ),
    "walks over": (
        "{A} walks across the {place}.",
        "{A} is walking through the {place}.",
        "{A} walks over to the other side.",
        "{A} walks over to {B}.",
        "{A} walks up to {B} in the {place}.",
        "{A} paces across the {place}.",
    ),
    "sits down": (
        "{A} sits down on the {seat}.",
        "{A} takes a seat.",
        "{A} walks over to the {seat} and sits down.",
        "{A} is sitting down on the {seat} in the {place}.",
        "{A} sits down at the {top} with {B}.",
        "{A} sits down next to the {top}.",
        "{A} goes to the {seat} and sits.",
    ),
    "stands up": (
        "{A} stands up from the {seat}.",
        "{A} gets up.",
        "{A} gets up off the {seat}.",
        "{A} is getting up from {his} seat.",
        "{A} rises from the {seat} in the {place}.",
        "{A} stands up in front of {B}.",
    ),
    "opens the door": (
        "{A} opens the door.",
        "{A} walks to the door and opens it.",
        "{A} is opening the door of the {place}.",
        "{A} goes over to the door and pulls it open.",
        "{A} opens the door while {B} watches.",
    ),
    "closes the door": (
        "{A} closes the door.",
        "{A} walks to the door and shuts it.",
        "{A} is closing the door of the {place}.",
        "{A} shuts the door behind {him}.",
        "{A} goes to the door and closes it while {B} is watching.",
    ),
    "picks up": (
        "{A} picks up {t} from the {top}.",
        "{A} takes {T} from the {top}.",
        "{A} grabs {t} off the {top}.",
        "{A} is picking up {T}.",
        "{A} reaches for {T} and picks it up.",
        "{A} picks {t} up off the {top} in the {place}.",
    ),
    "puts down": (
        "{A} puts {t} on the {top}.",
        "{A} puts {T} down on the {top}.",
        "{A} sets {T} down.",
        "{A} places {t} on the {top} in front of {him}.",
        "{A} is putting {T} back on the {top}.",
        "{A} lays {t} down.",
    ),
    "hands over": (
        "{A} hands {B} {t}.",
        "{A} hands {T} to {B}.",
        "{A} gives {B} {t}.",
        "{A} is handing {t} over to {B}.",
        "{B} takes {T} from {A}.",
        "{A} passes {T} to {B} in the {place}.",
        "{A} walks up to {B} and gives {Bhim} {t}.",
    ),
    "carries": (
        "{A} carries {t} across the {place}.",
        "{A} is carrying {t}.",
        "{A} walks through the {place} with {t} in {his} hands.",
        "{A} carries {t} while {B} watches.",
        "{A} brings {t} to the other side of the {place}.",
    ),
    "reads": (
        "{A} reads {t}.",
        "{A} is reading {t}.",
        "{A} opens {T} and starts reading.",
        "{A} is busy reading {t}.",
        "{A} looks through {T} and turns a page.",
        "{A} reads {t} in the {place}.",
        "{A} reads {t} next to {B}.",
    ),
    "pours": (
        "{A} pours tea from {t} into a cup.",
        "{A} is pouring tea into a cup.",
        "{A} lifts {T} and fills a cup.",
        "{A} pours a cup of tea for {B}.",
        "{A} picks up {T} and pours some tea.",
        "{A} fills the cup on the {top} with {t}.",
    ),
    "drinks": (
        "{A} drinks from {t}.",
        "{A} takes a sip from {T}.",
        "{A} is drinking tea out of {t}.",
        "{A} lifts {T} and drinks.",
        "{A} takes a drink from {t} in the {place}.",
        "{A} sips from {t} in front of {B}.",
    ),
    "eats": (
        "{A} eats {t}.",
        "{A} is eating {t}.",
        "{A} takes a bite of {T}.",
        "{A} bites into {t}.",
        "{A} eats {t} in the {place}.",
        "{A} is chewing on {t} while {B} looks on.",
    ),
    "smells": (
        "{A} smells {T}.",
        "{A} is smelling {t}.",
        "{A} lifts {T} to {his} face and smells them.",
        "{A} sniffs {T} in {his} hand.",
        "{A} smells {t} and looks up happily.",
    ),
    "opens an umbrella": (
        "{A} opens {t}.",
        "{A} opens up {T} over {his} head.",
        "{A} is opening {t} in the {place}.",
        "{A} holds up {T} and opens it.",
        "{A} opens {t} next to {B}.",
    ),
    "puts on a hat": (
        "{A} puts on {t}.",
        "{A} puts {T} on {his} head.",
        "{A} is putting on {t}.",
        "{A} places {t} on top of {his} head.",
        "{A} puts {T} on in front of {B}.",
    ),
    "takes off a hat": (
        "{A} takes off {T}.",
        "{A} takes {his} hat off.",
        "{A} removes {T} from {his} head.",
        "{A} lifts {his} hat to greet {B}.",
        "{A} is taking off {t}.",
    ),
    "throws": (
        "{A} throws {t} to {B}.",
        "{A} tosses {T} to {B}.",
        "{B} catches {T} that {A} throws.",
        "{A} is throwing {t} at {B}.",
        "{A} throws {t} and {B} catches it with both hands.",
    ),
    "plays the guitar": (
        "{A} plays the guitar.",
        "{A} is playing {t}.",
        "{A} plays a song on the guitar for {B}.",
        "{A} strums {T}.",
        "{A} plays {t} in the {place}.",
        "{A} is standing there strumming a guitar.",
    ),
    "talks on the phone": (
        "{A} talks on the phone.",
        "{A} is talking on {t}.",
        "{A} holds {T} to {his} ear and talks.",
        "{A} is on the phone in the {place}.",
        "{A} makes a phone call while {B} waits.",
        "{A} answers {his} phone.",
    ),
    "waves": (
        "{A} waves.",
        "{A} is waving {his} hand.",
        "{A} raises {his} hand and waves at {B}.",
        "{A} waves at {B}.",
        "{A} is waving to {B} in the {place}.",
        "{A} waves hello to {B}.",
    ),
    "applauds": (
        "{A} claps {his} hands.",
        "{A} is clapping.",
        "{A} applauds {B}.",
        "{A} claps for {B} in the {place}.",
        "{A} starts clapping in front of {B}.",
    ),
    "points": (
        "{A} points at the {T}.",
        "{A} is pointing to the {T} with {his} finger.",
        "{A} stretches out {his} arm and points at the {T}.",
        "{A} points at {B}.",
        "{A} is pointing {his} finger at {B}.",
        "{A} points {B} to the {T}.",
    ),
    "hugs": (
        "{A} hugs {B}.",
        "{A} and {B} hug each other.",
        "{A} is hugging {B}.",
        "{A} puts {his} arms around {B}.",
        "{A} and {B} are hugging in the {place}.",
        "{A} walks up to {B} and gives {Bhim} a hug.",
    ),
    "shakes hands": (
        "{A} shakes hands with {B}.",
        "{A} and {B} shake hands.",
        "{A} shakes {B}'s hand.",
        "{A} and {B} are shaking hands in the {place}.",
        "{A} walks up to {B} and shakes {Bhis} hand.",
    ),
    "dances": (
        "{A} and {B} dance together.",
        "{A} dances with {B}.",
        "{A} and {B} are dancing in the {place}.",
        "{A} takes {B}'s hands and dances.",
        "{A} dances.",
        "{A} is dancing in the {place}.",
        "{A} dances around, swinging {his} arms.",
    ),
    "argues": (
        "{A} argues with {B}.",
        "{A} and {B} are arguing.",
        "{A} is yelling at {B}.",
        "{A} and {B} have an argument in the {place}.",
        "{A} and {B} argue, waving their hands in the air.",
        "{A} gets angry at {B}.",
    ),
}

# What people say: topic, words in the bubble, kinds with the sentences for it.
TOPICS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("tea", "Would you like\nsome tea?",
     ("{A} asks {B} if {Bhe} would like some tea.", "{A} offers {B} a cup of tea.")),
    ("the train", "The train is late!",
     ("{A} tells {B} that the train is late.", "{A} complains to {B} about the late train.")),
    ("a birthday", "Happy birthday!",
     ("{A} wishes {B} a happy birthday.", "{A} says happy birthday to {B}.")),
    ("the rain", "It is going to rain.",
     ("{A} tells {B} that it is going to rain.", "{A} warns {B} about the rain.")),
    ("dinner", "Dinner at eight?", ("{A} invites {B} to dinner at eight.", "{A} asks {B} out for dinner.")),
    ("the cat", "I can't find\nthe cat!",
     ("{A} tells {B} that {he} can't find the cat.", "{A} is worried and tells {B} the cat is gone.")),
    ("an apology", "I am so sorry.", ("{A} apologizes to {B}.", "{A} tells {B} that {he} is sorry.")),
    ("thanks", "Thank you!", ("{A} thanks {B}.", "{A} says thank you to {B}.")),
    ("the job", "I got the job!",
     ("{A} tells {B} that {he} got the job.", "{A} shares the news about {his} new job with {B}.")),
    ("the key", "Have you seen\nmy key?",
     ("{A} asks {B} where {his} key is.", "{A} asks {B} if {Bhe} has seen {his} key.")),
)  # fmt: skip

QUARREL = ("No!", "Yes!", "Never!", "Again?!", "Listen!", "It was you!")


def describe(action: str, actor: str, partner: str | None, thing: str | None, place: str, *,
             rng: random.Random, sentences: tuple[str, ...] | None = None,
             avoid: str = "") -> str:  # fmt: skip
    """One sentence about a moment in the manner of TVR's workers; never `avoid`, another's wording of it."""
    sayings = sentences or _SAYINGS[action]
    with_partner = [s for s in sayings if "{B}" in s]
    alone = [s for s in sayings if "{B}" not in s]
    fitting = with_partner if partner and with_partner and (not alone or rng.random() < 0.7) else alone
    if action == "points":
        fitting = [s for s in sayings if ("{T}" in s) == (thing is not None) and (partner or "{B}" not in s)]
    if not thing:
        fitting = [s for s in fitting if "{t}" not in s and "{T}" not in s] or fitting
    for _ in range(40):
        text = _filled(rng.choice(fitting), actor, partner, thing, place, rng)
        if text != avoid:
            return text
    return _filled(rng.choice(sayings), actor, partner, thing, place, rng)


def describe_both(first: str, second: str, actor: str, rng: random.Random) -> str:
    """One sentence for two things that one person does after each other."""
    tail = re.sub(rf"^{re.escape(_first_words(second, actor))}\s+", "", second)
    link = rng.choice((" and then ", " and ", ", then "))
    return first.rstrip(". ") + link + tail


def can_follow(sentence: str, actor: str, *, plainly: bool = True) -> bool:
    """Whether a sentence starts with its actor alone (and a plain verb),
    so that it can be joined to another."""
    words = sentence.split()
    if len(words) < 2 or words[0] != actor or words[1] == "and":
        return False
    return words[1].endswith("s") and words[1] != "is" if plainly else True


def _first_words(sentence: str, actor: str) -> str:
    return actor if sentence.startswith(actor) else sentence.split()[0]


def _filled(template: str, actor: str, partner: str | None, thing: str | None, place: str, rng: random.Random) -> str:
    a, facts = CAST[actor], PLACES[place]
    b = CAST[partner] if partner else None
    the, some = _phrases(thing, rng)
    words = {
        "A": a.title if rng.random() < 0.035 else a.name,
        "B": (b.title if rng.random() < 0.03 else b.name) if b else "",
        "T": the, "t": some, "place": place, "seat": facts.seat, "top": facts.top,
        "he": a.he, "his": a.his, "him": a.him,
        "Bhe": b.he if b else "", "Bhis": b.his if b else "", "Bhim": b.him if b else "",
    }  # fmt: skip
    roll = rng.random()
    if "{B}" not in template and template.startswith("{A}"):
        if roll < 0.025:
            words["A"] = a.he.capitalize()
        elif roll < 0.035:
            words["A"] = "Someone"
    text = template.format(**words)
    if facts.outdoors:
        text = text.replace(f"door of the {place}", "door of the house").replace(
            f"in the {place}", f"{'on' if place == 'street' else 'in'} the {place}"
        )
    text = text.replace("the the ", "the ")
    if rng.random() < 0.04:
        text = text.rstrip(".")
    return text


def _phrases(thing: str | None, rng: random.Random) -> tuple[str, str]:
    """ "the red book" and "a red book", or without the colour."""
    if thing is None:
        return "", ""
    _, _, noun = thing.partition(" ")
    if noun not in THINGS:
        return thing, thing
    facts = THINGS[noun]
    if rng.random() < 0.55:
        article = facts.article if facts.article == "some" else "a"
        return f"the {thing}", f"{article} {thing}"
    return f"the {noun}", f"{facts.article} {noun}"
