"""Processor time that the checks' models take for a row, with the threads that Qreels sets and those of the libraries.

A row is a description and its caption encoded, and the caption's names tagged, as `rewrite` does; each contender is a
process of its own. They take turns on the machine as it is ("quiet"), and beside as many busy processes as there are
cores ("busy"), where waiting threads show what they cost. "one thread" is the other way not to wait. Prints one JSON
object as its last line; `ratios` is our time over the peer's.
"""

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness.measuring import OURS, Turns, figure, parser, report, say
from benchmarks.harness.parts import part, serve_turns

DEFAULT, ONE = "libraries' default", "one thread"
ROUNDS = 11


def main() -> None:
    options = read_options()
    if options.part:
        compute(options.rows, with_names=not options.small)
        return
    # Not above: whoever imports anything of `config` has his threads set, and one of the parts must not.
    from config.threads import usable_cores

    shared = ["--small"] if options.small else ["--rows", str(options.rows)]
    with contextlib.ExitStack() as running:
        parts = {
            name: running.enter_context(part([__file__, "--part", name, *shared], environ))
            for name, environ in environments().items()
            if not (options.small and name == ONE)
        }
        machines = {}
        for machine, others in (("quiet", 0), ("busy", 1 if options.small else usable_cores())):
            turns = machines[machine] = Turns()
            with busy_processes(others):
                for _ in range(options.rounds):
                    for name, contender in parts.items():
                        turns.add(name, **{clock: took / options.rows for clock, took in contender.turn().items()})
            for name in turns.spent:
                wall, processor = 1000 * turns.wall(name), 1000 * turns.processor(name)
                say(f"{machine:6} {name:20} {wall:7.2f} ms a row, {processor:7.2f} ms of processors")
    figures = {machine: turns.figures() for machine, turns in machines.items()}
    report(
        {
            "rows": options.rows,
            "cores": usable_cores(),
            "load_average_at_the_end": figure(os.getloadavg()[0]),
            "threads": {name: contender.first["threads"] for name, contender in parts.items()},
            **figures,
            "processor_ratios": named(figures, "processor_ratios"),
            "ratios": named(figures, "ratios"),
        }
    )


def read_options() -> argparse.Namespace:
    arguments = parser(__doc__)
    arguments.add_argument("--rows", type=int, default=200, help="rows a turn")
    arguments.add_argument("--rounds", type=int, default=ROUNDS)
    arguments.add_argument("--part", default="", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.small:
        options.rows, options.rounds = 4, 1
    return options


def environments() -> dict[str, dict[str, str]]:
    """Each contender's environment: as Qreels sets it, as the libraries find it by themselves, and with one thread."""
    from config.threads import COUNTS, set_threads

    plain = {name: value for name, value in os.environ.items() if name not in (*COUNTS, "OMP_WAIT_POLICY")}
    ours = dict(plain)
    set_threads(ours)
    return {OURS: ours, DEFAULT: plain, ONE: plain | dict.fromkeys(COUNTS, "1")}


def compute(rows: int, *, with_names: bool) -> None:
    """In a contender's process, whose environment is set: nothing of Qreels' own start is imported.

    Args: with_names: whether names are tagged, too; the tagger takes the longest to load.
    """
    import torch

    from queries.language.name_tagger import load_tagger
    from queries.retrieval.encoder import Encoder

    encoder = Encoder()

    def check() -> None:
        before = [f"Rachel opens the door number {row}, looks around the kitchen and walks in." for row in range(rows)]
        after = [text.replace("Rachel", "A woman") for text in before]
        encoder.encode([*before, *after])
        if with_names:
            load_tagger().forget()
            load_tagger().find_names(after)

    check()  # the models are loaded
    serve_turns({"threads": torch.get_num_threads()}, check)


@contextlib.contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """So many other processes that compute."""
    started = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def named(figures: dict[str, dict[str, dict[str, float]]], kind: str) -> dict[str, float]:
    return {f"{peer}, {machine}": value for machine, own in figures.items() for peer, value in own[kind].items()}


if __name__ == "__main__":
    main()
