"""A collection's scale: its grades, and how it calls, explains and colours them. The one place that knows. Pure.

The words are the paper's (rule 5) where grades go from 0 to 4, neutral ones elsewhere, whose top grade is the best; or
the lead's own, a collection (`Collection.grade_words`), in as many languages as its annotators need.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from annotation.grade_colours import Colour, between, css, ink_on
from evaluation.reading.grade_scale import GradeScale, bars_of
from foundation.models import HIGHEST_GRADE, Collection

PAPER = "paper"
"""`Collection.grade_words` of what was judged by the paper's words on a shorter scale, before scales had their own."""
MARKS = (0, 25, 50, 75, 100)
"""Where a slider may have words."""
_RAMP: tuple[Colour, ...] = (
    *(("#d9d4cc", "#4a4640"), ("#b9cfc6", "#3d5750"), ("#7fb3a3", "#3f7d70"), ("#3f8f80", "#56a897")),
    ("#0d5f57", "#8fe0cf"),
)
"""The paper's grades, light and dark, as static/css/qreels.css has them."""


@dataclass(frozen=True, slots=True)
class GradeText:
    """How a grade is called, and what a moment of it shows of its query."""

    word: str
    shows: str


_NOT = GradeText(gettext_noop("not relevant"), "nothing of what the query asks for")
_FULLY = GradeText(gettext_noop("fully relevant"), "all of what the query asks for")
_PAPERS = (
    GradeText(gettext_noop("unrelated"), "unrelated"),
    GradeText(gettext_noop("a few points"), "a few points of the query"),
    GradeText(gettext_noop("in part"), "part of the query"),
    GradeText(gettext_noop("nearly perfect"), "the query well, but for a detail"),
    GradeText(gettext_noop("perfect"), "the query perfectly"),
)
_PARTLY = GradeText(gettext_noop("partly relevant"), "part of what the query asks for")
_MOSTLY = GradeText(gettext_noop("mostly relevant"), "most of what the query asks for")
_DEFAULTS: Mapping[int, Mapping[int, GradeText]] = {
    1: {0: _NOT, 1: GradeText(gettext_noop("relevant"), "what the query asks for")},
    2: {0: _NOT, 1: _PARTLY, 2: _FULLY},
    3: {0: _NOT, 1: _PARTLY, 2: _MOSTLY, 3: _FULLY},
    4: dict(enumerate(_PAPERS)),
    HIGHEST_GRADE: {0: _NOT, HIGHEST_GRADE: _FULLY},
}

USUAL_WORDS = sorted({text.word for own in _DEFAULTS.values() for text in own.values()})

Texts = Mapping[str, Mapping[int, GradeText]]
"""Language (BCP 47) -> grade -> its text."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The grades from 0 to `top` in steps of `step`; `texts` and `colours` are the lead's own, empty for the usual.

    >>> scale = Scale(1)
    >>> [(grade, scale.word(grade, "en")) for grade in scale.grades]
    [(0, 'not relevant'), (1, 'relevant')]
    """

    top: int
    step: int = 1
    texts: Texts = field(default_factory=dict)
    colours: Mapping[int, Colour] = field(default_factory=dict)
    in_papers_words: bool = False
    """Whether it is the beginning of the paper's scale, whatever its top."""

    @property
    def grades(self) -> range:
        """All grades that can be given, upwards."""
        return self.numbers.grades

    @property
    def numbers(self) -> GradeScale:
        """Its numbers alone, for readers of files."""
        return GradeScale(self.top, self.step)

    @property
    def is_paper(self) -> bool:
        """Whether it is the paper's in every way."""
        return self.top == len(_PAPERS) - 1 and not self.texts and not self.colours

    @property
    def slides(self) -> bool:
        """Whether a slider gives the grade, since keys would be too many."""
        return self.top >= HIGHEST_GRADE

    @property
    def marks(self) -> tuple[int, ...]:
        """The grades that may have words and colours: all, or some marks of a slider."""
        return MARKS if self.slides else tuple(self.grades)

    @property
    def levels(self) -> tuple[int, ...]:
        """Lowest grades from which something may count as relevant: all but 0, or some of a slider's."""
        return self.marks[1:]

    @property
    def bars(self) -> list[tuple[str, range]]:
        """Stretches of grades for tables and bars, with their names: see `bars_of`."""
        return bars_of(self.grades)

    @property
    def languages(self) -> list[str]:
        """The languages of the lead's own words; the first is for whoever reads none of them."""
        return list(self.texts)

    def word(self, grade: int, language: str = "") -> str:
        """How a grade is called; "" for one between a slider's marks. `language`: by default the reader's."""
        text = self._texts(language).get(grade)
        return "" if text is None else text.word if self.texts else _in(text.word, language)

    def description(self, grade: int, language: str = "") -> str:
        """What a moment of the grade shows, or else its word; the usual ones are described in English alone."""
        text = self._texts(language).get(grade)
        told = text is not None and text.shows and (self.texts or (language or translation.get_language()) == "en")
        return text.shows if text is not None and told else self.word(grade, language)

    def named(self, language: str = "") -> list[tuple[int, str]]:
        """The grades that have a word, upwards, each with it."""
        return [(grade, word) for grade in self.marks if (word := self.word(grade, language))]

    def explained(self) -> list[tuple[int, str, str]]:
        """The grades that have a word, with it and, of the lead's own words, what a moment shows besides."""
        own = [(grade, word, self.description(grade) if self.texts else "") for grade, word in self.named()]
        return [(grade, word, "" if shows == word else shows) for grade, word, shows in own]

    @property
    def reads(self) -> str:
        """The language of the words that whoever reads now gets, where they are the lead's own; "" for the page's."""
        return self._nearest(translation.get_language() or "en") if self.texts else ""

    def colour(self, grade: int) -> Colour:
        """A grade's colour on light and on dark pages."""
        return between(self.ramp, grade / self.top)

    @property
    def ramp(self) -> tuple[Colour, ...]:
        """The colours of the marks, upwards; the usual ones are spread over the whole scale."""
        if not self.colours:
            return tuple(between(_RAMP, mark / self.top) for mark in self.marks)
        return tuple(self._own_colour(mark) for mark in self.marks)

    def tone(self, grade: int) -> int:
        """The place on the ramp that a grade's colour is taken from, where only the marks' are at hand (CSS)."""
        return round(grade / self.top * (len(self.marks) - 1))

    @property
    def style(self) -> str:
        """The ramp as CSS properties for an element around everything that is coloured by grade; "" for the usual."""
        if self.ramp == _RAMP:
            return ""
        return "".join(
            f"--g{place}:{css(colour)};--o{place}:{css((ink_on(colour[0]), ink_on(colour[1])))};"
            for place, colour in enumerate(self.ramp)
        )

    def as_json(self) -> dict[str, Any]:
        """Words, descriptions and colours as manifests have them, whose keys have no order: so `languages` has one."""
        languages = self.languages or ["en"]
        return {
            "top": self.top,
            "step": self.step,
            "languages": languages,
            "words": {
                language: {
                    str(grade): {"word": word, "shows": self.description(grade, language)}
                    for grade, word in self.named(language)
                }
                for language in languages
            },
            "colours": {str(mark): list(colour) for mark, colour in zip(self.marks, self.ramp, strict=True)},
        }

    def _nearest(self, wanted: str) -> str:
        """The language of its texts that comes nearest: itself, one of the same first part, or else the first."""
        by_tag = {tag.lower(): tag for tag in reversed(self.languages)}
        by_part = {tag.lower().split("-")[0]: tag for tag in reversed(self.languages)}
        found = by_tag.get(wanted.lower()) or by_part.get(wanted.lower().split("-")[0])
        return found or self.languages[0]

    def _own_colour(self, mark: int) -> Colour:
        """The lead's colour of a mark, or what lies between those on both sides: the ends have some."""
        below = max(own for own in self.colours if own <= mark)
        above = min(own for own in self.colours if own >= mark)
        return between((self.colours[below], self.colours[above]), (mark - below) / ((above - below) or 1))

    def _texts(self, language: str) -> Mapping[int, GradeText]:
        if self.texts:
            return self.texts[self._nearest(language or translation.get_language() or "en")]
        return dict(enumerate(_PAPERS[: self.top + 1])) if self.in_papers_words else _DEFAULTS[self.top]


def scale_of(collection: Collection) -> Scale:
    """A collection's scale, from its row alone."""
    return _read(collection.top_grade, collection.grade_step, collection.grade_words)


def scale_of_release(facts: Mapping[str, Any]) -> Scale:
    """The scale that a release says, from its manifest. Earlier ones say its top alone, and had the paper's words."""
    told = facts.get("scale")
    if told is None:
        return Scale(int(facts["settings"]["consensus"]["top_grade"]), in_papers_words=True)
    top, step = int(told["top"]), int(told["step"])
    usual = (Scale(top, step), *((Scale(top, in_papers_words=True),) if top < HIGHEST_GRADE else ()))
    # What it says in English alone has translations on pages.
    same = next((scale for scale in usual if scale.as_json() == told), None)
    return same or Scale(top, step, *_own(told))


def as_text(texts: Texts, colours: Mapping[int, Colour]) -> str:
    """Own words and colours as `Collection.grade_words` has them; "" for none."""
    if not texts and not colours:
        return ""
    told = {
        "words": {
            language: {str(grade): {"word": text.word, "shows": text.shows} for grade, text in sorted(own.items())}
            for language, own in texts.items()
        },
        "colours": {str(grade): list(colour) for grade, colour in sorted(colours.items())},
    }
    return json.dumps(told, ensure_ascii=False)


@lru_cache(maxsize=256)
def _read(top: int, step: int, words: str) -> Scale:
    if words in ("", PAPER):
        return Scale(top, step, in_papers_words=words == PAPER)
    return Scale(top, step, *_own(json.loads(words)))


def _own(told: Mapping[str, Any]) -> tuple[Texts, Mapping[int, Colour]]:
    texts = {
        language: {
            int(grade): GradeText(text["word"], text["shows"]) for grade, text in told["words"][language].items()
        }
        for language in told.get("languages", told["words"])
    }
    return texts, {int(grade): (str(light), str(dark)) for grade, (light, dark) in told["colours"].items()}


def _in(word: str, language: str) -> str:
    if not language:
        return gettext(word)
    with translation.override(language):
        return gettext(word)
