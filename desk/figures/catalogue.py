"""The list of figures: key, title, explanation, data, drawing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

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


def figures(found: Appendix) -> list[Figure]:
    """All figures of the appendix, in the paper's order, `KEYS`."""
    return [
        _agreement(found),
        _along(
            "relevance-by-similarity",
            "Relevance against similarity",
            "similarity of query and caption (bins of 0.05; 1.00 is the query's own moments)",
            found.by_similarity,
            found.top_grade,
            every=1 if len(found.by_similarity) <= 14 else 3,
        ),
        _along(
            "relevance-by-rank",
            "Relevance against rank",
            "rank of the candidate",
            found.by_rank,
            found.top_grade,
            every=1 if len(found.by_rank) <= 24 else 3,
        ),
        _lowest_highest(found),
        _final(found),
        _rounds(found),
        _own(found),
    ]


def _agreement(found: Appendix) -> Figure:
    whole = found.agreement[0].every
    between = (
        f", between {whole.low:.3f} and {whole.high:.3f} with {100 * LEVEL:.0f}\u00a0% confidence"
        if whole.low is not None
        else ""
    )
    value = "is not defined yet" if whole.alpha is None else f"is {whole.alpha:.3f}{between}"
    title = "Agreement"

    def draw(inks: Inks) -> str:
        groups = [
            [_interval(row) for row in found.agreement if row.of == of]
            for of in ("collection", "split", "week")
            if any(row.of == of for row in found.agreement)
        ]
        label = f"Krippendorff's alpha, ordinal, with its {100 * LEVEL:.0f} % interval"
        return intervals(groups, inks, title=title, x_label=label, n_of="pairs")

    return Figure(
        "agreement",
        title,
        f"Krippendorff's alpha for ordinal grades {value} over {whole.pairs:,} pairs with {whole.judgments:,} counted "
        f"judgments (1 is perfect, 0 what chance gives). Bars are percentile intervals of {RESAMPLES:,} resamples of "
        "the pairs; a pair belongs to the week of its first judgment, weeks begin on Monday (UTC).",
        "of,name,pairs,judgments,alpha,low,high".split(",")
        + [f"first_round_{figure}" for figure in ("judgments", "alpha", "low", "high")],
        [
            [row.of, row.name, row.every.pairs, *_alpha_cells(row.every), *_alpha_cells(row.first_round)]
            for row in found.agreement
        ],
        draw,
    )


def _alpha_cells(alpha: Alpha) -> list[Cell]:
    return [alpha.judgments, *_rounded(alpha.alpha, alpha.low, alpha.high)]


def _interval(row: AgreementRow) -> Interval:
    name = {"collection": "all", "split": row.name}.get(row.of, f"week of {row.name}")
    return Interval(name, row.every.alpha, row.every.low, row.every.high, row.every.pairs)


def _along(key: str, title: str, x_label: str, spreads: Sequence[GradeSpread], top_grade: int, every: int) -> Figure:
    n = sum(spread.pairs for spread in spreads)
    known = [spread for spread in spreads if spread.mean is not None]
    trend = (
        f"The mean grade goes from {known[0].mean:.2f} ({_place(key, known[0])}) to {known[-1].mean:.2f} "
        f"({_place(key, known[-1])})."
        if len(known) > 1
        else "There are too few graded pairs to compare."
    )

    def draw(inks: Inks) -> str:
        columns = [GradeColumn(spread.name.split("-")[0], spread.counts, spread.mean) for spread in spreads]
        return grades_along(columns, inks, title=title, x_label=x_label, n=n, every=every)

    return Figure(
        key,
        title,
        f"{trend} Above, the mean decided grade; below, how the grades of the pairs there are divided; n = {n:,}.",
        [key.removeprefix("relevance-by-"), "pairs", "mean_grade", *(f"grade_{g}" for g in range(top_grade + 1))],
        [[spread.name, spread.pairs, *_rounded(spread.mean), *spread.counts] for spread in spreads],
        draw,
    )


def _place(key: str, spread: GradeSpread) -> str:
    return f"{key.removeprefix('relevance-by-')} {spread.name.replace('-', ' to ')}"


def _lowest_highest(found: Appendix) -> Figure:
    cells = found.lowest_highest
    total = sum(map(sum, cells))
    same = sum(cells[i][i] for i in range(len(cells)))
    within = same + sum(cells[i][i + 1] for i in range(len(cells) - 1))
    title = "Lowest and highest raw grade"

    def draw(inks: Inks) -> str:
        return matrix(
            cells, inks, title=title, row_label="highest grade given", column_label="lowest grade given to the pair"
        )

    said = (
        f"All judgments of a pair are the same for {percent(same, total)} of {total:,} pairs, and at most 1 apart for "
        f"{percent(within, total)}."
        if total
        else "No pair has two judgments yet."
    )
    return Figure(
        "lowest-and-highest",
        title,
        f"{said} Each cell has the share and the number of pairs by the lowest and the highest of their counted "
        "judgments, both rounds.",
        ["lowest", "highest", "pairs", "share"],
        [
            [i, j, cells[i][j], *_rounded(cells[i][j] / total if total else None)]
            for i in range(len(cells))
            for j in range(i, len(cells))
        ],
        draw,
    )


def _final(found: Appendix) -> Figure:
    whole = found.final[0]
    title = "Final grades"
    said = (
        f"Decided grades of all {whole.pairs:,} pairs in consensus: a mean of {whole.mean:.2f}; "
        f"{percent(whole.counts[-1], whole.pairs)} have the top grade, {percent(whole.counts[0], whole.pairs)} are "
        "unrelated."
        if whole.mean is not None
        else "No pair is in consensus yet."
    )
    return Figure(
        "final-grades",
        title,
        said,
        ["split", "grade", "pairs", "share"],
        [
            [spread.name, grade, count, *_rounded(count / spread.pairs if spread.pairs else None)]
            for spread in found.final
            for grade, count in enumerate(spread.counts)
        ],
        lambda inks: grade_columns(whole.counts, inks, title=title),
    )


def _rounds(found: Appendix) -> Figure:
    whole = found.rounds[0][1]
    decided = whole.first + whole.second + whole.discarded
    title = "How pairs were decided"
    said = (
        f"{percent(whole.first + whole.second, decided)} of {decided:,} decided pairs reached consensus "
        f"({percent(whole.first, decided)} in the first round); {percent(whole.discarded, decided)} were discarded. "
        "The paper reached 97.79 % in val and 97.90 % in test."
        if decided
        else "No pair is decided yet."
    )
    rows = [(name, [one.first, one.second, one.discarded]) for name, one in found.rounds]
    return Figure(
        "consensus-by-round",
        title,
        said,
        ["split", "first_round", "second_round", "discarded", "share_in_consensus"],
        [[name, one.first, one.second, one.discarded, *_rounded(one.reached)] for name, one in found.rounds],
        lambda inks: stacked_rows(rows, ["first round", "second round", "discarded"], inks, title=title),
    )


def _own(found: Appendix) -> Figure:
    own, top = found.own_test or found.own, found.top_grade
    below = own.pairs - own.counts[top]
    title = "Grades of own moments"
    of_test = " of test queries" if found.own_test is not None else ""
    said = (
        f"{below:,} of {own.pairs:,} graded pairs of similarity 1.0{of_test} ({percent(below, own.pairs)}) are not "
        f"graded {top}: the caption fits its moment less well than its words say. The paper found 312 of 2,635 "
        "(11.84 %) in its test set."
        if own.pairs
        else "No pair of similarity 1.0 is graded yet."
    )
    return Figure(
        "own-moments",
        title,
        said,
        ["grade", "pairs", "share"],
        [[g, count, *_rounded(count / own.pairs if own.pairs else None)] for g, count in enumerate(own.counts)],
        lambda inks: grade_columns(own.counts, inks, title=title),
    )


def _rounded(*values: float | None) -> list[Cell]:
    return [None if value is None else round(value, 6) for value in values]
