"""``plan``: how many queries people have to judge, before a pilot's successor is paid for."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import asdict

from ..commands.inputs import (
    add_ground_truth_and_runs,
    add_measures,
    count,
    measures_for,
    positive,
    read_all,
    seed,
    share,
)
from ..commands.outputs import print_json
from ..figures.text_table import table
from ..guarantees.plans import JUDGMENTS, KAPPAS, LEVEL, POWER, SECONDS, TYPICAL, Effort, Planned, plan
from ..pooling.lists import at_depth
from ..scores.conventions import convention_named
from ..texts import counted

NAME = "plan"
HELP = (
    "Plan a test set from a pilot: queries, hours and cost for a difference worth finding, with a machine or without."
)


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments of the command."""
    add_ground_truth_and_runs(parser)
    add_measures(parser)
    parser.add_argument("--smallest", type=share, required=True, metavar="D", help="the difference worth finding")
    parser.add_argument("--power", type=share, default=POWER, help=f"with which probability it is found ({POWER:g})")
    parser.add_argument("--level", type=share, default=LEVEL, help=f"of the intervals ({LEVEL:g})")
    parser.add_argument(
        "--kappas",
        type=positive,
        nargs="*",
        default=KAPPAS,
        metavar="K",
        help="of machines (0.4 0.6 0.8)",
    )
    queries = "the collection's queries, if scores of these alone are meant (of all such queries)"
    parser.add_argument("--queries", type=count, metavar="N", help=queries)
    parser.add_argument("--pairs", type=positive, metavar="N", help="pairs a query (as in the pilot)")
    parser.add_argument("--depth", type=count, metavar="D", help="as if the first D of each run alone had been judged")
    judgments = "judgments a pair; TVR-Ranking had 227,808 of 96,483 (2.36)"
    parser.add_argument("--judgments", type=positive, default=JUDGMENTS, metavar="N", help=judgments)
    seconds = "seconds a judgment, as TVR-Ranking's 1,200 hours make (19)"
    parser.add_argument("--seconds", type=positive, default=SECONDS, metavar="S", help=seconds)
    parser.add_argument("--pay", type=positive, metavar="PAY", help="of an hour, in any currency")
    parser.add_argument("--seed", type=seed, default=0, help="seed of the random numbers (0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")


def perform(options: Namespace) -> None:
    """Read, plan, print."""
    pilot, runs = read_all(options)
    if options.depth:
        pilot = at_depth(pilot, runs, options.depth)
    effort = Effort(options.pairs or len(pilot.grade) / len(pilot), options.judgments, options.seconds, options.pay)
    found = plan(
        pilot,
        runs,
        measures_for(options, pilot),
        smallest=options.smallest,
        effort=effort,
        power=options.power,
        level=options.level,
        kappas=options.kappas,
        queries=options.queries,
        seed=options.seed,
        convention=convention_named(options.convention),
    )
    if options.json:
        print_json({**asdict(found), "effort": effort})
        return
    print(f"{pilot.name}: a pilot of {counted(len(pilot), 'query')} and {counted(len(runs), 'run')}")
    which = f"these {options.queries:,}" if options.queries else "all such"
    print(
        f"to find a difference of {found.smallest:g} with the probability {found.power:g}, all orders at once at "
        f"{100 * found.level:g} %, in scores of {which} queries"
    )
    print(
        f"{effort.pairs:.1f} pairs a query, {effort.judgments:g} judgments a pair, {effort.seconds:g} s a judgment; "
        f"seed {options.seed}"
    )
    for measure in found.critical:
        print(f"\n{measure}, intervals of half width {found.half_width[measure]:.3f}\n")
        head = ["orders found", "machine", "queries for people", "as the pilot allows", "hours"]
        head += ["cost"] if effort.pay else []
        print(table(head, [_row(row, effort) for row in found.rows if row.measure == measure]))


def _row(row: Planned, effort: Effort) -> list[str]:
    cells = [
        "half" if row.share == TYPICAL else "all",
        "none" if row.kappa is None else f"kappa {row.kappa:g}",
        f"{row.queries:,}",
        f"{row.fewest:,} - {row.most:,}",
        f"{row.hours:,.0f}",
    ]
    return [*cells, *([] if effort.pay is None else ["-" if row.cost is None else f"{row.cost:,.0f}"])]
