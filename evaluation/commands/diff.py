"""``diff``: what runs return differently."""

from __future__ import annotations

import csv
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ..commands.inputs import add_pool_arguments, add_run_format, read_runs, seed
from ..commands.outputs import note, print_json, show_progress, warn, writing
from ..formats.table import TABLES_FORMATS, Cell, Table
from ..moments.ground_truth import GroundTruth
from ..moments.run import Run
from ..pooling.differences import Differences, PairApart, differences, pooled_moments, queries_of
from ..reading import read_ground_truth
from ..scores.warnings import about_run
from ..texts import counted

NAME = "diff"
MOST_NAMED = 20
"""Queries that not every run answers, by their ids."""
HELP = "Say what runs return differently: queries, moments of one alone, overlap, order, gains and losses."


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="a system's ranked moments, two or more")
    truth = "judged moments, by which queries gain and lose; its queries are those compared"
    parser.add_argument("--ground-truth", type=Path, metavar="FILE", help=truth)
    add_pool_arguments(parser)
    most = "queries named of each two runs, of gains and losses each (5); 0: none"
    parser.add_argument("--most", type=seed, default=5, metavar="N", help=most)
    pool = "write the pool of the runs there, as CSV: each moment with its rank in every run"
    parser.add_argument("--moments", type=Path, metavar="FILE", help=pool)
    add_run_format(parser)
    parser.add_argument("--output", choices=list(TABLES_FORMATS), default="text", help="(text)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def perform(options: Namespace) -> None:
    """Read, compare, print, write."""
    truth = read_ground_truth(options.ground_truth) if options.ground_truth else None
    runs = read_runs(options, options.runs, *([] if truth is None else [truth]))
    known = truth or queries_of(runs)
    for run in runs:
        warn(options, about_run(run, known))
    if options.measure and truth is None:
        note("--measure needs --ground-truth, and was ignored")
    if options.relevant != 1 and truth is None:
        note("--relevant needs --ground-truth, and was ignored")
    found = differences(
        runs,
        truth,
        measure=options.measure,
        iou=options.iou,
        depth=options.depth,
        least_grade=options.relevant,
        most=options.most,
        progress=partial(show_progress, what="queries"),
    )
    if options.moments:
        _write_moments(options, known, runs)
    if options.json:
        print_json(found)
    else:
        print(TABLES_FORMATS[options.output](sections(found)))


def _write_moments(options: Namespace, truth: GroundTruth, runs: Sequence[Run]) -> None:
    with writing(options.moments), options.moments.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["query_id", "video_name", "start", "end", "relevance", "runs", *(run.name for run in runs)])
        for *moment, grade, ranks in pooled_moments(truth, runs, iou=options.iou, depth=options.depth):
            rows.writerow([*moment, grade, sum(rank is not None for rank in ranks), *ranks])


def sections(found: Differences) -> list[Table]:
    """The whole comparison, in tables."""
    scored = found.measure is not None
    about = (
        f"{counted(found.queries, 'query')}, the first {found.depth:,} ranks of {len(found.systems)} runs: "
        f"{sum(found.moments):,} moments in all. Spans of a query and video that overlap by at least {found.iou:g} are "
        "one moment."
    )
    parts = [
        Table(
            "Runs",
            about,
            [
                "run",
                "queries",
                "moments",
                "of it alone",
                *(["of these relevant", found.measure or ""] if scored else []),
            ],
            [
                [own.run, own.queries, own.moments, own.alone, *([own.relevant_alone, own.value] if scored else [])]
                for own in found.systems
            ],
        ),
        Table(
            "Moments by the number of runs that have them",
            "",
            ["runs", "moments"],
            [[str(runs), moments] for runs, moments in enumerate(found.moments, start=1)],
        ),
        _of_pairs(found, scored),
    ]
    if found.unanswered:
        more = len(found.unanswered) - MOST_NAMED
        parts.append(
            Table(
                "Queries that not every run answers",
                f"The first {MOST_NAMED}, and {more:,} more; JSON has them by two runs." if more > 0 else "",
                ["query", "runs that don't"],
                [[query_id, ", ".join(names)] for query_id, names in list(found.unanswered.items())[:MOST_NAMED]],
            )
        )
    apart = [_of_query(pair, scored) for pair in found.pairs if pair.queries]
    if apart:
        heading, sentence = "Queries with the least overlap", ""
        if found.measure:
            heading = "Queries that gain and lose most"
            sentence = f"By {found.measure} of the first run less that of the second: greatest gains, then losses."
        values = ["first", "second", "difference"] if scored else []
        head = ["two runs / query", f"overlap@{found.depth}", *_MOMENTS, "tau", *values]
        parts.append(Table(heading, sentence, head, [row for rows in apart for row in rows]))
    return parts


_MOMENTS = ("first's alone", "both", "second's alone")


def _key(pair: PairApart) -> str:
    return f"{pair.first} / {pair.second}"


def _of_pairs(found: Differences, scored: bool) -> Table:
    cutoffs = list(found.pairs[0].overlap)
    values = ["difference", "wins", "losses", "ties"] if scored else []
    return Table(
        "Two runs",
        "Overlap: of the moments in the first ranks of either, the share in those of both; a mean over the queries "
        "that both answer. Tau: Kendall's, between the orders of the moments that both have.",
        [
            "two runs",
            *("both answer", "first only", "second only"),
            *(f"overlap@{k}" for k in cutoffs),
            *(*_MOMENTS, "tau", *values),
        ],
        [
            [
                _key(pair),
                *(pair.both_answer, len(pair.first_answers), len(pair.second_answers)),
                *(pair.overlap[k] for k in cutoffs),
                *(pair.first_alone, pair.both, pair.second_alone, pair.tau),
                *((pair.difference, pair.wins, pair.losses, pair.ties) if scored else ()),
            ]
            for pair in found.pairs
        ],
    )


def _of_query(pair: PairApart, scored: bool) -> list[list[Cell]]:
    return [
        [
            f"{_key(pair)} / {query.query_id}",
            *(query.overlap, query.first_alone, query.both, query.second_alone, query.tau),
            *((query.first_value, query.second_value, query.difference) if scored else ()),
        ]
        for query in pair.queries
    ]
