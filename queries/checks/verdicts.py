"""Verdicts of the checks in words: score against threshold. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from queries.checks.word_alignment import align
from queries.language.words import Word, words

SHOWN = 6
MOST_DECIMALS = 6


class AttemptScores(Protocol):
    """An attempt's scores: fields of `queries.models.Attempt`."""

    text: str
    error: str
    similarity: float | None
    name_score: float
    names: list[str]
    kept_ratio: float | None
    persons_before: int | None
    persons_after: int | None
    name_places: list[int]
    similarity_passed: bool
    names_passed: bool
    kept_passed: bool
    persons_passed: bool


class Thresholds(Protocol):
    """A collection's thresholds."""

    @property
    def similarity_threshold(self) -> float: ...
    @property
    def name_threshold(self) -> float: ...
    @property
    def kept_threshold(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """One check's verdict and why."""

    check: str
    passed: bool
    why: str


def verdicts(
    description: str, attempt: AttemptScores, limits: Thresholds, *, generalises: bool = False
) -> list[Verdict]:
    """Every check's verdict on an attempt; for one without a text, a single verdict that says why."""
    if not attempt.text:
        return [Verdict("text", False, attempt.error or "There is no text.")]
    found = [
        Verdict("names", attempt.names_passed, _names(attempt, limits)),
        Verdict("similarity", attempt.similarity_passed, _similarity(attempt, limits)),
    ]
    if attempt.kept_ratio is not None:
        found.append(Verdict("words kept", attempt.kept_passed, _kept(description, attempt, limits, generalises)))
        found.append(Verdict("persons", attempt.persons_passed, _persons(attempt)))
    return found


def _names(attempt: AttemptScores, limits: Thresholds) -> str:
    if attempt.names_passed:
        return "Names nobody."
    sure = f" The tagger is {attempt.name_score:.2f} sure." if attempt.name_score > limits.name_threshold else ""
    return f"Names {', '.join(attempt.names) or 'a person'}.{sure}"


def _similarity(attempt: AttemptScores, limits: Thresholds) -> str:
    if attempt.similarity is None:
        return "Its similarity was not measured."
    if attempt.similarity_passed:
        return f"Similarity {attempt.similarity:.2f}."
    found, limit = _told_apart(attempt.similarity, limits.similarity_threshold, ".{}f", 2)
    return f"Similarity {found}, below {limit}."


def _kept(description: str, attempt: AttemptScores, limits: Thresholds, generalises: bool) -> str:
    before, after = words(description), words(attempt.text)
    laid = align(before, after, set(attempt.name_places), generalises=generalises)
    kept = attempt.kept_ratio or 0.0
    found, limit = _told_apart(kept, limits.kept_threshold, ".{}%", 0)
    below = "" if attempt.kept_passed else f", below {limit}"
    told = f"Keeps {f'{kept:.0%}' if attempt.kept_passed else found} of the words beside the names{below}."
    if laid.lost:
        told += f" Gone: {_listed(before, laid.lost)}."
    if laid.added:
        told += f" New: {_listed(after, laid.added)}."
    return told


def _persons(attempt: AttemptScores) -> str:
    if attempt.persons_passed:
        return f"{_people(attempt.persons_after)}, as in the description."
    return f"{_people(attempt.persons_after)}; the description speaks of {attempt.persons_before}."


def _told_apart(found: float, limit: float, form: str, decimals: int) -> tuple[str, str]:
    """Both numbers with as few decimals as tell them apart, from `decimals` on: 0.3993 isn't "0.40, below 0.40"."""
    for more in range(decimals, decimals + MOST_DECIMALS):
        words = format(found, form.format(more)), format(limit, form.format(more))
        if words[0] != words[1]:
            break
    return words


def _people(number: int | None) -> str:
    return "1 person" if number == 1 else f"{number} persons"


def _listed(sentence: Sequence[Word], places: Sequence[int]) -> str:
    listed = ", ".join(sentence[place].text for place in places[:SHOWN])
    return f"{listed} and {len(places) - SHOWN} more" if len(places) > SHOWN else listed
