"""The whole page: one file that needs nothing else, not even a network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from ..figures.html import Html, element
from ..figures.intervals import Ends, intervals
from ..formats.table import Interval, Table
from ..notebook.scores import Scores, scores_of
from ..progress import Advance
from ..scores.score_table import table_of_records
from ..scores.tables import with_values
from ..texts import counted
from .queries import QueryPart, Told, scrolled, short

CAPTIONS = (
    "Captions are shown as the release has them, for people who look at its moments. They are part of the ground "
    "truth: a system that reads them reads the answer, and its scores mean nothing."
)
UNJUDGED = (
    "Unjudged isn't grade 0: nobody said whether such a prediction is relevant. It gains nothing all the same. "
    "IoU is that with the moment taken, or else the largest with a judged moment of the video."
)
SVG_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
"""HTML needs none."""


def report_page(
    title: str,
    scores: Scores,
    told: Told,
    *,
    about: Sequence[str],
    warnings: Sequence[str],
    draws: int,
    seed: int,
    advance: Advance,
) -> str:
    """A page of HTML: scores with intervals, the comparison, every query, some of them whole, warnings.

    Args: about: sentences on the release. draws, seed: of intervals and tests. advance: called after each query that is
    shown whole.
    Raises: EvaluationError as `QueryPart`, `Scores.standings` and `Scores.compare`.
    """
    part = QueryPart(scores, told)
    main = [
        element("h1", short(title)),
        *(element("p", sentence) for sentence in about),
        *_warned(warnings),
        *_scores(scores, told.measure, draws, seed),
        element("h2", "Queries"),
        element("p", part.order_in_words(), id="order"),
        element("div", scrolled(part.table(), "Queries"), id="queries"),
        element("h2", "Queries in detail"),
        element("p", f"{part.shown:,} of {counted(len(scores.truth), 'query')}, the first of the table. {UNJUDGED}"),
        *([element("p", CAPTIONS, class_="warning")] if told.captions else []),
        *part.details(advance),
    ]
    return _document(short(title), element("main", *main))


def _warned(warnings: Sequence[str]) -> list[Html]:
    """The warnings under their heading, if there are any."""
    if not warnings:
        return []
    return [element("h2", "Warnings"), element("ul", *(element("li", short(text)) for text in warnings))]


def _scores(scores: Scores, measure: str, draws: int, seed: int) -> list[Html]:
    """All scores; by the one measure the runs in order, with intervals, and every two runs."""
    one = scores_of(scores.truth, scores.runs, with_values(scores.records, measure), scores.convention)
    standings = one.standings(draws=draws, seed=seed)
    ends: dict[str, list[Ends]] = {
        str(run): [(mean, interval.low, interval.high)]
        for _, run, mean, interval, _ in standings.rows
        if isinstance(mean, float) and isinstance(interval, Interval)
    }
    queries = table_of_records(one.records).values.shape[2]
    note = f"95 % bootstrap intervals, {counted(queries, 'query')} with a value of every run"
    drawn = intervals(ends, kinds=[""], title="Scores", x_label=measure, note=note)
    figure = element("figure", Html(drawn.replace(SVG_NAMESPACE, "", 1)))
    parts = [element("h2", "Scores"), scrolled(figure, "Figure of scores"), _table(standings), _table(scores)]
    if len(scores.runs) > 1:
        parts += [element("h2", "Comparison"), _table(one.compare(draws=draws, seed=seed))]
    return parts


def _table(table: Table) -> Html:
    return scrolled(table.html(), table.heading)


def _document(title: str, main: Html) -> str:
    """The page around what it says. The policy lets it load nothing, and run no script but its own."""
    style, script = (Path(__file__).with_name(f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    own = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{own}'; base-uri 'none'"
    return "\n".join(
        [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>",
            f"{main}\n<script>{script}</script>\n</body>\n</html>\n",
        ]
    )
