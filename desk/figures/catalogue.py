"""The list of figures: key, title, explanation, data, drawing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext, ngettext

from annotation.agreement.krippendorff import LEVEL, RESAMPLES, Alpha
from annotation.agreement.paper_figures import AgreementRow, Appendix, GradeSpread
from desk.figures.drawing import (
    GradeColumn,
    Interval,
    grade_columns,
    grades_along,
    intervals,
    matrix,
    percent,
    stacked_rows,
)
from desk.figures.inks import Inks

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: `rows` are its data under `headings`; `draw` makes the SVG in the inks of a paper or of the page."""

    key: str
    title: str
    says: str
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    draw: Callable[[Inks], str]
    address: str = ""
    """The query string with which its files are asked for."""
    choice: Mapping[str, str] = field(default_factory=dict)
    """What was chosen in it, by the names of the form's fields."""


EXAMPLES = "examples"
"""Of the figure of chosen queries (`examples.py`), which comes last."""
KEYS = (
    "agreement",
    "relevance-by-similarity",
    "relevance-by-rank",
    "lowest-and-highest",
    "final-grades",
    "consensus-by-round",
    "own-moments",
)


def figures(appendix: Appendix) -> list[Figure]:
    """All figures of the appendix, in the paper's order, `KEYS`."""
    return [
        _agreement(appendix),
        _along(
            "relevance-by-similarity",
            gettext("Relevance against similarity"),
            gettext("similarity of query and caption (bins of 0.05; 1.00 is the query's own moments)"),
            appendix.by_similarity,
            appendix,
            every=1 if len(appendix.by_similarity) <= 14 else 3,
            left_out=sum(appendix.final[0].counts) - sum(spread.pairs for spread in appendix.by_similarity),
        ),
        _along(
            "relevance-by-rank",
            gettext("Relevance against rank"),
            gettext("rank of the candidate"),
            appendix.by_rank,
            appendix,
            every=1 if len(appendix.by_rank) <= 24 else 3,
        ),
        _lowest_highest(appendix),
        _final(appendix),
        _rounds(appendix),
        _own(appendix),
    ]


def _agreement(appendix: Appendix) -> Figure:
    whole = appendix.agreement[0].every
    figures = {
        "alpha": "" if whole.alpha is None else f"{whole.alpha:.3f}",
        "low": "" if whole.low is None else f"{whole.low:.3f}",
        "high": "" if whole.high is None else f"{whole.high:.3f}",
        "level": f"{100 * LEVEL:.0f}",
    }
    if whole.alpha is None:
        finding = gettext("Krippendorff's alpha for ordinal grades is not defined yet.")
    elif whole.low is None:
        finding = gettext("Krippendorff's alpha for ordinal grades is %(alpha)s.")
    else:
        finding = gettext(
            "Krippendorff's alpha for ordinal grades is %(alpha)s, between %(low)s and %(high)s with %(level)s\u00a0%% "
            "confidence."
        )
    title = gettext("Agreement")

    def draw(inks: Inks) -> str:
        groups = [
            [_interval(row) for row in appendix.agreement if row.of == of]
            for of in ("collection", "split", "week")
            if any(row.of == of for row in appendix.agreement)
        ]
        label = gettext("Krippendorff's alpha, ordinal, with its %(value)s %% interval") % {
            "value": f"{100 * LEVEL:.0f}"
        }
        return intervals(groups, inks, title=title, x_label=label, n_of="pairs")

    return Figure(
        "agreement",
        title,
        gettext(
            "%(said)s Pairs: %(pairs)s, with %(judgments)s counted judgments (1 is perfect, 0 what chance "
            "gives). Bars are percentile intervals of %(resamples)s resamples of the pairs; a pair belongs to the week "
            "of its first judgment, and weeks begin on Monday (UTC)."
        )
        % {
            "said": finding % figures,
            "pairs": f"{whole.pairs:,}",
            "judgments": f"{whole.judgments:,}",
            "resamples": f"{RESAMPLES:,}",
        },
        "of,name,pairs,judgments,alpha,low,high".split(",")
        + [f"first_round_{figure}" for figure in ("judgments", "alpha", "low", "high")],
        [
            [row.of, row.name, row.every.pairs, *_alpha_cells(row.every), *_alpha_cells(row.first_round)]
            for row in appendix.agreement
        ],
        draw,
    )


def _alpha_cells(alpha: Alpha) -> list[Cell]:
    return [alpha.judgments, *rounded(alpha.alpha, alpha.low, alpha.high)]


def _interval(row: AgreementRow) -> Interval:
    name = {"collection": "all", "split": row.name}.get(row.of, gettext("week of %(name)s") % {"name": row.name})
    return Interval(name, row.every.alpha, row.every.low, row.every.high, row.every.pairs)


def _along(
    key: str, title: str, x_label: str, spreads: Sequence[GradeSpread], of: Appendix, every: int, left_out: int = 0
) -> Figure:
    n = sum(spread.pairs for spread in spreads)
    known = [spread for spread in spreads if spread.mean is not None]
    trend = (
        gettext("The mean grade goes from %(mean)s (%(known)s) to %(mean_2)s (%(known_2)s).")
        % {
            "mean": f"{known[0].mean:.2f}",
            "known": _place(key, known[0]),
            "mean_2": f"{known[-1].mean:.2f}",
            "known_2": _place(key, known[-1]),
        }
        if len(known) > 1
        else gettext("There are too few graded pairs to compare.")
    )

    def draw(inks: Inks) -> str:
        columns = [GradeColumn(spread.name.split("-")[0], spread.counts, spread.mean) for spread in spreads]
        return grades_along(columns, inks, title=title, x_label=x_label, n=n, every=every, unit=of.unit)

    without = (
        ngettext(
            "%(count)s graded pair has no similarity, and isn't in it.",
            "%(count)s graded pairs have no similarity, and aren't in it.",
            left_out,
        )
        % {"count": f"{left_out:,}"}
        if left_out
        else ""
    )
    return Figure(
        key,
        title,
        gettext(
            "%(trend)s Above, the mean decided grade; below, how the grades of the pairs there are divided; n = %(n)s."
        )
        % {"trend": trend, "n": f"{n:,}"}
        + (f" {without}" if without else ""),
        [
            key.removeprefix("relevance-by-"),
            "pairs",
            "mean_grade",
            *(f"grade_{place * of.unit}" for place in range(of.top_grade + 1)),
        ],
        [[spread.name, spread.pairs, *rounded(spread.mean), *spread.counts] for spread in spreads],
        draw,
    )


def _place(key: str, spread: GradeSpread) -> str:
    return f"{key.removeprefix('relevance-by-')} {spread.name.replace('-', ' to ')}"


def _lowest_highest(appendix: Appendix) -> Figure:
    cells, unit = appendix.lowest_highest, appendix.unit
    total = sum(map(sum, cells))
    same = sum(cells[i][i] for i in range(len(cells)))
    within = same + sum(cells[i][i + 1] for i in range(len(cells) - 1))
    title = gettext("Lowest and highest raw grade")

    def draw(inks: Inks) -> str:
        return matrix(
            cells,
            inks,
            title=title,
            row_label=gettext("highest grade given"),
            column_label=gettext("lowest grade given to the pair"),
            unit=unit,
        )

    finding = (
        gettext(
            "All judgments of a pair are the same for %(total)s of %(total_2)s pairs, and at "
            "most 1 apart for %(total_3)s."
        )
        % {"total": percent(same, total), "total_2": f"{total:,}", "total_3": percent(within, total)}
        if total and unit == 1
        else gettext("Grades of 0 to 100 are counted here at the nearest of 0, 25, 50, 75 and 100.")
        if total
        else gettext("No pair has two judgments yet.")
    )
    return Figure(
        "lowest-and-highest",
        title,
        gettext(
            "%(said)s Each cell has the share and the number of pairs by the lowest and the "
            "highest of their counted judgments, both rounds."
        )
        % {"said": finding},
        ["lowest", "highest", "pairs", "share"],
        [
            [i * unit, j * unit, cells[i][j], *rounded(cells[i][j] / total if total else None)]
            for i in range(len(cells))
            for j in range(i, len(cells))
        ],
        draw,
    )


def _final(appendix: Appendix) -> Figure:
    whole = appendix.final[0]
    title = gettext("Final grades")
    finding = (
        gettext(
            "Decided grades of all %(pairs)s pairs in consensus: a mean of %(mean)s; %(pairs_2)s "
            "have the top grade, %(pairs_3)s are unrelated."
        )
        % {
            "pairs": f"{whole.pairs:,}",
            "mean": f"{whole.mean:.2f}",
            "pairs_2": percent(whole.counts[-1], whole.pairs),
            "pairs_3": percent(whole.counts[0], whole.pairs),
        }
        if whole.mean is not None
        else gettext("No pair is in consensus yet.")
    )
    return Figure(
        "final-grades",
        title,
        finding,
        ["split", "grade", "pairs", "share"],
        [
            [spread.name, grade * appendix.unit, count, *rounded(count / spread.pairs if spread.pairs else None)]
            for spread in appendix.final
            for grade, count in enumerate(spread.counts)
        ],
        lambda inks: grade_columns(whole.counts, inks, title=title, unit=appendix.unit),
    )


def _rounds(appendix: Appendix) -> Figure:
    whole = appendix.rounds[0][1]
    decided = whole.first + whole.second + whole.discarded
    title = gettext("How pairs were decided")
    finding = (
        gettext(
            "%(decided)s of %(decided_2)s decided pairs reached consensus (%(decided_3)s in the "
            "first round); %(decided_4)s were discarded. The paper reached 97.79 %% in val and "
            "97.90 %% in test."
        )
        % {
            "decided": percent(whole.first + whole.second, decided),
            "decided_2": f"{decided:,}",
            "decided_3": percent(whole.first, decided),
            "decided_4": percent(whole.discarded, decided),
        }
        if decided
        else gettext("No pair is decided yet.")
    )
    rows = [(name, [share.first, share.second, share.discarded]) for name, share in appendix.rounds]
    return Figure(
        "consensus-by-round",
        title,
        finding,
        ["split", "first_round", "second_round", "discarded", "share_in_consensus"],
        [
            [name, share.first, share.second, share.discarded, *rounded(share.reached)]
            for name, share in appendix.rounds
        ],
        lambda inks: stacked_rows(
            rows, [gettext("first round"), gettext("second round"), "discarded"], inks, title=title
        ),
    )


def _own(appendix: Appendix) -> Figure:
    own, top, unit = appendix.own_test or appendix.own, appendix.top_grade, appendix.unit
    below = own.pairs - own.counts[top]
    title = gettext("Grades of own moments")
    if appendix.own_test is not None:
        finding = gettext(
            "%(below)s of %(pairs)s graded pairs of similarity 1.0 of test queries (%(share)s) are not graded %(top)s: "
            "the caption fits its moment less well than its words say. The paper found 312 of 2,635 (11.84 %%) in its "
            "test set."
        )
    else:
        finding = gettext(
            "%(below)s of %(pairs)s graded pairs of similarity 1.0 (%(share)s) are not graded %(top)s: the caption "
            "fits its moment less well than its words say. The paper found 312 of 2,635 (11.84 %%) in its test set."
        )
    finding %= {"below": f"{below:,}", "pairs": f"{own.pairs:,}", "share": percent(below, own.pairs), "top": top * unit}
    each = appendix.own_test_queries
    if each is not None and each.pairs:
        less = each.pairs - each.counts[top]
        finding += " " + gettext(
            "One pair a query, as the paper counts: of %(queries)s test queries graded on the moment that they "
            "describe, %(less)s (%(share)s) are not graded %(top)s."
        ) % {"queries": f"{each.pairs:,}", "less": f"{less:,}", "share": percent(less, each.pairs), "top": top * unit}
    if not own.pairs:
        finding = gettext("No pair of similarity 1.0 is graded yet.")
    return Figure(
        "own-moments",
        title,
        finding,
        ["grade", "pairs", "share", "test_queries"],
        [
            [
                g * unit,
                count,
                *rounded(count / own.pairs if own.pairs else None),
                None if each is None else each.counts[g],
            ]
            for g, count in enumerate(own.counts)
        ],
        lambda inks: grade_columns(own.counts, inks, title=title, unit=appendix.unit),
    )


def rounded(*values: float | None) -> list[Cell]:
    """Values as cells of a figure's data, to six decimals; None stays."""
    return [None if value is None else round(value, 6) for value in values]
