"""Figures of a depth study: relevance by rank, depth at which each query finds its moments."""

from django.utils.translation import gettext

from annotation.studies.depth import LEVEL, RELEVANT_FROM, RESAMPLES, DepthStudy
from desk.figures.catalogue import Cell, Figure
from desk.figures.drawing import GradeColumn, counted_rows, grades_along, percent
from desk.figures.inks import Inks
from desk.figures.scatter import ScatterPoint, scatter

DEPTH_KEYS = ("scatter-by-similarity", "scatter-by-rank", "relevance-by-depth", "depth-by-query")
LONGEST_LABEL = 34


def depth_figures(found: DepthStudy) -> list[Figure]:
    """All of them, `DEPTH_KEYS`; the paper's Figures 4a and 4b first."""
    return [_scatter(found, DEPTH_KEYS[0]), _scatter(found, DEPTH_KEYS[1]), _by_rank(found), _by_query(found)]


def _scatter(found: DepthStudy, key: str) -> Figure:
    by_rank = key == DEPTH_KEYS[1]
    title = gettext("Relevance and rank") if by_rank else gettext("Relevance and similarity")
    relevant = [one for one in found.moments if one.grade >= RELEVANT_FROM]
    unrelated = len(found.moments) - len(relevant)

    def draw(inks: Inks) -> str:
        points = [ScatterPoint(one.rank if by_rank else one.similarity, one.grade, one.query - 1) for one in relevant]
        top_grade = len(found.stretches[0].counts) - 1
        names = [_label(one.query, one.text) for one in found.by_query]
        return scatter(
            points,
            inks,
            title=title,
            x_label=gettext("rank by similarity (logarithmic)")
            if by_rank
            else gettext("similarity of query and caption"),
            names=names,
            grades=range(RELEVANT_FROM, top_grade + 1),
            marks=(found.depth, found.ranked) if by_rank else (),
            logarithmic=by_rank,
        )

    deeper = sum(one.rank > found.ranked for one in relevant)
    said = gettext("Each relevant moment (grades %(value)s and above, n = %(count)s), a colour a query") % {
        "count": f"{len(relevant):,}",
        "value": RELEVANT_FROM,
    }
    if by_rank:
        said += gettext(
            ", at its rank among all moments; the lines are at ranks %(depth)s, to which the "
            "collection is judged, and %(ranked)s, beyond which moments were drawn at random "
            "(%(deeper)s of them relevant)"
        ) % {"depth": f"{found.depth:,}", "ranked": f"{found.ranked:,}", "deeper": f"{deeper:,}"}
    return Figure(
        key,
        title,
        gettext("%(said)s. Moments of grade 0 (n = %(unrelated)s) are in the data alone.")
        % {"said": said, "unrelated": f"{unrelated:,}"},
        ["query", "rank", "similarity", "grade", "at_random"],
        [
            [one.query, one.rank, _rounded(one.similarity), one.grade, int(one.rank > found.ranked)]
            for one in found.moments
        ],
        draw,
    )


def _by_rank(found: DepthStudy) -> Figure:
    title = gettext("Relevance by depth")
    graded = sum(one.graded for one in found.stretches)
    top_grade = len(found.stretches[0].counts) - 1

    def draw(inks: Inks) -> str:
        columns = [GradeColumn(one.name.replace("-", "\u2013"), one.counts, one.mean) for one in found.stretches]
        label = gettext("rank of the moment; on the right, moments at random from beyond the ranked ones")
        return grades_along(columns, inks, title=title, x_label=label, n=graded, apart=1)

    return Figure(
        DEPTH_KEYS[2],
        title,
        _said(found, graded),
        ["ranks", "graded", "mean_grade", "share_relevant", *(f"grade_{grade}" for grade in range(top_grade + 1))],
        [[one.name, one.graded, _rounded(one.mean), _rounded(one.relevant), *one.counts] for one in found.stretches],
        draw,
    )


def _said(found: DepthStudy, graded: int) -> str:
    if not graded:
        return gettext("No pair is graded yet.")
    relevant = gettext("Relevant are grades from %(value)s on.") % {"value": RELEVANT_FROM}
    if not found.found:
        return gettext("None of the moments graded so far (n = %(graded)s) is relevant. %(relevant)s") % {
            "graded": f"{graded:,}",
            "relevant": relevant,
        }
    at_random = found.stretches[-1]
    between = (
        gettext(", between %(low)s and %(high)s with %(value)s %% confidence (%(value_2)s resamples of the queries)")
        % {
            "low": percent_of(found.low),
            "high": percent_of(found.high),
            "value": f"{100 * LEVEL:.0f}",
            "value_2": f"{RESAMPLES:,}",
        }
        if found.low is not None and found.high is not None
        else ""
    )
    beyond = gettext("At later ranks are %(deeper)s, at random %(at_random)s") % {
        "deeper": f"{found.deeper:,}",
        "at_random": f"{found.at_random:,}",
    }
    if at_random.graded:
        beyond += f" of {at_random.graded:,} ({percent(found.at_random, at_random.graded)})"
    return gettext(
        "Of %(found)s relevant moments found for %(queries)s queries, %(within)s "
        "(%(found_2)s) lie at ranks 1 to %(depth)s, to which the collection is "
        "judged%(between)s. %(beyond)s. %(relevant)s n = %(graded)s pairs in consensus."
    ) % {
        "found": f"{found.found:,}",
        "queries": f"{found.queries:,}",
        "within": f"{found.within:,}",
        "found_2": percent(found.within, found.found),
        "depth": f"{found.depth:,}",
        "between": between,
        "beyond": beyond,
        "relevant": relevant,
        "graded": f"{graded:,}",
    }


def _by_query(found: DepthStudy) -> Figure:
    title = gettext("How deep each query's relevant moments lie")
    names = [name.replace("-", "\u2013") for name in found.wide]
    headings = ["query", "text"]
    for name in found.wide:
        key = name.replace("-", "_")
        headings += [f"relevant_{key}", f"graded_{key}"]
    rows: list[list[Cell]] = []
    for one in found.by_query:
        cells: list[Cell] = [one.query, one.text]
        for relevant, graded in zip(one.relevant, one.graded, strict=True):
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
            "queries_deeper": f"{found.queries_deeper:,}",
            "queries": f"{found.queries:,}",
            "depth": f"{found.depth:,}",
        },
        headings,
        rows,
        lambda inks: counted_rows(
            [(_label(one.query, one.text), one.relevant) for one in found.by_query],
            ["at random" if name == "random" else f"ranks {name}" for name in names],
            inks,
            title=title,
            x_label=gettext("relevant moments"),
        ),
    )


def _label(position: int, text: str) -> str:
    said = f"{position}. {text}"
    return said if len(said) <= LONGEST_LABEL else f"{said[: LONGEST_LABEL - 1].rstrip()}\u2026"


def percent_of(share: float) -> str:
    """A share in [0, 1] in words.

    >>> percent_of(0.8812), percent_of(1.0)
    ('88.12\\xa0%', '100.00\\xa0%')
    """
    return f"{100 * share:.2f}\u00a0%"


def _rounded(value: float | None) -> Cell:
    return None if value is None else round(value, 6)
