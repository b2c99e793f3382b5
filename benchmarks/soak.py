"""A hundred people judge while the servers under them are killed: is all that was acknowledged stored, exactly once?

A site as script/server and script/worker start it, on a PostgreSQL and a Valkey of its own. Simulated people judge
collection after collection to the end, as the page does: undo, flags, two tabs, clocks that are minutes off, times
without a network, connections that break in the middle of a request or an answer, requests sent twice. A lead reviews
meanwhile. Web processes, the worker, the broker and the database are killed with kill -9 and started again. After
each collection the people's books are compared with the database row by row, all states with what the judgments say,
paid time with the clock, and what the processes hold is looked at.

    .venv/bin/python benchmarks/soak.py [--judgments N | --minutes M] [--people N] [--seed S] [--without FAULT ...]

The first part of each run is calm: `ratios` holds the time for a judgment with all faults over that without any.
Exits with 1 and says what is wrong, and in which rows, if a rule is broken; Ctrl-C ends it with what it has. A million
judgments is `--judgments 1000000`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import parser, report, say, scratch_site
from benchmarks.soaking.faults import SERVERS
from benchmarks.soaking.soak import CONNECTIONS, PEOPLE, Plan, Soak

EACH = 50_000
"""Judgments of one collection: then it is finished, and everything is looked at."""
SMALL = 3_000


def main() -> None:
    plan = read_plan()
    with scratch_site(plan.options, broker=True) as home:
        soak = Soak(plan, home)
        interrupted = False
        try:
            soak.run()
        except KeyboardInterrupt:
            interrupted = True
            say("interrupted; this is how far it came")
            soak.look_at_unfinished()
        finally:
            soak.stop()
        for line in soak.violations:
            say(f"VIOLATION {line}")
        report(soak.figures())
    if interrupted or soak.violations:
        sys.exit(1 if soak.violations else 130)


def read_plan() -> Plan:
    arguments = parser(__doc__)
    arguments.add_argument("--judgments", type=int, default=100_000, metavar="N", help="about so many (100000)")
    arguments.add_argument("--minutes", type=float, metavar="M", help="instead: so long, to the end of a collection")
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
    options = arguments.parse_args()
    if options.small:
        options.judgments, options.every = SMALL, SMALL // 12
    return Plan(
        options=options,
        judgments=options.judgments,
        minutes=options.minutes,
        each=min(options.each, options.judgments),
        people=options.people,
        seed=options.seed,
        every=options.every,
        without=frozenset(options.without),
        short=options.small,
    )


if __name__ == "__main__":
    main()
