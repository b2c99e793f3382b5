"""Example queries with their candidates, the paper's Figure 6: bars of relevance, a line of similarity, captions."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext

from annotation.models import Pair
from desk.figures.catalogue import EXAMPLES, Figure, rounded
from desk.figures.drawing import SMALL
from desk.figures.inks import Inks
from evaluation.figures.svg import SvgCanvas, text_width
from foundation.models import Collection
from foundation.refused import Refused
from queries.models import Query
from queries.pooling.query_columns import query_source_id

DEFAULT_QUERIES, DEFAULT_RANKS = 2, (1, 2, 3, 4, 5)
MOST_QUERIES, MOST_RANKS = 6, 10
SLOT, LEFT, RIGHT, BARS, LINE = 112.0, 44.0, 44.0, 128.0, 14.0
"""Pixels: a candidate's width, the axes' margins, the height of the bars, a line of text."""


@dataclass(frozen=True, slots=True)
class ExampleCandidate:
    """A candidate in consensus: rank, similarity, decided grade, caption; None: it was found without."""

    rank: int
    similarity: float | None
    grade: int
    caption: str | None


@dataclass(frozen=True, slots=True)
class ExampleQuery:
    """A query with its candidates in rank order."""

    query_id: str
    text: str
    candidates: list[ExampleCandidate] = field(default_factory=list)


def example_figure(collection: Collection, *, queries: str = "", ranks: str = "") -> Figure:
    """The figure for queries and ranks as an address has them, separated by commas; empty: two queries, ranks 1-5.

    Raises: Refused.
    """
    places = _ranks(ranks)
    examples = _examples(collection, [part.strip() for part in queries.split(",") if part.strip()], places)
    title = gettext("Example queries")
    drawn = sum(len(example.candidates) for example in examples)
    similar = any(row.similarity is not None for example in examples for row in example.candidates)
    if not drawn:
        finding = gettext("No pair of these ranks is in consensus yet.")
    elif similar:
        finding = gettext(
            "Each query (n = %(count)s) with its candidates in consensus (%(drawn)s), most similar first: bars "
            "are the decided grades, the line is the similarity of query and caption, beneath "
            "are the captions."
        )
    else:
        finding = gettext(
            "Each query (n = %(count)s) with its candidates in consensus (%(drawn)s), in the order of the pool: bars "
            "are the decided grades. Their moments were found without captions, so there is no similarity."
        )
    finding %= {"count": f"{len(examples):,}", "drawn": f"{drawn:,}"}
    shown = {"queries": ",".join(example.query_id for example in examples), "ranks": ",".join(map(str, places))}
    return Figure(
        EXAMPLES,
        title,
        finding,
        ["query_id", "query", "rank", "similarity", "grade", "caption"],
        [
            [example.query_id, example.text, row.rank, *rounded(row.similarity), row.grade, row.caption]
            for example in examples
            for row in example.candidates
        ],
        lambda inks: draw_examples(examples, inks, slots=len(places), top_grade=collection.top_grade, title=title),
        address=f"?{urlencode(shown)}",
        choice=shown,
    )


def _ranks(typed: str) -> tuple[int, ...]:
    parts = [part.strip() for part in typed.split(",") if part.strip()]
    if not parts:
        return DEFAULT_RANKS
    if not all(part.isascii() and part.isdigit() and 0 < len(part) < 8 and int(part) > 0 for part in parts):
        raise Refused(
            gettext("Found %(said)s, expected numbers from 1 on, such as 1,2,3,4,5.") % {"said": typed}, field="ranks"
        )
    ranks = tuple(sorted({int(part) for part in parts}))
    if len(ranks) > MOST_RANKS:
        raise Refused(
            gettext("Found %(count)s ranks, expected at most %(most)s.") % {"count": len(ranks), "most": MOST_RANKS},
            field="ranks",
        )
    return ranks


def _examples(collection: Collection, query_ids: Sequence[str], ranks: Sequence[int]) -> list[ExampleQuery]:
    """The queries asked for, in that order; of none, the first of test (of val, of a study) with a decided pair."""
    if len(query_ids) > MOST_QUERIES:
        raise Refused(
            gettext("Found %(count)s queries, expected at most %(most)s.")
            % {"count": len(query_ids), "most": MOST_QUERIES},
            field="queries",
        )
    queries = Query.objects.filter(collection=collection)
    examples: dict[str, ExampleQuery] = {}
    asked: QuerySet[Query]
    if query_ids:
        asked = queries.alias(source=query_source_id()).filter(source__in=query_ids)
        texts = dict(asked.values_list(query_source_id(), "text"))
        missing = [query_id for query_id in query_ids if query_id not in texts]
        if missing:
            raise Refused(
                gettext("Found the query id %(missing)s, expected the id of a query.") % {"missing": missing[0]},
                field="queries",
            )
        examples = {query_id: ExampleQuery(query_id, texts[query_id]) for query_id in query_ids}
    else:
        decided = Pair.objects.filter(batch__query=OuterRef("pk"), status=Pair.Status.CONSENSUS)
        asked = queries.filter(Exists(decided)).order_by("-split", "position")[:DEFAULT_QUERIES]
    pairs = Pair.objects.filter(
        batch__query__in=asked.values("pk"), status=Pair.Status.CONSENSUS, candidate__rank__in=ranks
    ).order_by("-batch__query__split", "batch__query__position", "candidate__rank")
    rows = pairs.values_list(
        query_source_id("batch__query__"),
        "batch__query__text",
        *("candidate__rank", "candidate__similarity", "grade", "candidate__caption_text"),
    )
    for query_id, text, rank, similarity, grade, caption in rows:
        example = examples.setdefault(query_id, ExampleQuery(query_id, text))
        example.candidates.append(ExampleCandidate(rank, similarity, grade, caption or None))
    return list(examples.values())


def draw_examples(examples: Sequence[ExampleQuery], inks: Inks, *, slots: int, top_grade: int, title: str) -> str:
    """A panel a query, one below the other."""
    width = LEFT + SLOT * max(slots, 4) + RIGHT
    letters = int((SLOT - 8) / text_width("m", SMALL))
    panels = []
    for example in examples:
        heading = _wrapped(example.text, int((width - 16) / text_width("m")), 3)
        captions = [_wrapped(row.caption or gettext("no caption"), letters, 9) for row in example.candidates]
        panels.append((example, heading, captions, max([len(lines) for lines in captions], default=0)))
    height = sum(16 * len(heading) + 40 + BARS + 30 + LINE * rows + 28 for _, heading, _, rows in panels)
    sheet = SvgCanvas(width, max(height, 40.0), title=title)
    y = 0.0
    for example, heading, captions, rows in panels:
        for place, line in enumerate(heading):
            sheet.words(8, y + 16 + 16 * place, line, colour=inks.ink, bold=True)
        top = y + 16 * len(heading) + 40
        _panel(sheet, example.candidates, captions, inks, top=top, width=width, top_grade=top_grade)
        y = top + BARS + 30 + LINE * rows + 28
    return sheet.text()


def _panel(
    sheet: SvgCanvas,
    candidates: Sequence[ExampleCandidate],
    captions: Sequence[Sequence[str]],
    inks: Inks,
    *,
    top: float,
    width: float,
    top_grade: int,
) -> None:
    base, right = top + BARS, width - RIGHT
    similar = any(row.similarity is not None for row in candidates)
    for grade in range(top_grade + 1):
        at = base - BARS * grade / top_grade
        sheet.line(LEFT, at, right, at, colour=inks.hair)
        sheet.words(LEFT - 8, at + 4, str(grade), size=SMALL, colour=inks.quiet, anchor="end")
        if similar:
            sheet.words(right + 8, at + 4, f"{grade / top_grade:.2f}", size=SMALL, colour=inks.quiet)
    sheet.words(LEFT - 8, top - 22, "relevance", size=SMALL, colour=inks.quiet)
    if similar:
        sheet.words(right + 36, top - 22, "similarity", size=SMALL, colour=inks.quiet, anchor="end")
    points: list[tuple[float, float] | None] = []
    for place, (row, lines) in enumerate(zip(candidates, captions, strict=True)):
        middle = LEFT + SLOT * (place + 0.5)
        high = BARS * row.grade / top_grade
        sheet.box(middle - 22, base - high, 44, high, colour=inks.grade(row.grade, top_grade))
        if not row.grade:
            sheet.words(middle, base - 6, "0", size=SMALL, colour=inks.quiet, anchor="middle")
        points.append(None if row.similarity is None else (middle, base - BARS * max(row.similarity, 0.0)))
        sheet.words(middle, base + 18, f"rank {row.rank:,}", size=SMALL, colour=inks.quiet, anchor="middle")
        for number, text in enumerate(lines):
            at = base + 18 + LINE * (number + 1)
            sheet.words(middle, at, text, size=SMALL, colour=inks.ink, anchor="middle")
    for known, stretch in groupby(points, bool):
        if known:
            sheet.path([point for point in stretch if point], colour=inks.kind(1), width=2)
    for point, row in zip(points, candidates, strict=True):
        if point is not None:
            x, at = point
            sheet.dot(x, at, colour=inks.kind(1), radius=3.5)
            sheet.words(x, at - 8, f"{row.similarity:.2f}", size=SMALL, colour=inks.ink, anchor="middle")


def _wrapped(text: str, letters: int, most: int) -> list[str]:
    """Lines of at most so many letters; what is left over after the last line is cut off with an ellipsis."""
    return textwrap.wrap(" ".join(text.split()), max(letters, 4), max_lines=most, placeholder="…")
