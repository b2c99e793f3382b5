"""A certificate as a release's page shows it, to leads with the systems' names, to the public without."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from datasets.models import Certificate
from evaluation.pooling.certificate import FEW_UNJUDGED

WIDTH = 100.0
"""Of a bar's drawing, for tau 1."""
VALUE = 0.8
"""How wide the mark of a tau is drawn."""


def without_names(results: Mapping[str, Any]) -> dict[str, Any]:
    """The results with numbers for the names of systems and teams: whoever made a run decides who reads its name."""
    nameless = {}
    for split, figures in results.items():
        runs = {run["run"]: f"run {number}" for number, run in enumerate(figures["runs"], start=1)}
        teams: dict[str, str] = {}
        for run in figures["runs"]:
            teams.setdefault(run["team"], f"team {len(teams) + 1}")
        nameless[split] = {
            **figures,
            "runs": [{**run, "run": runs[run["run"]], "team": teams[run["team"]]} for run in figures["runs"]],
            "without_run": _renamed(figures["without_run"], runs, runs),
            "without_team": _renamed(figures["without_team"], teams, runs),
            **({"fragility": _nameless(figures["fragility"], runs)} if figures.get("fragility") else {}),
        }
    return nameless


def _nameless(fragility: Mapping[str, Any], runs: Mapping[str, str]) -> dict[str, Any]:
    """Without the judged pairs, too: their grades are the ground truth, which whoever published may not give away."""
    pairs = [{**pair, **{place: runs[pair[place]] for place in ("first", "second")}} for pair in fragility["pairs"]]
    moving = [
        {
            "run": runs[own["run"]],
            "moved": own["moved"],
            "moves": {runs[name]: moved for name, moved in own["moves"].items()},
        }
        for own in fragility["moving"]
    ]
    return {**fragility, "pairs": pairs, "moving": moving}


def _renamed(
    rows: Sequence[Mapping[str, Any]], names: Mapping[str, str], runs: Mapping[str, str]
) -> list[dict[str, Any]]:
    return [{**row, "name": names[row["name"]], "runs": [runs[run] for run in row["runs"]]} for row in rows]


def as_file(certificate: Certificate, results: Mapping[str, Any]) -> dict[str, Any]:
    """A certificate as JSON for other programs: of which release, over which runs, and what was found of each split.

    Args: results: the certificate's, or these `without_names`: then it doesn't say which files the runs are.
    """
    release = certificate.release
    facts = {"collection": release.collection.name, "release": release.name, "content_hash": release.content_hash}
    named = {"systems": certificate.systems} if results is certificate.results else {}
    return {**facts, "computed_at": certificate.finished_at, **named, "splits": results}


def certificate_context(certificate: Certificate, results: Mapping[str, Any]) -> dict[str, Any]:
    """What the page says of a certificate that is computed, split by split.

    Args: results: the certificate's, or these `without_names`.
    """
    return {"as_of": certificate.finished_at, "splits": [_split(split, figures) for split, figures in results.items()]}


def _split(split: str, figures: Mapping[str, Any]) -> dict[str, Any]:
    teams = {run["team"] for run in figures["runs"]}
    several = figures["verdict"]["left_out"] == "team" and len(teams) < len(figures["runs"])
    rows = figures["without_team"] if several else figures["without_run"]
    return {
        "split": split,
        "advice": _advice(figures["verdict"]),
        "systems": len(figures["runs"]),
        "teams": len(teams) if several else 0,
        "measure": figures["measure"],
        "iou": figures["iou"],
        "depth": figures["depth"],
        "figures": [
            {"value": number_format(figures["relevant"], force_grouping=True), "name": _("relevant moments")},
            {
                "value": percent(figures["single_share"]),
                "name": _("of those that runs returned come from one run alone"),
            },
            {
                "value": number_format(figures["elsewhere"], force_grouping=True),
                "name": _("relevant moments that no run returned"),
            },
            {
                "value": number_format(figures["next_judgments"]["left"], force_grouping=True),
                "name": _("unjudged moments that runs returned"),
            },
        ],
        "bars": [_bar(row) for row in rows],
        "rows": [
            *(_left_out(row, row["name"]) for row in figures["without_run"]),
            *(_left_out(row, _("%(name)s (team)") % {"name": row["name"]}) for row in rows if several),
        ],
        "runs": [{**run, "unjudged": [percent(share) for share in run["unjudged"]]} for run in figures["runs"]],
        "depths": figures["depths"],
        "next": _next(figures["next_judgments"]),
        "fragility": figures.get("fragility"),  # none in certificates from before there was one
    }


def _bar(row: Mapping[str, Any]) -> dict[str, Any]:
    low, high = (_width(row[name]) for name in ("low", "high"))
    at = min(_width(row["tau"]), WIDTH - VALUE)
    return {"name": row["name"], "tau": row["tau"], "x": at, "low": low, "width": max(0.0, high - low)}


def _left_out(row: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**row, "name": name, "score_lost": percent(row["score_lost"])}


def _width(share: float | None) -> float:
    return round(WIDTH * min(1.0, max(0.0, share or 0.0)), 2)


def percent(share: float | None) -> str:
    """A share of 1 in the reader's language; a dash for none."""
    return "–" if share is None else _("%(share)s %%") % {"share": number_format(round(100 * share, 1), 1)}


def _advice(verdict: Mapping[str, Any]) -> str:
    """The verdict in the reader's language; `evaluation.pooling.certificate.advice` has it in English."""
    words = {
        "tied": gettext_lazy("The systems are all tied, so nothing can be said about others."),
        "stable": gettext_lazy(
            "Systems that had no part in the pool can be scored if they are of the kinds that are here: whichever is "
            "left out, the order stays (tau at least %(tau)s)."
        ),
        "doubtful": gettext_lazy(
            "The order of systems stays whichever is left out (tau at least %(tau)s). %(doubts)s Compare a new system "
            "by measures that leave unjudged moments out, or judge its moments first."
        ),
        "closed": gettext_lazy(
            "Only the systems that are here can be compared: the order changes with what is left out (tau down to "
            "%(tau)s). Judge a new system's moments before you score it."
        ),
    }
    lost, doubts = verdict["ranks_lost"], []
    if lost > 1:
        doubts.append(_("But a left-out system lost up to %(ranks)s ranks.") % {"ranks": lost})
    if verdict["unjudged"] > FEW_UNJUDGED:
        share = percent(verdict["unjudged"])
        doubts.append(_("But up to %(share)s of a system's first 10 are unjudged.") % {"share": share})
    values = {
        "tau": "" if verdict["tau"] is None else number_format(verdict["tau"], 2),
        "doubts": " ".join(doubts),
    }
    return str(words[verdict["kind"]]) % values


def _next(more: Mapping[str, Any]) -> str:
    if not more["left"]:
        return _("Every moment of the runs is judged.")
    if more["found"] is None:
        return _(
            "What further judgments would find can't be estimated: of the judged moments all are relevant, or none is."
        )
    names = ("judgments", "found", "low", "high")
    values = {name: number_format(round(more[name]), force_grouping=True) for name in names}
    sentence = ngettext(
        "Another %(judgments)s judgment would likely find %(found)s relevant moments (95 %%: %(low)s to %(high)s), "
        "if unjudged moments are like the judged ones that the runs rank alike.",
        "Another %(judgments)s judgments would likely find %(found)s relevant moments (95 %%: %(low)s to %(high)s), "
        "if unjudged moments are like the judged ones that the runs rank alike.",
        more["judgments"],
    )
    return sentence % values
