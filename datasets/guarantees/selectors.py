"""An estimated board in the reader's language, and as files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.formats import number_format
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.figure_tables import on_page
from datasets.guarantees.truths import ALL, IN_ORDER, PLAN
from datasets.leaderboard.selectors import PRIMARY
from datasets.models import BoardEstimate
from datasets.templatetags.measures import as_measure
from evaluation.figures.intervals import intervals
from evaluation.guarantees.assisted_mean import FEWEST
from foundation.infra.csv_download import csv_download
from foundation.infra.csv_escape import safe_row
from foundation.infra.list_pages import numbered_page

PAGE = 25
"""Differences on a page."""
COLUMNS = (
    *("how", "measure", "kind", "run", "less", "family", "estimate", "low", "high", "simultaneous_low"),
    *("simultaneous_high", "people_only", "people_only_low", "people_only_high", "machine_only", "weight", "settled"),
    *("more_queries_fewest", "more_queries_about", "more_queries_most"),
)
ENDS = ("estimate", "low", "high")


def measure_asked(result: Mapping[str, Any], asked: str) -> str:
    """The measure that is asked for, the boards' primary one, or the first."""
    measures: list[str] = result["measures"]
    return next((name for name in (asked, PRIMARY) if name in measures), measures[0])


def estimate_facts(result: Mapping[str, Any], sent: Mapping[str, str]) -> dict[str, Any]:
    """What the page says of a result. Args: sent: the address's parameters: `measure`, and the page of differences."""
    measure = measure_asked(result, sent.get("measure", ""))
    board = result["boards"][measure]
    page = numbered_page([_difference(board, own) for own in _near_first(board)], sent, size=PAGE)
    return {
        "measure": measure,
        "measures": [(name, as_measure(name)) for name in result["measures"]],
        "settled": settled(board),
        "warnings": warnings(result),
        "bias": bias(result["judge"]["name"], board),
        "sources": sources(result),
        "orders": orders(result["judge"]["family"], board["family"]),
        "systems": [{**own, "family": result["families"].get(own["run"], "")} for own in board["runs"]],
        "page": page,
        "drawn": on_page(figure(result, measure)),
    }


def settled(board: Mapping[str, Any]) -> str:
    """Which orders are settled, and what would settle the rest: `Board.in_words` in the reader's language."""
    rest, every = board["rest"], len(board["differences"])
    values = {
        "chain": board["chain"],
        "settled": _whole(sum(own["settled"] for own in board["differences"])),
        "orders": _whole(every),
    }
    if not every:
        return _("There is one run, so there is no order to settle.")
    if rest is None:
        return _("All orders are settled: %(chain)s.") % values
    said = _("%(settled)s of %(orders)s orders are settled: %(chain)s.") % values
    if rest["about"] is None:
        return said + " " + _("These queries are too few to settle the rest, whoever judges them.")
    more = ngettext(
        "About %(about)s more query that people judge settles the rest: %(fewest)s if the differences are as large as "
        "their intervals allow, %(most)s if as small.",
        "About %(about)s more queries that people judge settle the rest: %(fewest)s if the differences are as large as "
        "their intervals allow, %(most)s if as small.",
        rest["about"],
    ) % {
        "about": _whole(rest["about"]),
        "fewest": _whole(rest["fewest"]),
        "most": _("all that there are") if _is_all(board, rest) else _whole(rest["most"]),
    }
    return f"{said} {more}"


def _is_all(board: Mapping[str, Any], more: Mapping[str, Any]) -> bool:
    """Whether, for as small a difference as may be, all queries that are left have to be judged."""
    return more["most"] is None or more["most"] >= board["queries"] - board["judged"]


def warnings(result: Mapping[str, Any]) -> list[str]:
    """What makes the intervals hold less, or the machine help less, before any figure."""
    sample, said = result["sample"], []
    if sample["kind"] not in (ALL, IN_ORDER, PLAN):
        said.append(
            _(
                "Nothing here says that the queries which people judged are a random draw from all: %(skipped)s before "
                "the last judged one aren't judged. The intervals hold only if whether a query was judged had nothing "
                "to do with what it is."
            )
            % {"skipped": _whole(sample["skipped"])}
        )
    if sample["judged"] < FEWEST and sample["kind"] != ALL:
        said.append(
            _(
                "People judged %(judged)s queries. Fewer than %(fewest)s can't say how far to follow a machine, so it "
                "isn't followed."
            )
            % {"judged": _whole(sample["judged"]), "fewest": FEWEST}
        )
    said.extend(
        _(
            "%(run)s is left out: it answers %(own)s of the queries that people judged and %(others)s of the others, "
            "so what it scores by the machine depends on which were judged. Upload it over all queries of the split."
        )
        % {"run": own["run"], "own": _whole(own["judged"]), "others": _whole(own["others"])}
        for own in result["left_out"]
    )
    if result["rankers"]:
        sentence = _(
            "%(ranker)s ranked candidates here and is of the judge's family: what both overlook nobody judges."
        )
        said.append(sentence % {"ranker": ", ".join(result["rankers"])})
    return said


def bias(judge: str, board: Mapping[str, Any]) -> str:
    """How the machine grades beside people."""
    above, kappa = board["machine_above"], board["kappa"]
    if above is None:
        return _("No pair was graded by both people and %(judge)s, so how it grades can't be said.") % {"judge": judge}
    sentence = (
        _("%(judge)s grades %(by)s above people on the %(pairs)s pairs that both graded; quadratic kappa %(kappa)s.")
        if above >= 0
        else _(
            "%(judge)s grades %(by)s below people on the %(pairs)s pairs that both graded; quadratic kappa %(kappa)s."
        )
    )
    return sentence % {
        "judge": judge,
        "by": number_format(abs(above), 2),
        "pairs": _whole(board["pairs"]),
        "kappa": _two_digits(kappa),
    }


def sources(result: Mapping[str, Any]) -> list[str]:
    """What was judged by whom, and how the queries for people were chosen."""
    sample, machine = result["sample"], result["machine"]
    chosen = {
        ALL: _("People judged all %(queries)s queries of the split that have candidates."),
        IN_ORDER: _(
            "People judged %(judged)s of %(queries)s queries: the first in the order of a random draw, which is a "
            "random draw itself if judging didn't end because of what the scores were."
        ),
        PLAN: _("People judged %(judged)s of %(queries)s queries, drawn at random by the collection's sampling plan."),
    }.get(sample["kind"], _("People judged %(judged)s of %(queries)s queries."))
    said = [chosen % {"judged": _whole(sample["judged"]), "queries": _whole(sample["queries"])}]
    if sample["kind"] == ALL:
        said.append(
            _(
                "So their scores are known, and a machine adds nothing: intervals have no width. Whether a difference "
                "holds for other such queries is what the leaderboard's test is about."
            )
        )
    values = {
        "pairs": _whole(machine["pairs"]),
        "judge": result["judge"]["name"],
        "abstained": _whole(machine["abstained"]),
    }
    said.append(_("%(judge)s graded %(pairs)s pairs of all these queries.") % values)
    if machine["abstained"]:
        said.append(_("It abstained on %(abstained)s, which count as unjudged in its part.") % values)
    if machine["deeper"]:
        said.append(
            _("%(deeper)s answers below rank %(depth)s don't count: it hasn't answered so far down for every query.")
            % {"deeper": _whole(machine["deeper"]), "depth": machine["depth"]}
        )
    return said


def orders(family: str, own: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """Sentences about the order by the machine alone and about its family's runs, each with whether it warns."""
    if own["tau"] is None:
        return []
    values = {
        "tau": _two_digits(own["tau"]),
        "family": family,
        "runs": ", ".join(own["of_family"]),
        "without": _two_digits(own["tau_without"]),
    }
    if not own["of_family"]:
        sentence = _(
            "The machine alone orders the runs as people do with Kendall's tau %(tau)s. No run declares the judge's "
            "family, %(family)s."
        )
        return [(sentence % values, False)]
    sentence = _(
        "The machine alone orders the runs as people do with Kendall's tau %(tau)s; without the runs of its family "
        "(%(family)s: %(runs)s) with %(without)s."
    )
    said = [(sentence % values, False)]
    if own["suspect"]:
        above = own["ranks_above"] or 0
        warned = (
            _(
                "It judges its own family otherwise: by its grades alone these runs stand %(ranks)s ranks above where "
                "people put them. The intervals are corrected for that, the machine's own order isn't."
            )
            if above >= 0
            else _(
                "It judges its own family otherwise: by its grades alone these runs stand %(ranks)s ranks below where "
                "people put them. The intervals are corrected for that, the machine's own order isn't."
            )
        )
        said.append((warned % {"ranks": number_format(abs(above), 1)}, True))
    return said


def _near_first(board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The differences, those of neighbours first; the run with the better estimate stands first in each."""
    place = {own["run"]: number for number, own in enumerate(board["runs"])}
    return sorted(
        board["differences"], key=lambda own: (place[own["second"]] - place[own["first"]], place[own["first"]])
    )


def _difference(board: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    return {**own, "most_is_all": own["more"] and _is_all(board, own["more"])}


def figure(result: Mapping[str, Any], measure: str) -> str:
    """Each run's interval with the machine's help and by people alone, as SVG."""
    board = result["boards"][measure]
    rows = {
        own["run"]: [(ends["estimate"], ends["low"], ends["high"]) for ends in (own, own["people_only"])]
        for own in board["runs"]
    }
    return intervals(
        rows,
        kinds=(_("with %(judge)s") % {"judge": result["judge"]["name"]}, _("people alone")),
        title=_("%(release)s %(split)s, estimated with a machine's help")
        % {"release": result["release"], "split": result["split"]},
        x_label=measure,
        note=_("95 %% intervals; people judged %(judged)s of %(queries)s queries; no ground truth")
        % {"judged": _whole(board["judged"]), "queries": _whole(board["queries"])},
    )


def estimate_file(job: BoardEstimate, ending: str, measure: str = "") -> HttpResponseBase:
    """A result as JSON, CSV, or the figure of a measure as SVG. Raises: Http404 for another, or before there is one."""
    result = job.result
    if result is None:
        raise Http404("no estimate yet")
    stem = f"{result['collection']}-{slugify(result['release'])}-{result['split']}-estimated-with-a-machine-{job.pk}"
    if ending == "csv":
        return csv_download(stem, COLUMNS, _rows(result), line_end="\n")
    if ending == "json":
        answer: HttpResponse = JsonResponse(result, json_dumps_params={"indent": 1})
    elif ending == "svg":
        drawn = figure(result, measure_asked(result, measure))
        answer = HttpResponse(drawn, content_type="image/svg+xml; charset=utf-8")
    else:
        raise Http404("no such file")
    answer["Content-Disposition"] = f'attachment; filename="{stem}.{ending}"'
    return answer


def _rows(result: Mapping[str, Any]) -> Iterator[list[Any]]:
    for measure, board in result["boards"].items():
        for own in board["runs"]:
            names = safe_row([own["run"], "", result["families"].get(own["run"], "")])
            alone = [own["people_only"][key] for key in ENDS]
            yield [
                *(result["what"], measure, "run", *names, *(own[key] for key in ENDS), "", "", *alone),
                *(own["machine_only"], own["weight"], "", "", "", ""),
            ]
        for own in board["differences"]:
            alone, more = [own["people_only"][key] for key in ENDS], own["more"] or {}
            yield [
                *(result["what"], measure, "difference", *safe_row([own["first"], own["second"], ""])),
                *(*(own[key] for key in ENDS), *own["simultaneous"], *alone, "", "", own["settled"]),
                *(more.get(key) for key in ("fewest", "about", "most")),
            ]


def _two_digits(number: float | None) -> str:
    return "–" if number is None else number_format(number, 2)


def _whole(number: int) -> str:
    return number_format(number, force_grouping=True)
