"""What data sheet and Croissant both say of a release, in English sentences from its manifest. Pure."""

from collections.abc import Mapping
from typing import Any

from evaluation.releases.tables import percent
from foundation.counted import counted

MEDIA = {"picture": "a picture", "clip": "a clip", "sound": "a sound"}


def listed(words: list[str], joined: str) -> str:
    """A list in a sentence.

    >>> listed(["a", "b", "c"], "or"), listed(["a"], "or")
    ('a, b or c', 'a')
    """
    return f" {joined} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def asked(facts: Mapping[str, Any]) -> str:
    """What a query is."""
    kinds = facts.get("query_media", {}).get("kinds", {})
    return listed(["a sentence", *(words for kind, words in MEDIA.items() if kind in kinds)], "or")


def held(facts: Mapping[str, Any]) -> str:
    """Which pictures and sounds it has."""
    if "query_media" not in facts:
        return "No picture, sound or subtitle is included."
    kinds = [f"{kind}s" for kind in MEDIA if kind in facts["query_media"]["kinds"]]
    words = listed(kinds, "and").capitalize()
    return f"{words} that were queries are in query_media/; nothing of the videos is included."


def topics(facts: Mapping[str, Any]) -> str:
    """Who wrote topics, and how many have a narrative, with a space before each."""
    said = facts.get("topics", {"written_by": [], "narratives": 0})
    by = f" Topics were written by {', '.join(said['written_by'])}." if said["written_by"] else ""
    return by + (f" {said['narratives']:,} have a narrative for annotators." if said["narratives"] else "")


def chosen_by(facts: Mapping[str, Any]) -> str:
    """Whose runs a pool was chosen from, with a space before it."""
    if "pool" not in facts:
        return ""
    names = ", ".join(f"{run['team']} {run['system']}" for run in facts["pool"]["runs"])
    return f" The runs were those of {names} ({facts['pool']['file']} says which had each at which rank)."


def missing(facts: Mapping[str, Any]) -> str:
    """What was left out, and what was filled in."""
    val, test = facts["counts"]["val"], facts["counts"]["test"]
    return (
        f"{val['pairs_undecided'] + test['pairs_undecided']:,} pairs were not decided yet, "
        f"{val['pairs_withdrawn'] + test['pairs_withdrawn']:,} were taken out by the lead annotator, and "
        f"{val['queries_without_grade'] + test['queries_without_grade']:,} drawn queries have no graded pair: they "
        f"are left out. {filled_in(facts)}"
    )


def filled_in(facts: Mapping[str, Any]) -> str:
    """What stands where a value was missing."""
    return (
        f"{facts['counts']['videos']['duration_estimated']:,} videos have no stated duration and get the end of their "
        "last moment."
    )


NOT_JUDGED = "A moment that isn't judged is not known to be irrelevant."
APART = (
    "No query is in two of them, nor two equal captions (Unicode NFC, case folded, white space collapsed); moments and "
    "videos are shared by all splits."
)
WITHOUT_VIDEOS = "The videos are not included. They are named as their source names them."
PSEUDONYMS = "Annotators appear as pseudonyms alone."


def raw(facts: Mapping[str, Any]) -> str:
    """Whether single judgments are in it."""
    if {"tvr-ranking", "parquet"}.isdisjoint(facts["formats"]):
        return "Not in this release."
    return "Every counted judgment of a decided pair is in raw_annotations, discarded pairs included."


def judged(facts: Mapping[str, Any]) -> str:
    """By how many people, and how much."""
    judging = facts["statistics"]["judging"]["both"]
    return (
        f"{counted(facts['counts']['workers'], 'annotator')} gave {counted(judging['judgments'], 'judgment')} in this "
        "release."
    )


def agreed(facts: Mapping[str, Any]) -> str:
    """How many pairs were decided in either round, and how many weren't."""
    judging = facts["statistics"]["judging"]["both"]
    return (
        f"{percent(judging['share_in_round_one'])} of the decided pairs agreed in the first round, "
        f"{percent(judging['share_in_round_two'])} in the second, {percent(judging['share_discarded'])} were discarded."
    )


def days(facts: Mapping[str, Any]) -> str:
    """When judgments were given here; "" where none were."""
    if "days" not in facts["making"]:
        return ""
    first, last = (facts["making"]["days"][name] for name in ("first", "last"))
    return f"Judgments were given here from {first} to {last}."


def work(facts: Mapping[str, Any]) -> str:
    """Hours and pay as the site has them; without the lead's, which nobody measured."""
    told = facts["work"]
    if not told["hours"]:
        return "No working time is on record."
    rate = told["pay_per_hour"]
    paid = f", paid {told['pay']:,.2f} {told['currency']} together" if told["pay"] is not None else ""
    usual = f", usually {rate:,.2f} {told['currency']} an hour" if rate is not None else ""
    training = told.get("training_hours")
    practice = f", {training:,.2f} of them practice and exam" if training else ""
    return (
        f"All judging of the collection took {told['people']:,} people {told['hours']:,.2f} hours{practice}{paid}"
        f"{usual}; the lead annotator's time isn't in it."
    )


def guideline(facts: Mapping[str, Any]) -> str:
    """By which instructions people judged."""
    told = facts["guideline"]
    given = {version: count for version, count in told["judgments_by_version"].items() if version != "0"}
    if not told["versions"] or not given:
        return "No version of a guideline is on record for these judgments."
    versions = ", ".join(
        f"version {version} ({counted(count, 'judgment')})" for version, count in sorted(given.items(), key=_by_number)
    )
    return f"By the guideline's {versions}."


def _by_number(item: tuple[str, int]) -> int:
    return int(item[0])


def offends(facts: Mapping[str, Any]) -> str:
    """What annotators were warned of; "" where nothing is marked."""
    said = facts.get("content")
    if said is None:
        return ""
    told = [
        *(f"{counted(count, 'video')} marked as {kind}" for kind, count in said["kinds"].items()),
        *(f"{counted(count, 'video')} for people of at least {age} years" for age, count in said["ages"].items()),
        *([f"{counted(said['hidden'], 'video')} with regions that no clip shows"] if said["hidden"] else []),
    ]
    sentences = [f"The lead annotator's marks: {'; '.join(told)}."] if told else []
    if said["minimum_age"]:
        sentences.append(f"Annotators are asked to say that they are at least {said['minimum_age']} years old.")
    return " ".join(sentences)


def good_for(facts: Mapping[str, Any]) -> str:
    """What it can be used for."""
    return (
        f"To train and compare systems that rank moments for {asked(facts)}, with measures that know grades (NDCG@K at "
        "a least overlap in time); to study agreement among annotators, from the raw annotations."
    )


def not_for(facts: Mapping[str, Any]) -> str:
    """What it can't be used for."""
    return (
        "Captions and similarities are no input of a retrieval system. Grades say how well a moment shows "
        f"{asked(facts)}, nothing about the people in it. Pseudo-training moments were not judged: they are no ground "
        "truth."
    )


def never_changes(facts: Mapping[str, Any]) -> str:
    """What becomes of it."""
    named = f"release {facts['release']}" if facts["release"] else "this draft"
    return f"Never under the same name: {named} stays as it is to the byte, a change is another release."
