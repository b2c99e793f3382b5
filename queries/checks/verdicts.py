"""Verdicts of the checks in words: score against threshold. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.models import NoName
from queries.checks.thresholds import Limits
from queries.checks.word_alignment import align
from queries.language.words import Word, words

if TYPE_CHECKING:
    from queries.models import Attempt

SHOWN = 6
MOST_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """One check's verdict and why."""

    check: str
    passed: bool
    why: str


def verdicts(description: str, attempt: Attempt, limits: Limits, *, generalises: bool = False) -> list[CheckVerdict]:
    """Every check's verdict on an attempt; for one without a text, a single verdict that says why."""
    if not attempt.text:
        return [CheckVerdict("text", False, attempt.error or _("There is no text."))]
    results = [
        CheckVerdict("names", attempt.names_passed, _names(attempt, limits)),
        CheckVerdict("similarity", attempt.similarity_passed, _similarity(attempt, limits)),
    ]
    if attempt.kept_ratio is not None:
        why = _kept(description, attempt, limits, generalises)
        results.append(CheckVerdict("words kept", attempt.kept_passed, why))
        results.append(CheckVerdict("persons", attempt.persons_passed, _persons(attempt)))
        results += [_swapped(attempt, check) for check in ("gender", "roles", "words")]
    return results


def _swapped(attempt: Attempt, check: str) -> CheckVerdict:
    passes = {
        "gender": _("Nobody changes gender."),
        "roles": _("Everybody and everything is in its place."),
        "words": _("No word is swapped."),
    }
    fails = {
        "gender": _("Another gender: %(swapped)s."),
        "roles": _("Somebody else does it, or it is done to somebody else: %(swapped)s."),
        "words": _("Swapped: %(swapped)s."),
    }
    stays, instead = _("“%(after)s” stands elsewhere"), _("“%(after)s” for “%(before)s”")
    found = [
        (stays if one["before"] == one["after"] else instead) % one for one in attempt.swaps if one["check"] == check
    ]
    return CheckVerdict(check, not found, fails[check] % {"swapped": ", ".join(found)} if found else passes[check])


def _names(attempt: Attempt, limits: Limits) -> str:
    return " ".join([_named(attempt, limits), *map(_doubt, attempt.doubted_names)])


def _doubt(doubted: Mapping[str, Any]) -> str:
    """What the word lists say of a name that the tagger found, and what the collection makes of it."""
    words_for = {reason.value: str(reason.label) for reason in NoName}
    values = {
        "name": doubted["text"],
        "score": f"{doubted['score']:.2f}",
        "reasons": "; ".join(words_for.get(reason, reason) for reason in doubted["reasons"]),
    }
    if doubted["discarded"]:
        return _("“%(name)s”, of which the tagger is %(score)s sure, doesn't count here (%(reasons)s).") % values
    return _("“%(name)s” may be no name (%(reasons)s).") % values


def _named(attempt: Attempt, limits: Limits) -> str:
    if attempt.names_passed:
        return _("Names nobody.")
    if not attempt.names and not attempt.name_score:
        return _("The name tagger doesn't know this language. Look for names yourself.")
    values = {"names": ", ".join(attempt.names) or _("a person"), "score": f"{attempt.name_score:.2f}"}
    if attempt.name_score > limits.name_threshold:
        return _("Names %(names)s. The tagger is %(score)s sure.") % values
    return _("Names %(names)s.") % values


def _similarity(attempt: Attempt, limits: Limits) -> str:
    if attempt.similarity is None:
        if attempt.similarity_passed:
            return _("The similarity was not measured.")
        return _("The similarity was not measured: the encoder doesn't know this language.")
    if attempt.similarity_passed:
        return _("Similarity %(found)s.") % {"found": f"{attempt.similarity:.2f}"}
    value, limit = _told_apart(attempt.similarity, limits.similarity_threshold, ".{}f", 2)
    return _("Similarity %(found)s, below %(limit)s.") % {"found": value, "limit": limit}


def _kept(description: str, attempt: Attempt, limits: Limits, generalises: bool) -> str:
    before, after = words(description), words(attempt.text)
    laid = align(before, after, set(attempt.name_places), generalises=generalises)
    ratio = attempt.kept_ratio or 0.0
    share, limit = _told_apart(ratio, limits.kept_threshold, ".{}%", 0)
    if attempt.kept_passed:
        sentences = [_("Keeps %(share)s of the words beside the names.") % {"share": f"{ratio:.0%}"}]
    else:
        values = {"share": share, "limit": limit}
        sentences = [_("Keeps %(share)s of the words beside the names, below %(limit)s.") % values]
    if laid.lost:
        sentences.append(_("Gone: %(words)s.") % {"words": _listed(before, laid.lost)})
    if laid.added:
        sentences.append(_("New: %(words)s.") % {"words": _listed(after, laid.added)})
    return " ".join(sentences)


def _persons(attempt: Attempt) -> str:
    if attempt.persons_passed:
        return _("%(people)s, as in the description.") % {"people": _people(attempt.persons_after)}
    values = {"people": _people(attempt.persons_after), "before": attempt.persons_before}
    return _("%(people)s; the description speaks of %(before)s.") % values


def _told_apart(value: float, limit: float, form: str, decimals: int) -> tuple[str, str]:
    """Both numbers with as few decimals as tell them apart, from `decimals` on: 0.3993 isn't "0.40, below 0.40"."""
    for more in range(decimals, decimals + MOST_DECIMALS):
        texts = format(value, form.format(more)), format(limit, form.format(more))
        if texts[0] != texts[1]:
            break
    return texts


def _people(number: int | None) -> str:
    return ngettext("%(number)s person", "%(number)s people", number or 0) % {"number": number}


def _listed(sentence: Sequence[Word], places: Sequence[int]) -> str:
    listed = ", ".join(sentence[place].text for place in places[:SHOWN])
    if len(places) <= SHOWN:
        return listed
    return _("%(words)s and %(more)s more") % {"words": listed, "more": len(places) - SHOWN}
