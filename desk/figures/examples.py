"""Example queries with their candidates, the paper's Figure 6: bars of relevance, a line of similarity, captions."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext

from annotation.models import Pair
from desk.figures.catalogue import EXAMPLES, Figure
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
    """The figure for queries and ranks as they stand in an address, both with commas; empty: two queries, ranks 1-5.

    Raises: Refused.
    """
    wanted = _ranks(ranks)
    found = _examples(collection, [part.strip() for part in queries.split(",") if part.strip()], wanted)
    title = gettext("Example queries")
    drawn = sum(len(one.candidates) for one in found)
    similar = any(row.similarity is not None for one in found for row in one.candidates)
    if not drawn:
        said = gettext("No pair of these ranks is in consensus yet.")
    elif similar:
        said = gettext(
            "Each query (n = %(count)s) with its candidates in consensus (%(drawn)s), most similar first: bars "
            "are the decided grades, the line is the similarity of query and caption, beneath "
            "are the captions."
        )
    else:
        said = gettext(
            "Each query (n = %(count)s) with its candidates in consensus (%(drawn)s), in the order of the pool: bars "
            "are the decided grades. Their moments were found without captions, so there is no similarity."
        )
    said %= {"count": f"{len(found):,}", "drawn": f"{drawn:,}"}
    shown = {"queries": ",".join(one.query_id for one in found), "ranks": ",".join(map(str, wanted))}
    return Figure(
        EXAMPLES,
        title,
        said,
        ["query_id", "query", "rank", "similarity", "grade", "caption"],
        [
            [one.query_id, one.text, row.rank, _rounded(row.similarity), row.grade, row.caption]
            for one in found
            for row in one.candidates
        ],
        lambda inks: draw_examples(found, inks, slots=len(wanted), top_grade=collection.top_grade, title=title),
        address=f"?{urlencode(shown)}",
        choice=shown,
    )


def _ranks(said: str) -> tuple[int, ...]:
    parts = [part.strip() for part in said.split(",") if part.strip()]
    if not parts:
        return DEFAULT_RANKS
    if not all(part.isascii() and part.isdigit() and 0 < len(part) < 8 and int(part) > 0 for part in parts):
        raise Refused(
            gettext("Found %(said)s, expected numbers from 1 on, such as 1,2,3,4,5.") % {"said": said}, field="ranks"
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
    found: dict[str, ExampleQuery] = {}
    if query_ids:
        asked = queries.alias(source=query_source_id()).filter(source__in=query_ids)
        texts = dict(asked.values_list(query_source_id(), "text"))
        missing = [one for one in query_ids if one not in texts]
        if missing:
            raise Refused(
                gettext("Found the query id %(missing)s, expected the id of a query.") % {"missing": missing[0]},
                field="queries",
            )
        found = {one: ExampleQuery(one, texts[one]) for one in query_ids}
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
        one = found.setdefault(query_id, ExampleQuery(query_id, text))
        one.candidates.append(ExampleCandidate(rank, similarity, grade, caption or None))
    return list(found.values())


def draw_examples(examples: Sequence[ExampleQuery], inks: Inks, *, slots: int, top_grade: int, title: str) -> str:
    """A panel a query, one below the other."""
    width = LEFT + SLOT * max(slots, 4) + RIGHT
    letters = int((SLOT - 8) / text_width("m", SMALL))
    panels = []
    for one in examples:
        heading = _wrapped(one.text, int((width - 16) / text_width("m")), 3)
        captions = [_wrapped(row.caption or gettext("no caption"), letters, 9) for row in one.candidates]
        panels.append((one, heading, captions, max([len(lines) for lines in captions], default=0)))
    height = sum(16 * len(heading) + 40 + BARS + 30 + LINE * rows + 28 for _, heading, _, rows in panels)
    sheet = SvgCanvas(width, max(height, 40.0), title=title)
    y = 0.0
    for one, heading, captions, rows in panels:
        for place, line in enumerate(heading):
            sheet.words(8, y + 16 + 16 * place, line, colour=inks.ink, bold=True)
        top = y + 16 * len(heading) + 40
        _panel(sheet, one.candidates, captions, inks, top=top, width=width, top_grade=top_grade)
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
        said = f"{grade / top_grade:.2f}"
        if similar:
            sheet.words(right + 8, at + 4, said, size=SMALL, colour=inks.quiet)
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


def _rounded(similarity: float | None) -> float | None:
    return None if similarity is None else round(similarity, 6)


def _wrapped(text: str, letters: int, most: int) -> list[str]:
    """Lines of at most so many letters; what is left over after the last line is cut off with an ellipsis."""
    return textwrap.wrap(" ".join(text.split()), max(letters, 4), max_lines=most, placeholder="…")
