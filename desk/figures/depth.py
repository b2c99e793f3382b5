"""Figures of a depth study: relevance by rank, depth at which each query finds its moments."""

from django.utils.translation import gettext

from annotation.studies.depth import LEVEL, RELEVANT_FROM, RESAMPLES, DepthStudy
from desk.figures.catalogue import Cell, Figure, rounded
from desk.figures.drawing import GradeColumn, counted_rows, grades_along, percent
from desk.figures.inks import Inks
from desk.figures.scatter import ScatterPoint, scatter
from evaluation.judgments.grade_classes import class_count, class_of, unit_of

DEPTH_KEYS = ("scatter-by-similarity", "scatter-by-rank", "relevance-by-depth", "depth-by-query")
LONGEST_LABEL = 34


def depth_figures(study: DepthStudy) -> list[Figure]:
    """All of them, `DEPTH_KEYS`; the paper's Figures 4a and 4b first."""
    return [_scatter(study, DEPTH_KEYS[0]), _scatter(study, DEPTH_KEYS[1]), _by_rank(study), _by_query(study)]


def _scatter(study: DepthStudy, key: str) -> Figure:
    by_rank = key == DEPTH_KEYS[1]
    title = gettext("Relevance and rank") if by_rank else gettext("Relevance and similarity")
    relevant = [moment for moment in study.moments if moment.grade >= RELEVANT_FROM]
    unrelated = len(study.moments) - len(relevant)

    def draw(inks: Inks) -> str:
        points = [
            ScatterPoint(
                moment.rank if by_rank else moment.similarity, class_of(moment.grade, study.top_grade), moment.query - 1
            )
            for moment in relevant
        ]
        unit = unit_of(study.top_grade)
        names = [_label(query.query, query.text) for query in study.by_query]
        return scatter(
            points,
            inks,
            title=title,
            x_label=gettext("rank by similarity (logarithmic)")
            if by_rank
            else gettext("similarity of query and caption"),
            names=names,
            grades=range(RELEVANT_FROM if unit == 1 else 0, class_count(study.top_grade)),
            unit=unit,
            marks=(study.depth, study.ranked) if by_rank else (),
            logarithmic=by_rank,
        )

    deeper = sum(moment.rank > study.ranked for moment in relevant)
    finding = gettext("Each relevant moment (grades %(value)s and above, n = %(count)s), a colour a query") % {
        "count": f"{len(relevant):,}",
        "value": RELEVANT_FROM,
    }
    if by_rank:
        finding += gettext(
            ", at its rank among all moments; the lines are at ranks %(depth)s, to which the "
            "collection is judged, and %(ranked)s, beyond which moments were drawn at random "
            "(%(deeper)s of them relevant)"
        ) % {"depth": f"{study.depth:,}", "ranked": f"{study.ranked:,}", "deeper": f"{deeper:,}"}
    return Figure(
        key,
        title,
        gettext("%(said)s. Moments of grade 0 (n = %(unrelated)s) are in the data alone.")
        % {"said": finding, "unrelated": f"{unrelated:,}"},
        ["query", "rank", "similarity", "grade", "at_random"],
        [
            [moment.query, moment.rank, *rounded(moment.similarity), moment.grade, int(moment.rank > study.ranked)]
            for moment in study.moments
        ],
        draw,
    )


def _by_rank(study: DepthStudy) -> Figure:
    title = gettext("Relevance by depth")
    graded = sum(stretch.graded for stretch in study.stretches)
    unit = unit_of(study.top_grade)

    def draw(inks: Inks) -> str:
        columns = [
            GradeColumn(stretch.name.replace("-", "\u2013"), stretch.counts, stretch.mean)
            for stretch in study.stretches
        ]
        label = gettext("rank of the moment; on the right, moments at random from beyond the ranked ones")
        return grades_along(columns, inks, title=title, x_label=label, n=graded, apart=1, unit=unit)

    return Figure(
        DEPTH_KEYS[2],
        title,
        _said(study, graded),
        [
            "ranks",
            "graded",
            "mean_grade",
            "share_relevant",
            *(f"grade_{place * unit}" for place in range(class_count(study.top_grade))),
        ],
        [
            [stretch.name, stretch.graded, *rounded(stretch.mean, stretch.relevant), *stretch.counts]
            for stretch in study.stretches
        ],
        draw,
    )


def _said(study: DepthStudy, graded: int) -> str:
    if not graded:
        return gettext("No pair is graded yet.")
    relevant = gettext("Relevant are grades from %(value)s on.") % {"value": RELEVANT_FROM}
    if not study.found:
        return gettext("None of the moments graded so far (n = %(graded)s) is relevant. %(relevant)s") % {
            "graded": f"{graded:,}",
            "relevant": relevant,
        }
    at_random = study.stretches[-1]
    beyond = gettext("At later ranks are %(deeper)s, at random %(at_random)s") % {
        "deeper": f"{study.deeper:,}",
        "at_random": f"{study.at_random:,}",
    }
    if at_random.graded:
        beyond += f" of {at_random.graded:,} ({percent(study.at_random, at_random.graded)})"
    if study.stands_for is not None and study.weighted is not None:
        beyond += gettext(
            ". Each of these stands for %(stands_for)s of the %(pool)s moments of the pool; "
            "counted so, %(weighted)s of all relevant moments lie at ranks 1 to %(depth)s%(between)s"
        ) % {
            "stands_for": f"{study.stands_for:,.1f}",
            "pool": f"{study.pool:,}",
            "weighted": percent_of(study.weighted),
            "depth": f"{study.depth:,}",
            "between": _between(study.weighted_low, study.weighted_high),
        }
    return gettext(
        "Of %(found)s relevant moments found for %(queries)s queries, %(within)s "
        "(%(found_2)s) lie at ranks 1 to %(depth)s, to which the collection is "
        "judged%(between)s. %(beyond)s. %(relevant)s n = %(graded)s pairs in consensus."
    ) % {
        "found": f"{study.found:,}",
        "queries": f"{study.queries:,}",
        "within": f"{study.within:,}",
        "found_2": percent(study.within, study.found),
        "depth": f"{study.depth:,}",
        "between": _between(study.low, study.high),
        "beyond": beyond,
        "relevant": relevant,
        "graded": f"{graded:,}",
    }


def _between(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return gettext(
        ", between %(low)s and %(high)s with %(value)s %% confidence (%(value_2)s resamples of the queries)"
    ) % {
        "low": percent_of(low),
        "high": percent_of(high),
        "value": f"{100 * LEVEL:.0f}",
        "value_2": f"{RESAMPLES:,}",
    }


def _by_query(study: DepthStudy) -> Figure:
    title = gettext("How deep each query's relevant moments lie")
    names = [name.replace("-", "\u2013") for name in study.wide]
    headings = ["query", "text"]
    for name in study.wide:
        key = name.replace("-", "_")
        headings += [f"relevant_{key}", f"graded_{key}"]
    rows: list[list[Cell]] = []
    for query in study.by_query:
        cells: list[Cell] = [query.query, query.text]
        for relevant, graded in zip(query.relevant, query.graded, strict=True):
            cells += [relevant, graded]
        rows.append(cells)
    return Figure(
        DEPTH_KEYS[3],
        title,
        gettext(
            "A bar a query: its relevant moments (graded %(value)s or more) by where they lie. "
            "%(queries_deeper)s of %(queries)s queries have one beyond rank %(depth)s."
        )
        % {
            "value": RELEVANT_FROM,
            "queries_deeper": f"{study.queries_deeper:,}",
            "queries": f"{study.queries:,}",
            "depth": f"{study.depth:,}",
        },
        headings,
        rows,
        lambda inks: counted_rows(
            [(_label(query.query, query.text), query.relevant) for query in study.by_query],
            ["at random" if name == "random" else f"ranks {name}" for name in names],
            inks,
            title=title,
            x_label=gettext("relevant moments"),
        ),
    )


def _label(position: int, text: str) -> str:
    label = f"{position}. {text}"
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1].rstrip()}\u2026"


def percent_of(share: float) -> str:
    """A share in [0, 1] in words.

    >>> percent_of(0.8812), percent_of(1.0)
    ('88.12\\xa0%', '100.00\\xa0%')
    """
    return f"{100 * share:.2f}\u00a0%"
