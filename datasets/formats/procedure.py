"""How a release was made, in sentences from its manifest, in the reader's language. Pure but for that.

Each sentence counts what happened. They name models and numbers, never people: a caption that a person wrote has that
person's worker id in the manifest.
The page of a release shows them, and its files (card, datasheet, README) have them in English.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.consensus import Rule
from annotation.consensus_in_words import rule_in_words
from annotation.scale import scale_of_release
from datasets.formats.further_files import (
    draw_in_words,
    evidence_in_words,
    factors_in_words,
    machines_in_words,
    posteriors_in_words,
    spans_in_words,
)
from datasets.formats.leakage_in_words import leakage_in_words
from datasets.formats.numbers_in_words import number, with_count
from datasets.formats.procedure_of_candidates import candidates, queries_imported
from datasets.formats.procedure_of_captions import captions_in_words
from evaluation.reading.grade_scale import table_in_words
from foundation.models.collection_settings import Evidence


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
    scale = scale_of_release(facts)
    size = (
        _(
            "A test collection for ranked video moment retrieval: %(queries)s over %(moments)s of %(videos)s, with "
            "%(pairs)s of query and moment graded from 0 (unrelated) to %(top)s (perfect)."
        )
        if scale.is_paper
        else _(
            "A test collection for ranked video moment retrieval: %(queries)s over %(moments)s of %(videos)s, with "
            "%(pairs)s of query and moment graded from 0 (%(least)s) to %(top)s (%(best)s)."
        )
    ) % {
        "queries": with_count(ngettext("%(count)s query", "%(count)s queries", queries), queries),
        "moments": with_count(
            ngettext("%(count)s moment", "%(count)s moments", material["moments"]), material["moments"]
        ),
        "videos": with_count(ngettext("%(count)s video", "%(count)s videos", material["videos"]), material["videos"]),
        "pairs": with_count(ngettext("%(count)s pair", "%(count)s pairs", pairs), pairs),
        "top": scale.top,
        "least": scale.word(0),
        "best": scale.word(scale.top),
    }
    workers, judgments = counts["workers"], judging["judgments"]
    values = {
        "annotators": with_count(ngettext("%(count)s annotator", "%(count)s annotators", workers), workers),
        "judgments": with_count(ngettext("%(count)s judgment", "%(count)s judgments", judgments), judgments),
    }
    if judging["share_in_consensus"] is None:
        return [size, _("%(annotators)s gave %(judgments)s.") % values]
    agreed = _("%(annotators)s gave %(judgments)s, and %(share)s %% of the pairs ended in consensus.")
    return [size, agreed % {**values, "share": number_format(round(100 * judging["share_in_consensus"], 1), 1)}]


def top_grade(facts: Mapping[str, Any]) -> int:
    """The highest grade that the collection's annotators could give."""
    return int(facts["settings"]["consensus"]["top_grade"])


def has_drawn_queries(facts: Mapping[str, Any]) -> bool:
    """Whether a query is a caption: drawn, or imported with judgments."""
    return "topics" not in facts or bool(facts["topics"]["drawn"])


def procedure(facts: Mapping[str, Any]) -> list[ProcedureStep]:
    """The steps in the order in which they were done."""
    drawn = has_drawn_queries(facts)
    asked = [_topics(facts["topics"])] if "topics" in facts else []
    return [
        ProcedureStep(_("Queries"), " ".join([*asked, *([_queries(facts)] if drawn else [])])),
        *([ProcedureStep(pgettext("step of the procedure", "Draw"), _draw(facts))] if drawn else []),
        ProcedureStep(_("Candidates"), candidates(facts)),
        ProcedureStep(_("Judging"), _judging(facts)),
        ProcedureStep(_("Review"), _review(facts)),
    ]


def in_english(words: Callable[[Mapping[str, Any]], Sequence[str]], facts: Mapping[str, Any]) -> list[str]:
    """Sentences as the files of a release have them."""
    with translation.override("en"):
        return list(words(facts))


def procedure_in_english(facts: Mapping[str, Any], *names: str) -> str:
    """The steps of these names as one text, or all, each under its name, for the files of a release."""
    with translation.override("en"):
        steps = procedure(facts)
    if names:
        return " ".join(step.text for step in steps if step.name in names)
    return "".join(f"**{step.name}.** {step.text}\n\n" for step in steps)


def _topics(topics: Mapping[str, Any]) -> str:
    return _(
        "%(val)s queries of val and %(test)s of test are topics: written as queries, so no moment is their source."
    ) % {name: number(topics[name]) for name in ("val", "test")}


def _queries(facts: Mapping[str, Any]) -> str:
    source = (
        _("Each other query is the caption of a moment's description.")
        if "topics" in facts
        else _("Each query is the caption of a moment's description.")
    )
    return " ".join([source, *_languages(facts), *captions_in_words(facts)])


def _languages(facts: Mapping[str, Any]) -> list[str]:
    """Which languages are in it, where that isn't English alone."""
    if facts["languages"] == ["en"]:
        return []
    return [_("Descriptions and queries are in: %(languages)s.") % {"languages": ", ".join(facts["languages"])}]


def _draw(facts: Mapping[str, Any]) -> str:
    draw = facts["draw"]
    if draw is None:
        return _("The queries of val and test came with judgments that were made elsewhere.")
    values = {"val": number(draw["val"]), "test": number(draw["test"]), "seed": draw["seed"]}
    if draw["stratify"]:
        values["attribute"] = draw["stratify"].partition(" sha256:")[0]
        drawn = _(
            "%(val)s queries for val and %(test)s for test were drawn at random from distinct captions (seed "
            "%(seed)s), each %(attribute)s with its share."
        )
    elif draw.get("each_caption"):
        drawn = _(
            "%(val)s queries for val and %(test)s for test were drawn at random from all captions, no two equal (seed "
            "%(seed)s)."
        )
    else:
        drawn = _(
            "%(val)s queries for val and %(test)s for test were drawn at random from distinct captions (seed %(seed)s)."
        )
    imported = queries_imported(facts)
    elsewhere = ngettext(
        "%(count)s other query came with judgments that were made elsewhere.",
        "%(count)s other queries came with judgments that were made elsewhere.",
        imported,
    )
    others = facts["counts"]["training"]["queries"]
    rest = ngettext(
        "The other %(count)s is for pseudo-training: nobody judged it.",
        "The other %(count)s are for pseudo-training: nobody judged them.",
        others,
    )
    return " ".join(
        [
            drawn % values,
            *([with_count(elsewhere, imported)] if imported > 0 else []),
            with_count(rest, others),
            *leakage_in_words(facts.get("leakage")),
        ]
    )


def _judging(facts: Mapping[str, Any]) -> str:
    return " ".join(
        [
            rule_in_words(Rule.of(facts["settings"]["consensus"])),
            *(*_evidence(facts), *draw_in_words(facts), *_judged(facts)),
            *(*evidence_in_words(facts), *factors_in_words(facts), *spans_in_words(facts)),
            *(*posteriors_in_words(facts), *machines_in_words(facts)),
        ]
    )


def _evidence(facts: Mapping[str, Any]) -> list[str]:
    """What of a moment the guideline asked for, where that isn't its pictures alone."""
    kinds = facts["settings"].get("evidence")
    if not kinds:
        return []
    words = ", ".join(str(Evidence(kind).label) for kind in kinds)
    return [_("What counted of a moment, by the guideline: %(kinds)s.") % {"kinds": words}]


def pairs_by_people(facts: Mapping[str, Any]) -> list[str]:
    """How many pairs were judged by how many people."""
    pairs = [
        with_count(
            ngettext("%(count)s pair by %(people)s", "%(count)s pairs by %(people)s", count),
            count,
            people=_people(int(judges)),
        )
        for judges, count in facts["making"]["judged"]["pairs_by_people"].items()
    ]
    return [_("Judged were: %(pairs)s.") % {"pairs": "; ".join(pairs)}] if pairs else []


def _judged(facts: Mapping[str, Any]) -> list[str]:
    """By how many people pairs were judged, where, and by whom."""
    making = facts["making"]
    here, imported = making["judgments"]["here"], making["judgments"]["imported"]
    sentences = pairs_by_people(facts)
    if imported:
        elsewhere = ngettext(
            "%(count)s judgment was made elsewhere and imported: how is not recorded here.",
            "%(count)s judgments were made elsewhere and imported: how is not recorded here.",
            imported,
        )
        sentences.append(with_count(elsewhere, imported))
    for mapped in making.get("grade_tables", ()):
        grades = ngettext(
            "Of %(count)s of them the grade was mapped to the scale of this collection: %(grades)s.",
            "Of %(count)s of them grades were mapped to the scale of this collection: %(grades)s.",
            mapped["judgments"],
        )
        sentences.append(with_count(grades, mapped["judgments"], grades=table_in_words(mapped["grades"])))
    for policy, counts in making.get("repeated_ids", {}).items():
        repeated = (
            ngettext(
                "%(count)s of them was by an id that had judged the pair already, and counts as somebody else's.",
                "%(count)s of them were by an id that had judged the pair already, and count as somebody else's.",
                counts["judgments"],
            )
            if policy == "as-published"
            else ngettext(
                "%(count)s more was left out, since its id judged the pair more than once.",
                "%(count)s more were left out, since their id judged the pair more than once.",
                counts["judgments"],
            )
        )
        sentences.append(with_count(repeated, counts["judgments"]))
    if here:
        sentences.append(
            _("Annotators here saw one query and one moment at a time: no caption, similarity, rank or other's grade.")
        )
        sentences += _more_in_sight(facts)
        people, sat = making["people"]["here"], making["people"]["with_exam"]
        with_exam = (
            ngettext(
                "%(sat)s of %(count)s annotator has an exam on record.",
                "%(sat)s of %(count)s annotators have an exam on record.",
                people,
            )
            if sat
            else _("No annotator has an exam on record.")
        )
        sentences.append(with_count(with_exam, people, sat=number(sat)))
    if gold := making.get("gold"):
        answers = ngettext(
            "Among the others people were given pairs whose grade was known: %(count)s answer, which doesn't count.",
            "Among the others people were given pairs whose grade was known: %(count)s answers, which don't count.",
            gold["answers"],
        )
        sentences.append(with_count(answers, gold["answers"]))
        if facts["settings"].get("gold_feedback"):
            sentences.append(
                _("They were told the known grades once no more such pairs of the query were left to them.")
            )
        if gold["set_aside"]:
            aside = ngettext(
                "%(count)s judgment was set aside by a lead and doesn't count.",
                "%(count)s judgments were set aside by a lead and don't count.",
                gold["set_aside"],
            )
            sentences.append(with_count(aside, gold["set_aside"]))
    if making["pilots"]:
        pilots = ngettext(
            "Before, there was %(count)s pilot, whose judgments don't count.",
            "Before, there were %(count)s pilots, whose judgments don't count.",
            making["pilots"],
        )
        sentences.append(with_count(pilots, making["pilots"]))
    return [*sentences, *_adjudicated(facts)]


def _more_in_sight(facts: Mapping[str, Any]) -> list[str]:
    """What else annotators could look at, and what they couldn't."""
    sentences = []
    if seconds := facts.get("evidence_used", {}).get("context_seconds"):
        words = _("They could look at %(seconds)s seconds before and after a moment.")
        sentences.append(words % {"seconds": number_format(seconds, 1 if seconds % 1 else 0)})
    if facts["settings"].get("compare_clips"):
        sentences.append(
            _("They could look again at the last clips of the query that they had judged, and their grades.")
        )
    if hidden := facts.get("content", {}).get("hidden"):
        words = ngettext(
            "Clips of %(count)s video hide parts of its picture.",
            "Clips of %(count)s videos hide parts of their pictures.",
            hidden,
        )
        sentences.append(with_count(words, hidden))
    return sentences


def _adjudicated(facts: Mapping[str, Any]) -> list[str]:
    adjudication = facts["adjudication"]
    count = sum(adjudication["pairs"].values()) if adjudication["included"] else 0
    sentence = ngettext(
        "%(count)s discarded pair has a lead's own grade.", "%(count)s discarded pairs have a lead's own grade.", count
    )
    return [with_count(sentence, count)] if count else []


def _people(count: int) -> str:
    return with_count(ngettext("%(count)s person", "%(count)s people", count), count)


def _review(facts: Mapping[str, Any]) -> str:
    batches = facts["making"]["batches"]
    ways = (
        (batches["by_lead"], _("%(count)s closed by a lead's decision")),
        (batches["by_policy"], _("%(count)s closed by the review policy, without a lead")),
        (batches["alone"], _("%(count)s closed without a review once all pairs were decided")),
        (batches["waiting"], _("%(count)s decided and not reviewed")),
        (batches["judging"], _("%(count)s still being judged")),
    )
    closed = "; ".join(with_count(words, count) for count, words in ways if count)
    return _("Batches of candidates: %(told)s.") % {"told": closed}
