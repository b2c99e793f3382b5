"""The whole page: one file that needs nothing else, not even a network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from html import escape
from pathlib import Path

from ..figures.html import Html, element
from ..figures.intervals import Ends, intervals
from ..figures.svg import on_page
from ..formats.table import Interval, Table
from ..progress import Advance
from ..scores.tables import RunTable
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


def report_page(
    part: QueryPart,
    told: Told,
    *,
    scores: RunTable,
    standings: Mapping[str, Table],
    further: Sequence[Table],
    warnings: Sequence[str],
    advance: Advance,
) -> str:
    """A page of HTML: scores, each measure's intervals and comparison, every query, some of them whole, warnings.

    Args: part: of the queries, by `told`. scores: all of them. standings: by measure, the one by which queries are told
    apart first, see `Scores.standings`. further: more tables whose first column is the measure. advance: called after
    each query that is shown whole.
    """
    main = [
        element("h1", short(told.title)),
        *(element("p", sentence) for sentence in told.about),
        *_warned(warnings),
        element("h2", "Scores"),
        _table(scores),
        *_measures(scores.head[1:], standings, further),
        element("h2", "Queries"),
        element("p", part.order_in_words(), id="order"),
        element("div", scrolled(part.table(), "Queries"), id="queries"),
        element("h2", "Queries in detail"),
        element("p", f"{part.shown:,} of {counted(part.queries, 'query')}, the first of the table. {UNJUDGED}"),
        *([element("p", CAPTIONS, class_="warning")] if told.captions else []),
        *part.details(advance),
    ]
    return _document(short(told.title), element("main", *main))


def _warned(warnings: Sequence[str]) -> list[Html]:
    """The warnings under their heading, if there are any."""
    if not warnings:
        return []
    return [element("h2", "Warnings"), element("ul", *(element("li", short(text)) for text in warnings))]


def _measures(names: Sequence[str], standings: Mapping[str, Table], further: Sequence[Table]) -> Iterator[Html]:
    """A section a measure, of which the page's script shows one; and which measures have none."""
    if without := [short(name) for name in names if name not in standings]:
        yield element("p", f"No interval and no test, for want of values by query: {', '.join(without)}.")
    for name, ordered in standings.items():
        own = [_of_measure(table, name) for table in (ordered, *further)]
        drawn = scrolled(_drawn(name, own[0]), f"Figure of {short(name)}")
        yield element("section", element("h3", short(name)), drawn, *map(_table, own), class_="measure")


def _of_measure(table: Table, measure: str) -> Table:
    rows = [row[1:] for row in table.rows if row[0] == measure]
    return Table(table.heading, table.sentence, table.head[1:], rows, table.signed)


def _drawn(measure: str, standings: Table) -> Html:
    """The runs in order, with their intervals."""
    ends: dict[str, list[Ends]] = {
        str(run): [(mean, interval.low, interval.high)]
        for run, mean, interval, *_ in standings.rows
        if isinstance(mean, float) and isinstance(interval, Interval)
    }
    note = standings.sentence.partition(";")[0]
    drawn = intervals(ends, kinds=[""], title="Scores", x_label=measure, note=note)
    return element("figure", Html(on_page(drawn)))


def _table(table: Table) -> Html:
    """Its heading and sentence above it, so that they aren't scrolled with what is wider than the screen."""
    lines = [Html(f"<br>{escape(line)}") for line in table.sentence.splitlines()]
    told = element("p", element("strong", table.heading), *lines)
    bare = replace(table, heading="", sentence="")
    return element("div", told, scrolled(bare.html(), table.heading))


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
