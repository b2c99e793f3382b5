"""How a release was made, in sentences from its manifest, in the reader's language. Pure but for that.

They name models and numbers, never people: a caption that a person wrote has that person's worker id in the manifest.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from datasets.formats.topics_in_words import has_drawn_queries


@dataclass(frozen=True, slots=True)
class ProcedureStep:
    """A step of the procedure: its name, and one or two sentences."""

    name: str
    text: str


def summary(facts: Mapping[str, Any]) -> list[str]:
    """What it is, in two sentences."""
    counts, material = facts["counts"], facts["statistics"]["collection"]
    judging = facts["statistics"]["judging"]["both"]
    queries = counts["val"]["queries"] + counts["test"]["queries"]
    pairs = counts["val"]["pairs"] + counts["test"]["pairs"]
    what = _(
        "A test collection for ranked video moment retrieval: %(queries)s over %(moments)s of %(videos)s, with "
        "%(pairs)s of query and moment graded from 0 (unrelated) to %(top)s (perfect)."
    ) % {
        "queries": _counted(ngettext("%(count)s imprecise query", "%(count)s imprecise queries", queries), queries),
        "moments": _counted(
            ngettext("%(count)s moment", "%(count)s moments", material["moments"]), material["moments"]
        ),
        "videos": _counted(ngettext("%(count)s video", "%(count)s videos", material["videos"]), material["videos"]),
        "pairs": _counted(ngettext("%(count)s pair", "%(count)s pairs", pairs), pairs),
        "top": top_grade(facts),
    }
    workers, judgments = counts["workers"], judging["judgments"]
    values = {
        "annotators": _counted(ngettext("%(count)s annotator", "%(count)s annotators", workers), workers),
        "judgments": _counted(ngettext("%(count)s judgment", "%(count)s judgments", judgments), judgments),
    }
    if judging["share_in_consensus"] is None:
        return [what, _("%(annotators)s gave %(judgments)s, each without knowing the others.") % values]
    said = _(
        "%(annotators)s gave %(judgments)s, each without knowing the others, and %(share)s %% of the pairs ended in "
        "consensus."
    )
    return [what, said % {**values, "share": number_format(round(100 * judging["share_in_consensus"], 1), 1)}]


def top_grade(facts: Mapping[str, Any]) -> int:
    """The highest grade that the collection's annotators could give."""
    return int(facts["settings"]["consensus"].get("top_grade", 4))


def procedure(facts: Mapping[str, Any]) -> list[ProcedureStep]:
    """The steps in the order in which they were done."""
    drawn = has_drawn_queries(facts)
    asked = [_topics(facts["topics"])] if "topics" in facts else []
    return [
        ProcedureStep(_("Queries"), " ".join([*asked, *([_queries(facts)] if drawn else [])])),
        *([ProcedureStep(pgettext("step of the procedure", "Draw"), _draw(facts))] if drawn else []),
        ProcedureStep(_("Candidates"), _candidates(facts)),
        ProcedureStep(_("Judging"), _judging(facts)),
        ProcedureStep(_("Review"), _review(facts)),
    ]


def _topics(topics: Mapping[str, Any]) -> str:
    return _(
        "%(val)s queries of val and %(test)s of test are topics: written as queries, so no moment is their source."
    ) % {name: _number(topics[name]) for name in ("val", "test")}


def _queries(facts: Mapping[str, Any]) -> str:
    said = facts["settings"]
    found: Counter[str] = Counter()
    for entry in facts["models"]["rewriters"]:
        found[_rewriter(entry)] += entry["captions"]
    sentences = [
        _("Each other query is a precise description of a moment, rewritten so that it names nobody.")
        if "topics" in facts
        else _("Each query is a precise description of a moment, rewritten so that it names nobody."),
    ]
    if found:
        told = "; ".join(
            _counted(
                ngettext("%(who)s (%(count)s caption)", "%(who)s (%(count)s captions)", captions), captions, who=who
            )
            for who, captions in found.most_common()
        )
        sentences.append(_("Rewritten by %(rewriters)s.") % {"rewriters": told})
    values = {"names": _number(said["name_threshold"])}
    if said["similarity_threshold"] is None:
        must = _(
            "A caption could have no name of a person that the tagger scores above %(names)s; a person looked at "
            "doubtful ones."
        )
    else:
        values["similarity"] = _number(said["similarity_threshold"])
        must = _(
            "A caption had to have a sentence similarity to its description of at least %(similarity)s and no name of "
            "a person that the tagger scores above %(names)s; a person looked at doubtful ones."
        )
    return " ".join([*sentences, must % values])


def _rewriter(entry: Mapping[str, Any]) -> str:
    if entry["rewriter"] == "person":
        return _("people")
    if entry["rewriter"] == "rules":
        return _("rules")
    return str(entry["model"] or _("a language model"))


def _draw(facts: Mapping[str, Any]) -> str:
    draw = facts["draw"]
    if draw is None:
        return _("The queries of val and test came with judgments that were made elsewhere.")
    values = {"val": _number(draw["val"]), "test": _number(draw["test"]), "seed": draw["seed"]}
    if draw["stratify"]:
        values["attribute"] = draw["stratify"].partition(" sha256:")[0]
        drawn = _(
            "%(val)s queries for val and %(test)s for test were drawn at random from distinct captions (seed "
            "%(seed)s), each %(attribute)s with its share."
        )
    else:
        drawn = _(
            "%(val)s queries for val and %(test)s for test were drawn at random from distinct captions (seed %(seed)s)."
        )
    others = facts["counts"]["training"]["queries"]
    rest = ngettext(
        "The other %(count)s is for pseudo-training: nobody judged it.",
        "The other %(count)s are for pseudo-training: nobody judged them.",
        others,
    )
    return f"{drawn % values} {_counted(rest, others)}"


def _candidates(facts: Mapping[str, Any]) -> str:
    said = facts["settings"]
    depth = said["batch_size"] * said["max_batches"]
    values = {"depth": _number(depth), "first": _number(said["batch_size"])}
    if "pool" in facts:
        return _from_runs(facts["pool"], depth)
    if "pairs_without_similarity" in facts:
        return _pooled(values, deeper=said["max_batches"] > 1)
    found = (
        _(
            "A query's candidates are the moments whose captions are most similar to it: the first %(first)s were "
            "judged for every query, up to %(depth)s where the last of them were relevant."
        )
        if said["max_batches"] > 1
        else _("A query's candidates are the %(depth)s moments whose captions are most similar to it.")
    ) % values
    found += _approximately(facts.get("approximate_search", ()))
    rankers = facts["models"].get("rankers", {}).get("queries", [])
    if not rankers:
        return found
    names = ", ".join(name.partition("@")[0] for name in rankers)
    similarity = _("Similarity is that of %(models)s.") % {"models": names}
    return f"{found} {similarity}"


def _approximately(searches: Sequence[Mapping[str, Any]]) -> str:
    """How much an approximate search for val and test found, a sentence for each with a space before it."""
    said = _(
        "They were searched for approximately: for a sample of %(sample)s queries, %(recall)s %% of the moments that "
        "the exact search finds were found."
    )
    return "".join(
        " " + said % {"sample": _number(one["sample"]), "recall": f"{100 * one['recall']:.1f}"}
        for one in searches
        if one["queries"]
    )


def _from_runs(pool: Mapping[str, Any], depth: int) -> str:
    """What is said of a pool that a recipe chose from systems' runs."""
    runs = len(pool["runs"])
    said = ngettext(
        "A query's candidates were chosen from %(count)s system's ranking by the recipe %(recipe)s, at most %(depth)s "
        "a query.",
        "A query's candidates were chosen from the rankings of %(count)s systems by the recipe %(recipe)s, at most "
        "%(depth)s a query.",
        runs,
    )
    recipes = ", ".join(dict.fromkeys(one["recipe"] for one in pool["recipes"]))
    return said % {"count": _number(runs), "recipe": recipes, "depth": _number(depth)}


def _pooled(values: Mapping[str, str], *, deeper: bool) -> str:
    """What is said of candidates that captions alone didn't find."""
    if deeper:
        return (
            _(
                "A query's candidates are a pool of moments that were found for it: the first %(first)s were judged "
                "for every query, up to %(depth)s where the last of them were relevant."
            )
            % values
        )
    return _("A query's candidates are a pool of at most %(depth)s moments that were found for it.") % values


def _judging(facts: Mapping[str, Any]) -> str:
    rule = facts["settings"]["consensus"]
    first, second = rule["first_round"], rule["second_round"]
    judged = ngettext("%(count)s person judged each pair.", "%(count)s people judged each pair independently.", first)
    mean = (
        _("Grades that differ by at most %(difference)s give their mean, rounded down.")
        if rule["rounding"] == "down"
        else _("Grades that differ by at most %(difference)s give their mean, rounded up.")
    )
    otherwise = (
        _counted(
            ngettext(
                "Otherwise %(count)s more person judged it, one highest and one lowest grade were dropped, and the "
                "rest decided in the same way or the pair was discarded.",
                "Otherwise %(count)s more people judged it, one highest and one lowest grade were dropped, and the "
                "rest decided in the same way or the pair was discarded.",
                second,
            ),
            second,
        )
        if second
        else _("Other pairs were discarded.")
    )
    return " ".join(
        [
            _("Annotators saw one query and one clip at a time, and nothing else."),
            _counted(judged, first),
            mean % {"difference": rule["largest_difference"]},
            otherwise,
        ]
    )


def _review(facts: Mapping[str, Any]) -> str:
    said = facts["settings"]
    if said["max_batches"] < 2:
        return _("A lead annotator looked at each query's grades when all of its candidates were decided.")
    extended = sum(facts["counts"][split].get("queries_extended", 0) for split in ("val", "test"))
    return _counted(
        ngettext(
            "A lead annotator looked at each query's grades in rank order; where the last five averaged %(threshold)s "
            "or more, the next %(next)s candidates were judged too: %(count)s query.",
            "A lead annotator looked at each query's grades in rank order; where the last five averaged %(threshold)s "
            "or more, the next %(next)s candidates were judged too: %(count)s queries.",
            extended,
        ),
        extended,
        threshold=_number(said["extend_threshold"]),
        next=_number(said["batch_size"]),
    )


def _number(value: float) -> str:
    """As its language writes it; whole ones without decimals, others with two."""
    whole = value == int(value)
    return str(number_format(int(value) if whole else round(value, 2), 0 if whole else 2, force_grouping=True))


def _counted(said: str, count: int, **values: str) -> str:
    return said % {"count": _number(count), **values}
