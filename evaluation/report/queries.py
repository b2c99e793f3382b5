"""The part of a report that goes query by query: a row each, and some of them whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import EvaluationError
from ..figures.html import Html, element
from ..figures.svg import ink_on, shade
from ..figures.text_table import figure
from ..measures import parse_measure
from ..moments.alignment import Threshold
from ..moments.ground_truth import GroundTruth, JudgedMoment
from ..moments.matches import Match, matches_of_query
from ..moments.run import Run
from ..progress import Advance
from ..scores.scoring import Record
from ..scores.tables import with_values
from ..texts import counted

MOST_ROWS = 5_000
"""Queries in the table, and of those at most that are shown whole."""
MOST_RUNS = 20
"""On a page."""
MOST_MOMENTS = 100
"""Judged moments shown of a query."""
MOST_CHARACTERS = 500
"""Of a text that is shown."""
NUMBERS = ("rank", "seconds", "score", "IoU")
"""How the heads of a query's numbers begin."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a report tells beside scores, and how much of it.

    Attributes: title: the page's. about: sentences below it. measure: by which queries are told apart, as written.
    texts: query_id -> text. captions: of moments, by query_id, video_name, start and end. words: how grades are called.
    top_grade: the highest. queries: how many are shown whole. depth: how many predictions of a run are shown of each.
    """

    title: str
    about: Sequence[str]
    measure: str
    texts: Mapping[str, str]
    captions: Mapping[tuple[str, str, float, float], str]
    words: Mapping[int, str]
    top_grade: float
    queries: int
    depth: int


class QueryPart:
    """Queries in order of what there is to see: where runs differ most, or, of one run, where it is worst."""

    def __init__(self, truth: GroundTruth, runs: Sequence[Run], records: Sequence[Record], told: Told) -> None:
        """Raises: EvaluationError if the measure has no value per query, a run has no times, or runs are too many."""
        if len(runs) > MOST_RUNS:
            raise EvaluationError(f"found {len(runs)} runs, expected {MOST_RUNS} at most: a page shows them all")
        if untimed := [run.name for run in runs if run.ranks_videos]:
            raise EvaluationError(f"{untimed[0]} ranks videos without times, and a report shows moments")
        self._truth, self._runs, self._told = truth, runs, told
        records = with_values(records, told.measure)
        self._values = np.array([record.per_query for record in records])
        iou = getattr(parse_measure(records[0].computed), "iou", None)
        self._boundary = iou if isinstance(iou, Threshold) else Threshold(0.5, strict=False)
        self._differences = _differences(self._values)
        self._order = _order(self._values, self._differences)
        self.queries = len(self._order)
        self.shown = min(told.queries, MOST_ROWS, len(self._order))

    def table(self) -> Html:
        """A row a query: the difference of the first run to the best of the others, each run's value, the text."""
        rows = (self._row(number, place) for number, place in enumerate(self._order[:MOST_ROWS].tolist()))
        numbers = ["difference"] if self._differences is not None else []
        numbers += [run.name for run in self._runs]
        heads, kinds = ["query", *numbers, "text"], ["text", *["number"] * len(numbers), "text"]
        head = [element("th", short(name), scope="col", class_=kind) for name, kind in zip(heads, kinds, strict=True)]
        return element("table", element("thead", element("tr", *head)), element("tbody", *rows))

    def order_in_words(self) -> str:
        """How the table is ordered, and how many queries it has."""
        order = "the lowest value first"
        if self._differences is not None:
            others = "the best of the others" if len(self._runs) > 2 else self._runs[1].name
            order = f"the largest difference of {self._runs[0].name} to {others} first"
        rows = min(len(self._order), MOST_ROWS)
        left = "" if rows == len(self._order) else f"; {len(self._order) - rows:,} more are left out"
        return f"{self._told.measure} of {rows:,} of {len(self._order):,} queries, {order}{left}."

    def details(self, advance: Advance) -> Iterator[Html]:
        """The first queries of the table, whole. Args: advance: called after each."""
        for number, place in enumerate(self._order[: self.shown].tolist()):
            yield self._detail(number, place)
            advance(1)

    def _row(self, number: int, place: int) -> Html:
        query_id = self._truth.query_ids[place]
        link = short(query_id)
        if number < self.shown:
            link = element("a", link, href=f"#q{number + 1}")
        text = element("td", short(self._told.texts.get(query_id, "")), dir="auto")
        values = [_number(float(value)) for value in self._values[:, place]]
        if self._differences is not None:
            values.insert(0, _number(float(self._differences[place]), sign="+"))
        return element("tr", element("td", link), *values, text)

    def _detail(self, number: int, place: int) -> Html:
        truth, runs = self._truth, self._runs
        query_id = truth.query_ids[place]
        values = zip(runs, self._values[:, place].tolist(), strict=True)
        told = "; ".join(f"{short(run.name)} {figure(value)}" for run, value in values)
        text = short(self._told.texts.get(query_id, ""))
        title = element("summary", element("strong", short(query_id)), " ", element("bdi", text), " ", _quiet(told))
        reach = parse_measure(self._told.measure).depth
        depth = None if reach is None else max(reach, self._told.depth)
        matches = {run.name: matches_of_query(truth, run, query_id, self._boundary, depth=depth) for run in runs}
        judged = self._judged(query_id, truth.of_query(query_id), matches)
        parts = [self._predictions(query_id, run, matches[run.name]) for run in runs]
        return element("details", title, judged, *parts, id=f"q{number + 1}")

    def _judged(self, query_id: str, moments: list[JudgedMoment], matches: Mapping[str, list[Match]]) -> Html:
        """The judged moments with their grades, and at which rank each run found them."""
        found = [
            {match.moment: match.rank for match in reversed(own) if match.moment is not None}
            for own in matches.values()
        ]
        captioned = bool(self._told.captions)
        rows = []
        for moment in moments[:MOST_MOMENTS]:
            cells = [element("td", self._grade(moment.grade)), *_where(moment.video_name, moment.start, moment.end)]
            if captioned:
                place = (query_id, moment.video_name, moment.start, moment.end)
                cells.append(element("td", short(self._told.captions.get(place, "")), dir="auto"))
            ranks = [str(ranked[moment]) if moment in ranked else "-" for ranked in found]
            rows.append(element("tr", *cells, *map(_figures, ranks)))
        head = ["grade", "video", "seconds", *["caption"] * captioned, *(f"rank in {run}" for run in matches)]
        more = f", of which {MOST_MOMENTS} are shown" if len(moments) > MOST_MOMENTS else ""
        heading = f"Judged moments: {len(moments):,}{more}"
        return _section(heading, head, rows, label=f"Judged moments of query {short(query_id)}")

    def _predictions(self, query_id: str, run: Run, matches: list[Match]) -> Html:
        """A run's first predictions, each with what it takes."""
        rows = [
            element(
                "tr",
                _figures(str(match.rank)),
                *_where(match.prediction.video_name, match.prediction.start, match.prediction.end),
                _figures("-" if match.prediction.score is None else f"{match.prediction.score:.4g}"),
                _figures(figure(match.iou, 2)),
                element("td", self._taken(match)),
            )
            for match in matches[: self._told.depth]
        ]
        told = f"first {counted(len(rows), 'prediction')}" if rows else "no predictions"
        head = ["rank", "video", "seconds", "score", "IoU", "judged as"]
        label = f"Predictions of {short(run.name)} for query {short(query_id)}"
        return _section(f"{short(run.name)}: {told}", head, rows, label=label)

    def _taken(self, match: Match) -> Html:
        if match.moment is not None:
            return self._grade(match.moment.grade)
        if self._boundary.passes(np.array([match.iou]))[0]:
            return _quiet("a better rank has the moment")
        return _quiet("unjudged")

    def _grade(self, grade: float) -> Html:
        colour = shade(grade / self._told.top_grade if self._told.top_grade else 0.0)
        chip = element("span", f"{grade:g}", class_="grade", style=f"background: {colour}; color: {ink_on(colour)}")
        word = self._told.words.get(int(grade), "") if grade == int(grade) else ""
        return element("span", chip, *([f" {short(word)}"] if word else []))


def short(text: str) -> str:
    """A text on one line, cut where it is longer than anybody reads.

    >>> short("a" * 600)[-3:], short("a\\nb")
    ('aa…', 'a b')
    """
    told = " ".join(text.split())
    return told if len(told) <= MOST_CHARACTERS else told[: MOST_CHARACTERS - 1] + "…"


def scrolled(inside: Html, label: str) -> Html:
    """What may be wider than the screen: it is scrolled by itself, with the keyboard too."""
    return element("div", inside, class_="scroll", tabindex="0", role="region", aria_label=label)


def _differences(values: FloatArray) -> FloatArray | None:
    """The first run's value less the best of the others', shape (queries,); None of one run."""
    return values[0] - np.fmax.reduce(values[1:]) if len(values) > 1 else None


def _order(values: FloatArray, differences: FloatArray | None) -> IntArray:
    """The largest difference first, of one run the lowest value; equal ones as in the file, those without one last."""
    return np.argsort(values[0] if differences is None else -np.abs(differences), kind="stable").astype(np.int64)


def _number(value: float, sign: str = "") -> Html:
    """A cell that sorts by all its digits; what there isn't sorts last."""
    known = not np.isnan(value)
    shown = f"{value:{sign}.4f}" if known else "-"
    return element("td", shown, class_="number", data_value=repr(value) if known else "")


def _where(video: str, start: float, end: float) -> tuple[Html, Html]:
    return element("td", short(video)), _figures(f"{start:g}–{end:g}")


def _figures(text: str) -> Html:
    return element("td", text, class_="number")


def _section(heading: str, heads: Sequence[str], rows: Sequence[Html], *, label: str) -> Html:
    """A table under its heading, or the heading alone."""
    kinds = ["number" if name.startswith(NUMBERS) else "text" for name in heads]
    named = (element("th", short(name), scope="col", class_=kind) for name, kind in zip(heads, kinds, strict=True))
    head = element("thead", element("tr", *named))
    table = scrolled(element("table", head, element("tbody", *rows)), label)
    return element("section", element("h3", heading), *([table] if rows else []))


def _quiet(text: str) -> Html:
    return element("span", text, class_="quiet")
