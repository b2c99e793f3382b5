"""``certificate``: how far a ground truth can be trusted for systems that had no part in its pool."""

from __future__ import annotations

import csv
import json
import math
from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from ..arrays import json_ready
from ..commands.fragility import tables as fragility_tables
from ..commands.inputs import add_ground_truth_and_runs, add_pool_arguments, add_resampling, count, read_all
from ..commands.outputs import print_json, show_progress, write_files
from ..commands.rule_options import stated_scale
from ..errors import InputError, shown
from ..figures.text_table import figure, table
from ..formats.table import TABLES_FORMATS
from ..measures.usual import usual_measure
from ..pooling.certificate import CUTOFFS, Certificate, LeftOut, certify
from ..pooling.certificate_figure import certificate_figure
from ..reading.json_stream import open_text
from ..texts import counted

NAME = "certificate"
HELP = "Leave systems and teams out of the pool: can the ground truth score systems that had no part in it?"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_ground_truth_and_runs(parser)
    parser.add_argument("--teams", type=Path, metavar="CSV", help="two columns, run and team (default: a team a run)")
    add_pool_arguments(parser)
    parser.add_argument("--more", type=count, default=1000, help="further judgments whose gain is estimated (1,000)")
    parser.add_argument("--figures", type=Path, metavar="FOLDER", help="write a figure and the table there")
    parser.add_argument("--json", action="store_true", help="print the certificate as JSON and nothing else")
    add_resampling(parser, draws=1000)


def perform(options: Namespace) -> None:
    """Read, leave out, print, draw."""
    ground_truth, runs = read_all(options)
    certificate = certify(
        ground_truth,
        runs,
        measure=options.measure or usual_measure(ground_truth),
        teams=_teams(options.teams) if options.teams else None,
        iou=options.iou,
        depth=options.depth,
        least_grade=options.relevant,
        more=options.more,
        draws=options.draws,
        seed=options.seed,
        scale=None if options.map_grades else stated_scale(options.ground_truth),
        progress=partial(show_progress, what="orders"),
        trying=partial(show_progress, what="parts of the other grades"),
    )
    if options.figures:
        _write(options.figures, certificate)
    if options.json:
        print_json(certificate)
        return
    print(in_words(certificate))


def _teams(path: Path) -> dict[str, str]:
    """Run -> team. Raises: InputError."""
    try:
        with open_text(path) as file:
            rows = list(csv.reader(file))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(path, "", found=str(error), expected="a CSV file in UTF-8") from error
    teams: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if not row or (number == 1 and [cell.strip().lower() for cell in row] == ["run", "team"]):
            continue
        if len(row) != 2 or not all(cell.strip() for cell in row):
            raise InputError(path, f"line {number}", found=shown(",".join(row)), expected="run,team")
        run, team = (cell.strip() for cell in row)
        if run in teams:
            raise InputError(path, f"line {number}", found=f"run {shown(run)} a second time", expected="each run once")
        teams[run] = team
    return teams


def in_words(certificate: Certificate) -> str:
    """The certificate as text with tables."""
    queries, relevant = counted(certificate.queries, "query"), counted(certificate.relevant, "relevant moment")
    runs, measure = counted(len(certificate.runs), "run"), certificate.measure
    lines = [
        f"{certificate.ground_truth}: {queries}, {relevant}",
        f"{runs} to depth {certificate.depth}, IoU >= {certificate.iou:g}; ordered by {measure}",
        "",
        certificate.advice,
        "",
        f"Relevant moments that no run returned: {certificate.elsewhere:,}; "
        f"that one run alone returned: {_percent(certificate.single_share)} of those returned",
        "",
        table(
            ["run", "team", *(f"unjudged@{cutoff}" for cutoff in CUTOFFS), "relevant, its alone"],
            [[run.run, run.team, *map(_percent, run.unjudged), f"{run.unique:,}"] for run in certificate.runs],
        ),
        "",
        table(
            ["without run", "judged", "relevant", "tau", "95 % interval", "ranks lost", "score lost"],
            [_row(left) for left in certificate.without_run],
        ),
        "",
        table(
            ["without team", "judged", "relevant", "tau", "95 % interval", "ranks lost", "score lost"],
            [_row(left) for left in certificate.without_team],
        ),
        "",
        table(
            ["pool to depth", "moments", "judged", "relevant"],
            [
                [str(row.depth), f"{row.moments:,}", f"{row.judged:,}", f"{row.relevant:,}"]
                for row in certificate.depths
            ],
        ),
        "",
        _next(certificate),
        *(["", TABLES_FORMATS["text"](fragility_tables(certificate.fragility))] if certificate.fragility else []),
    ]
    return "\n".join(lines)


def _next(certificate: Certificate) -> str:
    more = certificate.next_judgments
    if not more.left:
        return "Every moment of the pool is judged."
    if math.isnan(more.found):
        return (
            f"{more.left:,} moments of the pool are unjudged. What judging them would find can't be estimated: of its "
            "judged moments all are relevant, or none is."
        )
    return (
        f"{more.left:,} moments of the pool are unjudged. Another {counted(more.judgments, 'judgment')} would likely "
        f"find {more.found:,.0f} relevant moments ({more.low:,.0f} to {more.high:,.0f}), if unjudged moments are like "
        "the judged ones that the runs rank alike."
    )


def _row(left: LeftOut) -> list[str]:
    interval = "-" if math.isnan(left.low) else f"[{left.low:.3f}, {left.high:.3f}]"
    return [
        left.name,
        f"-{left.removed:,}",
        f"-{left.relevant:,}",
        figure(left.tau),
        interval,
        str(left.ranks_lost),
        f"{left.score_lost:.1%}",
    ]


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.1%}"


def _write(folder: Path, certificate: Certificate) -> None:
    data = json_ready(certificate)
    texts = {
        "certificate.svg": certificate_figure(data),
        "certificate.json": json.dumps(data, indent=1) + "\n",
        "certificate.txt": in_words(certificate) + "\n",
    }
    write_files(folder, texts)
