"""How a release was made, in sentences from its manifest. Pure.

They name models and numbers, never people: a caption that a person wrote has that person's worker id in the manifest.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from datasets.formats.table import number

PEOPLE = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the procedure: its name, and one or two sentences."""

    name: str
    text: str


def summary(facts: Mapping[str, Any]) -> list[str]:
    """What it is, in two sentences."""
    counts, material = facts["counts"], facts["statistics"]["collection"]
    judging = facts["statistics"]["judging"]["both"]
    queries = counts["val"]["queries"] + counts["test"]["queries"]
    pairs = counts["val"]["pairs"] + counts["test"]["pairs"]
    agreed = (
        f", and {100 * judging['share_in_consensus']:.1f} % of the pairs ended in consensus"
        if judging["share_in_consensus"] is not None
        else ""
    )
    return [
        f"A test collection for ranked video moment retrieval: {_counted(queries, 'imprecise query', 'queries')} over "
        f"{_counted(material['moments'], 'moment')} of {_counted(material['videos'], 'video')}, with "
        f"{_counted(pairs, 'pair')} of query and moment graded from 0 (unrelated) to {top_grade(facts)} (perfect).",
        f"{_counted(counts['workers'], 'annotator').capitalize()} gave {_counted(judging['judgments'], 'judgment')}, "
        f"each without knowing the others{agreed}.",
    ]


def top_grade(facts: Mapping[str, Any]) -> int:
    """The highest grade that the collection's annotators could give."""
    return int(facts["settings"]["consensus"].get("top_grade", 4))


def procedure(facts: Mapping[str, Any]) -> list[Step]:
    """The steps in the order in which they were done."""
    return [
        Step("Queries", _queries(facts)),
        Step("Draw", _draw(facts)),
        Step("Candidates", _candidates(facts)),
        Step("Judging", _judging(facts)),
        Step("Review", _review(facts)),
    ]


def _queries(facts: Mapping[str, Any]) -> str:
    said = facts["settings"]
    found: Counter[str] = Counter()
    for entry in facts["models"]["rewriters"]:
        found[_rewriter(entry)] += entry["captions"]
    told = "; ".join(f"{who} ({_counted(captions, 'caption')})" for who, captions in found.most_common())
    checks = [
        f"sentence similarity to its description of at least {number(said['similarity_threshold'])}"
        if said["similarity_threshold"] is not None
        else "",
        f"no name of a person that the tagger scores above {number(said['name_threshold'])}",
    ]
    return (
        "Each query is a precise description of a moment, rewritten so that it names nobody. "
        + (f"Rewritten by {told}. " if told else "")
        + f"A caption had to have {' and '.join(filter(None, checks))}; a person looked at doubtful ones."
    )


def _rewriter(entry: Mapping[str, Any]) -> str:
    if entry["rewriter"] == "person":
        return "people"
    if entry["rewriter"] == "rules":
        return "rules"
    return str(entry["model"] or "a language model")


def _draw(facts: Mapping[str, Any]) -> str:
    draw = facts["draw"]
    if draw is None:
        return "The queries of val and test came with judgments that were made elsewhere."
    by = f", each {draw['stratify'].partition(' sha256:')[0]} with its share" if draw["stratify"] else ""
    return (
        f"{draw['val']:,} queries for val and {draw['test']:,} for test were drawn at random from distinct captions "
        f"(seed {draw['seed']}){by}. The other {facts['counts']['training']['queries']:,} are for pseudo-training: "
        "nobody judged them."
    )


def _candidates(facts: Mapping[str, Any]) -> str:
    said = facts["settings"]
    rankers = facts["models"].get("rankers", {}).get("queries", [])
    by = f" by {', '.join(name.partition('@')[0] for name in rankers)}" if rankers else ""
    depth = said["batch_size"] * said["max_batches"]
    return (
        f"A query's candidates are the moments whose captions are most similar to it{by}: the first "
        f"{said['batch_size']:,} were judged for every query, up to {depth:,} where the last of them were relevant."
        if said["max_batches"] > 1
        else f"A query's candidates are the {depth:,} moments whose captions are most similar to it{by}."
    )


def _judging(facts: Mapping[str, Any]) -> str:
    rule = facts["settings"]["consensus"]
    first, second = rule["first_round"], rule["second_round"]
    begin = (
        f"Annotators saw one query and one clip at a time, and nothing else. {_people(first).capitalize()} judged each "
        "pair"
        + (" independently" if first > 1 else "")
        + f"; grades that differ by at most {rule['largest_difference']} give their mean, rounded {rule['rounding']}. "
    )
    if not second:
        return begin + "Other pairs were discarded."
    return begin + (
        f"Otherwise {_people(second)} more judged it, one highest and one lowest grade were dropped, and the rest "
        "decided in the same way or the pair was discarded."
    )


def _review(facts: Mapping[str, Any]) -> str:
    said = facts["settings"]
    counts = [facts["counts"][split] for split in ("val", "test")]
    extended = sum(one.get("queries_extended", 0) for one in counts)
    if said["max_batches"] < 2:
        return "A lead annotator looked at each query's grades when all of its candidates were decided."
    return (
        f"A lead annotator looked at each query's grades in rank order; where the last five averaged "
        f"{number(said['extend_threshold'])} or more, the next {said['batch_size']:,} candidates were judged too: "
        f"{_counted(extended, 'query', 'queries')}."
    )


def _people(count: int) -> str:
    return f"{PEOPLE[count] if count < len(PEOPLE) else count} {'person' if count == 1 else 'people'}"


def _counted(count: int, one: str, several: str = "") -> str:
    words = one if count == 1 else f"{one.rpartition(' ')[0]} {several}".strip() if several else f"{one}s"
    return f"{count:,} {words}"
