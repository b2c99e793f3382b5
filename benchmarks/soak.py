"""A hundred people judge while the servers under them are killed: is all that was acknowledged stored, exactly once?

A site as script/server and script/worker start it, on a PostgreSQL and a Valkey of its own. Simulated people judge
collection after collection to the end, as the page does: undo, flags, two tabs, clocks that are minutes off, times
without a network, connections that break in the middle of a request or an answer, requests sent twice. A lead reviews
meanwhile. Web processes, the worker, the broker and the database are killed with kill -9 and started again. After
each collection the people's books are compared with the database row by row, all states with what the judgments say,
paid time with the clock, and what the processes hold is looked at.

    .venv/bin/python benchmarks/soak.py [--judgments N] [--minutes M] [--folder F] [--people N] [--seed S]
                                        [--without FAULT ...]

The first part of each run is calm: `ratios` holds the time for a judgment with all faults over that without any.
Exits with 1 and says what is wrong, and in which rows, if a rule is broken; Ctrl-C ends it with what it has. A million
judgments is `--judgments 1000000 --folder F`: what was ended by Ctrl-C or after M minutes goes on by the same command,
with the same site, collection and books, until the million is reached. Then F may be deleted.
"""

import argparse
import contextlib
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import parser, report, say, scratch_site
from benchmarks.soaking.faults import SERVERS
from benchmarks.soaking.plan import Plan
from benchmarks.soaking.soak import CONNECTIONS, PEOPLE, Soak
from benchmarks.soaking.soak_folder import NotTheFolder, SoakFolder

EACH = 100_000
"""Judgments of one collection: then it is finished, and everything is looked at. Near its end people wait for work."""
SMALL, FEW = 1_000, 30
"""Judgments and people of the short form."""
BETWEEN = 25
"""Judgments from kill to kill there: a worker starts while some hundred are given."""
INTERRUPTED = 130


def main() -> None:
    arguments = command_line()
    options = arguments.parse_args()
    plan = read_plan(options)
    try:
        with contextlib.ExitStack() as stack:
            kept = stack.enter_context(SoakFolder(options.folder, plan.lasting).open()) if options.folder else None
            options.kept = kept.site if kept else None
            home = stack.enter_context(scratch_site(options, broker=True))
            status = run(Soak(plan, home, kept))
    except NotTheFolder as fault:
        arguments.error(str(fault))
    sys.exit(status)


def run(soak: Soak) -> int:
    """To its end, or until Ctrl-C. Returns: the exit status."""

    def end(*_: object) -> None:
        say("it ends with what is under way; this takes some seconds")
        soak.stopping = True

    # Set in any case: what a shell starts in the background ignores SIGINT.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    try:
        soak.run()
    finally:
        soak.stop()
    for line in soak.violations:
        say(f"VIOLATION {line}")
    report(soak.figures())
    if soak.violations:
        return 1
    return INTERRUPTED if soak.stopping else 0


def read_plan(options: argparse.Namespace) -> Plan:
    if options.small:
        options.judgments, options.people, options.every = SMALL, FEW, BETWEEN
    return Plan(
        judgments=options.judgments,
        minutes=options.minutes,
        each=min(options.each, options.judgments),
        people=options.people,
        seed=options.seed,
        every=options.every,
        without=frozenset(options.without),
        short=options.small,
    )


def command_line() -> argparse.ArgumentParser:
    arguments = parser(__doc__)
    arguments.add_argument("--judgments", type=int, default=100_000, metavar="N", help="about so many (100000)")
    arguments.add_argument(
        "--minutes",
        type=float,
        metavar="M",
        help="instead: so long, to the end of a collection; with F: at most so long",
    )
    arguments.add_argument("--folder", type=Path, metavar="F", help="keeps all, so that another run goes on with it")
    arguments.add_argument("--each", type=int, default=EACH, metavar="N", help=f"judgments of a collection ({EACH})")
    arguments.add_argument("--people", type=int, default=100, metavar="N")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--every", type=int, default=2_000, metavar="N", help="judgments from kill to kill (2000)")
    arguments.add_argument(
        "--without",
        nargs="+",
        default=[],
        choices=[*SERVERS, CONNECTIONS, PEOPLE],
        metavar="FAULT",
        help=f"leave out: {', '.join(SERVERS)} (killed), {CONNECTIONS} (broken), {PEOPLE} (what else befalls them)",
    )
    arguments.set_defaults(own_server=True)  # it is killed
    return arguments


if __name__ == "__main__":
    main()
