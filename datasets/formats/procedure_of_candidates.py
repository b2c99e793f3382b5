"""How a release's candidates were found, in words."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from datasets.formats.numbers_in_words import number, with_count


def queries_imported(facts: Mapping[str, Any]) -> int:
    """How many queries came with judgments."""
    nothing = {"val": 0, "test": 0}
    others = [facts["draw"] or nothing, facts.get("topics", nothing)]
    counts = facts["counts"]
    return sum(counts[split]["queries_drawn"] - sum(other[split] for other in others) for split in ("val", "test"))


def candidates(facts: Mapping[str, Any]) -> str:
    """Where candidates are from, and how many of them were judged."""
    depth = facts["settings"]["batch_size"] * facts["settings"]["max_batches"]
    if "pool" in facts:
        sentences = _from_runs(facts["pool"], depth)
    else:
        chosen = (
            _("A query's candidates are a pool of at most %(depth)s moments that were found for it.")
            if "pairs_without_similarity" in facts
            else _("A query's candidates are the moments whose captions are most similar to it, at most %(depth)s.")
        )
        sentences = chosen % {"depth": number(depth)}
    imported = queries_imported(facts)
    if imported > 0 and facts["draw"] is None and "topics" not in facts:
        sentences = _("A query's candidates are the moments that came with its judgments.")
    elif imported > 0:
        more = ngettext(
            "Those of %(count)s query came with its judgments.",
            "Those of %(count)s queries came with their judgments.",
            imported,
        )
        sentences += f" {with_count(more, imported)}"
    sentences += approximate_search(facts)
    rankers = facts["models"]["rankers"]["queries"]
    if rankers and "pool" not in facts:
        names = ", ".join(name.partition("@")[0] for name in rankers)
        sentences += " " + _("Similarity is that of %(models)s.") % {"models": names}
    return " ".join([sentences, *_ranks(facts)])


def _ranks(facts: Mapping[str, Any]) -> list[str]:
    """How many of the candidates were judged really."""
    judged = facts["making"]["judged"]
    values = {name: number(judged[name] or 0) for name in ("least", "most")}
    extended = sum(facts["counts"][split]["queries_extended"] for split in ("val", "test"))
    decided = (
        _("%(most)s of each query are decided.")
        if judged["least"] == judged["most"]
        else _("%(least)s to %(most)s of a query are decided.")
    ) % values
    more = ngettext("%(count)s query got a second batch.", "%(count)s queries got a second batch.", extended)
    return [decided, *([with_count(more, extended)] if extended else [])]


def approximate_search(facts: Mapping[str, Any]) -> str:
    """How much approximate searches found, a sentence for each with a space before it; "" where all are exact."""
    sentence = _(
        "Candidates of %(whose)s were searched for approximately: for a sample of %(sample)s queries, %(recall)s %% of "
        "the %(depth)s moments that the exact search finds were found."
    )
    return "".join(
        " "
        + sentence
        % {
            "whose": _whose(search),
            "sample": number(search["sample"]),
            "recall": f"{100 * search['recall']:.2f}",
            "depth": number(search["depth"]),
        }
        for search in facts.get("approximate_search", ())
    )


def _whose(search: Mapping[str, Any]) -> str:
    if not search["training"]:
        return _("val and test")
    return _("val, test and pseudo-training") if search["queries"] else _("pseudo-training")


def _from_runs(pool: Mapping[str, Any], depth: int) -> str:
    """What is said of a pool that a recipe chose from systems' runs, at least some of it."""
    runs, others = len(pool["runs"]), pool.get("other_pairs", 0)
    chosen = ngettext(
        "Candidates were chosen from %(count)s system's ranking by the recipe %(recipe)s, at most %(depth)s a query.",
        "Candidates were chosen from the rankings of %(count)s systems by the recipe %(recipe)s, at most %(depth)s a "
        "query.",
        runs,
    )
    recipes = ", ".join(dict.fromkeys(version["recipe"] for version in pool["recipes"]))
    more = ngettext(
        "%(count)s pair is of before, by similarity.", "%(count)s pairs are of before, by similarity.", others
    )
    sentence = chosen % {"count": number(runs), "recipe": recipes, "depth": number(depth)}
    return f"{sentence} {with_count(more, others)}" if others else sentence
