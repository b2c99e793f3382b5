"""``certificate``: how far a ground truth can be trusted for systems that had no part in its pool."""

from __future__ import annotations

import csv
import json
import math
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from functools import partial
from pathlib import Path

from evaluation.commands.inputs import (
    add_ground_truth_and_runs,
    add_pool_arguments,
    add_resampling,
    count,
    counted,
    plain,
    read_all,
    show_progress,
    usual_measure,
)
from evaluation.errors import EvaluationError, InputError, shown
from evaluation.pooling.certificate import CUTOFFS, Certificate, LeftOut, certify
from evaluation.pooling.certificate_figure import certificate_figure
from evaluation.reading.json_stream import open_text
from evaluation.tables import figure, table

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
    found = certify(
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
        progress=partial(show_progress, what="orders"),
    )
    if options.figures:
        _write(options.figures, found)
    if options.json:
        print(json.dumps(plain(asdict(found)), indent=1))
        return
    print(in_words(found))


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


def in_words(found: Certificate) -> str:
    """The certificate as text with tables."""
    lines = [
        f"{found.ground_truth}: {counted(found.queries, 'query')}, {counted(found.relevant, 'relevant moment')}",
        f"{counted(len(found.runs), 'run')} to depth {found.depth}, IoU >= {found.iou:g}; ordered by {found.measure}",
        "",
        found.advice,
        "",
        f"Relevant moments that no run returned: {found.elsewhere:,}; "
        f"that one run alone returned: {_percent(found.single_share)} of those returned",
        "",
        table(
            ["run", "team", *(f"unjudged@{cutoff}" for cutoff in CUTOFFS), "relevant, its alone"],
            [[run.run, run.team, *map(_percent, run.unjudged), f"{run.unique:,}"] for run in found.runs],
        ),
        "",
        table(
            ["without run", "judged", "relevant", "tau", "95 % interval", "ranks lost", "score lost"],
            [_row(one) for one in found.without_run],
        ),
        "",
        table(
            ["without team", "judged", "relevant", "tau", "95 % interval", "ranks lost", "score lost"],
            [_row(one) for one in found.without_team],
        ),
        "",
        table(
            ["pool to depth", "moments", "judged", "relevant"],
            [[str(row.depth), f"{row.moments:,}", f"{row.judged:,}", f"{row.relevant:,}"] for row in found.depths],
        ),
        "",
        _next(found),
    ]
    return "\n".join(lines)


def _next(found: Certificate) -> str:
    more = found.next_judgments
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


def _row(one: LeftOut) -> list[str]:
    interval = "-" if math.isnan(one.low) else f"[{one.low:.3f}, {one.high:.3f}]"
    return [
        one.name,
        f"-{one.removed:,}",
        f"-{one.relevant:,}",
        figure(one.tau),
        interval,
        str(one.ranks_lost),
        f"{one.score_lost:.1%}",
    ]


def _percent(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.1%}"


def _write(folder: Path, found: Certificate) -> None:
    said = plain(asdict(found))
    drawn = certificate_figure(said)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "certificate.svg").write_text(drawn, encoding="utf-8")
        (folder / "certificate.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
        (folder / "certificate.txt").write_text(in_words(found) + "\n", encoding="utf-8")
    except OSError as error:
        raise EvaluationError(f"{folder} cannot be written: {error.strerror}") from error
